/**
 * Every bound of the system, in one place, each with its reason. A limit that is reached is reported by a
 * typed error or by back-pressure, never by growth without end.
 */
const KiB = 1024

export const limits = {
  /**
   * A tick closes once its events reach this size. What a flow that is under way may still add (a transaction, its
   * record, its result) is bounded below, so that a tick always stays one append on every log adapter: the
   * smallest limit among them is EventStoreDB's 1 MiB.
   */
  tickBytes: 384 * KiB,
  /**
   * A tick that follows another closes already at this size when nothing is on its way to the disk: waiting for more
   * would leave the disk idle. As long as the disk is busy it goes on, so the slower the disk is the more shares a sync.
   * Below 128 KiB the texts of a tick are ordinary objects to the collector of garbage, which handles larger ones page
   * by page.
   */
  tickAtRestBytes: 96 * KiB,
  /** From this size on a tick is committed by a thread, while the next is decided. */
  handedOverBytes: 64 * KiB,
  /** A single fact may not be larger. */
  factBytes: 256 * KiB,
  /** API calls, finished steps and messages decided in one tick; more wait for the next. */
  inputsPerTick: 1_000,
  /** Due activities started in one tick, so that catching up after an outage never starves the API. */
  activitiesPerTick: 1_000,
  /** Sleeping or ready flows woken in one tick, for the same reason. */
  wakesPerTick: 1_000,
  /** Inputs that may wait for a tick before callers are told that the node is busy. */
  waitingInputs: 100_000,
  /** Operations one flow may record; longer work belongs in several flows. */
  operationsPerFlow: 10_000,
  /** Operations one flow may run in a single tick before the others get their turn. */
  operationsPerTurn: 1_000,
  /** Bytes of unrecorded operations after which a flow's turn ends, so that its record always fits a fact. */
  turnBytes: 64 * KiB,
  /** Size of a step's recorded result; larger things belong in an outside store, with their name recorded. */
  stepResultBytes: 128 * KiB,
  /** Text of a client id: room for any name of a request, and short enough for an index. */
  clientIdLength: 1_000,
  /** Size of what a flow returns, for the same reason. */
  flowResultBytes: 128 * KiB,
  /** Suspended flows whose generators are kept in memory; the others are rebuilt when they wake. */
  liveFlows: 1_000,
  /** Due states that are read at once: enough for a dozen full ticks, which then need not wait for the tick before. */
  dueReadAhead: 4_096,
  /**
   * Rows of each view that stay in memory from one tick to the next. A tick that touches more leaves none behind; while
   * states that were read ahead wait for their turn, its states stay for one more tick.
   */
  rowsKept: 128,
  /** States read ahead that stay in memory while some of them wait for their turn: four times as many as are read at once. */
  rowsKeptAhead: 16_384,
  /** Transactions with others that their contracts have accepted and that are kept in memory until they are final. */
  acceptedKept: 64,
  /** Side-effect steps under way at one time. */
  stepsInFlight: 256,
  /** Flows without steps that get a span in one tick; a catch-up of thousands is told by the measures. */
  spansPerTick: 100,
  /** A process that stands by waits no longer than this for the end of the log when its metrics are asked for. */
  logHeadMs: 1_000,
  /** Flows with steps whose spans are open while someone traces the node; the oldest is ended early for another. */
  tracedFlows: 10_000,
  /** States one query inside a flow may return; its refs are recorded. */
  statesPerQuery: 1_000,
  /** Text in an indexed field: enough for a name or an identifier, and short enough for an index. */
  indexedTextLength: 200,
  /** Indexed fields of one kind of state: each costs a row in an index for every state. */
  indexedFields: 16,
  /** Criteria of one query, counted through all its ands and ors. */
  criteriaPerQuery: 100,
  /** Conjunctions an `or` is taken apart into, each of which is looked up in its own index. */
  branchesPerQuery: 16,
  /** Rows a query counts in an index before it takes the index for too wide to sort what it holds. */
  queryProbe: 2_000,
  /** States one aggregate may go over, so that it cannot keep the node from its ticks for long. */
  aggregatedStates: 100_000,
  /** Rows of one page of an outside query. */
  page: 1_000,
  /** Code of an app that has not returned after so long is reported by the watchdog. */
  codeReturnsMs: 5_000,
  /** How often the watchdog looks. */
  watchdogLookMs: 500,
  /** Starts of the same code that did not return before the process was ended; then it is parked. */
  startsNotReturned: 3,
  /** States and flows remembered because their code did not return. */
  notReturnedKept: 100,
  /** Host timers are not trusted for longer: the clock may be set, the machine may sleep. */
  longestTrustedWaitMs: 1_000,
  /** A clock that is off by so much from the time that has passed has jumped: no clock is corrected by that much unnoticed. */
  clockJumpMs: 1_000,
  /** Activities remembered because a recheck has moved them: enough for all that move on again and again within minutes. */
  movesRemembered: 10_000,
  /** First wait before a failed start is tried again; it doubles from there. */
  startRetryFirstMs: 1_000,
  /** Longest wait between two tries of a failed start. */
  startRetryLongestMs: 60_000,
  /** Failed starts before an activity is parked for a person to look at. */
  startAttempts: 5,
  /** Wait before a tick is tried again after the disk was full. */
  storeRetryMs: 1_000,
  /** Longest wait between two tries of a tick that could not be written, to a server that may be away for hours. */
  storeRetryLongestMs: 3_000,
  /** Time between two log lines about a log that cannot be written. */
  troubleLineMs: 10_000,
  /** First wait before a log on another server is asked again; it doubles from there. */
  logRetryFirstMs: 100,
  /** First wait before a lost acknowledgement is looked for: most often the answer alone was lost. */
  logReadBackFirstMs: 10,
  /** Longest wait between two such tries: a server that comes back is met soon. */
  logRetryLongestMs: 5_000,
  /** Time to reach a server that keeps a log, and to be let in. */
  logConnectMs: 10_000,
  /** Time for one answer of such a server. Later, an append counts as unknown and is looked for. */
  logAnswerMs: 10_000,
  /** Time for the first answer of a server of a cluster that was found anew: it may be frozen, and another one may lead. */
  logProveMs: 2_000,
  /** Time without anything new after which a follower asks whether the server is still there. */
  logIdleMs: 5_000,
  /** Time between two looks whether a stream still holds all its events: somebody may have set it to forget them. */
  logCheckMs: 20_000,
  /** Time for which the head is read again when an append was refused and nothing new can be seen yet. */
  logRefusalMs: 2_000,
  /** Longest wait between two tries to follow a log, or to find out about an append: another server may lead any time. */
  logFollowLongestMs: 1_000,
  /** A writer behind another one on the server waits no longer, so that writers whose answers were lost do not pile up. */
  logLockMs: 5_000,
  /** Time beyond a deadline that a client has kept itself, before its call is given up. */
  logGraceMs: 1_000,
  /** What EventStoreDB takes in one append as it comes; a tick, its labels and its metadata always fit. */
  esdbAppendBytes: 1024 * KiB,
  /** Time between two looks at a log that is followed, in case the server's call was lost. */
  logPollMs: 1_000,
  /** Bytes of events after which one question to a far log fetches no more. */
  logPageBytes: 4 * 1024 * KiB,
  /** Ticks that one question to a far log fetches at most. */
  logPageTicks: 1_000,
  /** How long a node that stops waits for its last words to be written when the log does not answer. */
  lastWordsMs: 5_000,
  /** How long a leader may be silent before a standby leads: longer than any pause a healthy process makes. */
  leaseMs: 10_000,
  /** A shorter lease could not be renewed in time. */
  shortestLeaseMs: 100,
  /**
   * Time from something new in the log to the next checkpoint, of a node that talks with others: what happens in it can
   * be lost with a store without anyone being able to tell.
   */
  checkpointMs: 60_000,
  /** Parties that are sent a checkpoint, those the node talked with last: some of them will be there to be asked. */
  headWitnesses: 16,
  /** How often a checkpoint is sent to a party that does not answer. Then it waits for the next one, or a word of that party. */
  headSends: 5,
  /** Parties that are asked for the checkpoints they keep of a restored log. */
  partiesAsked: 256,
  /** How long they are waited for. */
  partiesAnswerMs: 10_000,
  /** Problems a check of the log lists; one alteration gives few, and a list without end helps nobody. */
  problemsReported: 100,
  /** Bytes of events folded in one commit when views are built from a log; between commits they are held in memory. */
  foldedBytesPerCommit: 8 * 1024 * KiB,
  /** A store up to this size has all its pages checked before it is opened: that takes some milliseconds. */
  pagesCheckedAtOnceBytes: 8 * 1024 * KiB,
  /**
   * A store up to this size decides nothing before all its pages are checked, less than a tenth of a second; a larger one as well,
   * unless the file system says that nobody has written to it since.
   */
  pagesAlwaysAwaitedBytes: 64 * 1024 * KiB,
  /** Transactions kept outside the sorted index; they are merged in one sorted sweep when they are this many. */
  unindexedKeys: 16_384,
  /** Inputs, references, outputs and commands of one transaction, each. */
  componentsPerTransaction: 1_000,
  /** First wait before an unacknowledged message is sent again; it doubles from there. */
  resendFirstMs: 1_000,
  /** Longest wait between two sends of a message, to a party that may be down for weeks. */
  resendLongestMs: 60_000,
  /** A notary whose callers would wait longer tells them so: they come back later, instead of standing in line. */
  notaryWaitMs: 5_000,
  /** How often a notary that is busy is asked again before the flow gives up: for hours, at the waits it asks for. */
  notaryAttempts: 200,
  /** Messages of one session: twice what a flow can send, so that whoever sends more means no good, and no inbox is endless. */
  messagesPerSession: 20_000,
  /** Unacknowledged messages to one party held in memory: one that is down must not take the room of the others. */
  unacknowledgedPerParty: 1_000,
  /**
   * Bytes of unacknowledged messages to one party: less than a connection buffers, so that a long history streams at the
   * pace at which it is taken, and nothing of it is dropped on the way and sent again.
   */
  unacknowledgedBytesPerParty: 2 * 1024 * KiB,
  /** Unacknowledged messages held in memory; the others wait in the outbox. */
  unacknowledged: 10_000,
  /** What every party may have in memory even when those that are down have taken all the room. */
  unacknowledgedAtLeast: 16,
  /** A frame between nodes: room for the largest fact and its envelope. Whoever announces more is cut off at once. */
  frameBytes: 1024 * KiB,
  /** Envelopes in one frame, so that one frame is never more than a tick's worth of decisions. */
  envelopesPerFrame: 1_000,
  /** Nesting of what another party sends: composite keys within a transaction need about a hundred levels. */
  messageDepth: 256,
  /** Bytes that wait for a connection to one party; what does not fit is dropped, and sent again when it is due. */
  outgoingBytes: 4 * 1024 * KiB,
  /** Envelopes of one connection that are being decided; beyond that nothing more is read from it. */
  deliveriesUnderWay: 2_000,
  /** Connections whose handshake is not over; beyond that the oldest of them is dropped. */
  handshakesUnderWay: 64,
  /** Connections with one party; a new one replaces the oldest, which may be half open after a crash over there. */
  connectionsPerParty: 3,
  /** A handshake that takes longer is given up. */
  handshakeMs: 10_000,
  /** After this long without a word an empty frame says that the connection is alive. */
  keepAliveMs: 15_000,
  /** A connection that brings no whole frame, or takes none, for so long is dead: three missed words. */
  silenceMs: 45_000,
  /** A connection without messages is closed after this long; the next message opens another. */
  idleConnectionMs: 300_000,
  /** First wait before a party is dialled again; it doubles from there. */
  reconnectFirstMs: 100,
  /** Longest wait between two dials: a party that comes back is met soon. */
  reconnectLongestMs: 10_000,
  /** How long a closing transport waits for what it has written to leave. */
  closeMs: 1_000,
  /** Time between two log lines about the same kind of refusal by the same side, so that a flood cannot fill the disk. */
  refusalLineMs: 10_000,
  /** Different refusals remembered for that. */
  refusalsRemembered: 1_000,
  /** Parties in a network map. */
  members: 10_000,
  /** Size of a network map file: some hundred bytes a member. */
  networkMapBytes: 8 * 1024 * KiB,
  /** How often a running node looks whether its map has changed: soon enough for whoever waits for the party that joined. */
  networkMapLookMs: 1_000,
  /** How long a party that is to join waits for another that joins at the same moment. */
  networkLockWaitMs: 30_000,
  /** A message to another party: less than a fact, so that the receiver can record whatever the sender could. */
  messageBytes: 224 * KiB,
  /**
   * A transaction that is to be agreed with others: with everyone's signatures it must still fit into a message,
   * and it is recorded once more, as the flow's proposal.
   */
  sharedTransactionBytes: 128 * KiB,
  /** Bytes of one page of history sent to another party. */
  historyPageBytes: 192 * KiB,
  /**
   * Transactions walked back at first when another party's knowledge is compared: mostly it lacks the last few. Each further walk
   * is four times as long.
   */
  historyFirstWalk: 16,
  /** Transactions walked back in one operation at most. */
  historyWalk: 2_500,
  /** Signatures in one message from which on they are verified in a thread: the loop is spared most of the work, the message waits a little longer. */
  signaturesPerThread: 10,
  /** Threads that verify signatures, on a machine that has so many cores to spare. */
  signatureThreads: 4,
  /** Verified signatures that are remembered, twice over: those of some pages of history. */
  signaturesRemembered: 8_192,
  /** Depth of composite keys within composite keys. */
  keyDepth: 32,
  /** Depth of sub-flows within sub-flows. */
  subFlowDepth: 32,
  /** What a verb of an app may answer. */
  verbAnswerBytes: 1024 * KiB,
  /** Tools connected to a node's control socket at one time. */
  controlConnections: 64,
  /** Requests one connection to it may have under way; one that waits for the end of a flow counts. */
  controlRequests: 256,
  /** A note that an operator leaves with an action. */
  noteLength: 1_000,
  /** Tokens of one node that have not been revoked: people and tools, not customers. */
  tokens: 1_000,
  /** Permissions of one token. */
  permissionsPerToken: 64,
  /** A permission: room for the name of a flow. */
  permissionLength: 200,
  /** The name of a token, which stands in every event it causes. */
  tokenNameLength: 40,
  /** Links to the dashboard that were printed and not used yet. */
  linksUnused: 16,
  /** A link to the dashboard that is not used by then is void. */
  linkMs: 600_000,
  /** A session of the dashboard: a working day. */
  sessionMs: 43_200_000,
  /** Sessions remembered because they were ended before their time. */
  sessionsEnded: 10_000,
  /** The body of an HTTP request: room for the largest fact, its quoting and its envelope. */
  httpBodyBytes: 1024 * KiB,
  /** The body of a request that brings a secret and no token: a token is much shorter. */
  httpSecretBytes: 4 * KiB,
  /** Open HTTP connections. */
  httpConnections: 256,
  /** A request whose head and body have not come by then is dropped, so that slow senders cannot hold connections. */
  httpRequestMs: 10_000,
  /** Requests one address may send in a second, on average, and twice as many at once: a page asks for about ten things. */
  httpRequestsPerSecond: 200,
  /** Refused requests (no token, wrong token) one address may send in a second, so that nobody tries tokens in earnest. */
  httpRefusalsPerSecond: 2,
  /** Refused requests one address may send at once. */
  httpRefusalBurst: 40,
  /** Addresses whose rates are remembered. */
  httpCallers: 10_000,
  /** Live streams open at one time, and so many of them for one address. */
  httpStreams: 128,
  /** Live streams of one address: some tabs of a dashboard. */
  httpStreamsPerCaller: 32,
  /** Bytes a live stream may leave unread before it is cut off; the client resumes from the last event it saw. */
  httpStreamUnreadBytes: 4 * 1024 * KiB,
  /** Time between two signs of life on a live stream. */
  httpStreamBeatMs: 15_000,
  /** Least time between two messages of the live summary. */
  httpLiveMs: 500,
  /** How long a request for a flow's result waits before it says that the flow still runs. */
  httpResultMs: 25_000,
  /** Bars of the agenda's timeline in one answer. */
  timelineBars: 1_000,
  /** Past occurrences looked at for one answer of the timeline; more than that is what the metrics are for. */
  timelineOccurrences: 50_000,
  /** States looked at for one page of a search by text. */
  searchedStates: 20_000,
  /** States and transactions in one answer of the ledger's graph. */
  graphNodes: 200,
  /** Rows a panel of an app may show. */
  panelRows: 1_000,
  /** Lines `carillon run` prints in a second; the rest is counted and summed up in one line. */
  liveLinesPerSecond: 20,
} as const
