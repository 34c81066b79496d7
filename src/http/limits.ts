/**
 * The limits of the HTTP API, the control socket and the dashboard.
 */
import type { LimitsLike } from '../limits.js'

const KiB = 1024

/** The limits of the HTTP API, the control socket and the dashboard. */
export const httpLimits = {
  /** What a verb of an app may answer. */
  verbAnswerBytes: 1024 * KiB,
  /** Tools connected to a node's control socket at one time. */
  controlConnections: 64,
  /** Requests one connection to it may have under way; one that waits for the end of a flow counts. */
  controlRequests: 256,
  /** Links to the dashboard that were printed and not used yet. */
  linksUnused: 16,
  /** A link to the dashboard that is not used by then is void. */
  linkMs: 600_000,
  /** A session of the dashboard: a working day. */
  sessionMs: 43_200_000,
  /** Sessions of the owner of the store that are remembered because they were ended before their time. */
  sessionsEnded: 10_000,
  /** Such sessions of an issued token. */
  sessionsEndedPerToken: 100,
  /** The body of an HTTP request: room for the largest fact, its quoting and its envelope. */
  httpBodyBytes: 1024 * KiB,
  /** The body of a request that brings a secret and no token: a token is much shorter. */
  httpSecretBytes: 4 * KiB,
  /** Open HTTP connections; when there are so many, the oldest that has brought no valid token goes first. */
  httpConnections: 256,
  /** Open HTTP connections of one address, loopback apart; beyond that its own oldest without a valid token goes first. */
  httpConnectionsPerAddress: 32,
  /** A request whose head and body have not come by then is dropped, so that slow senders cannot hold connections. */
  httpRequestMs: 10_000,
  /** Requests one address may send in a second, on average, and twice as many at once: a page asks for about ten things. Beyond that, each token that is valid may send as many of its own. */
  httpRequestsPerSecond: 200,
  /** Milliseconds that the requests of one token, the answers to its questions and its streams of what was recorded may take in a second, on average, and twenty times as many at once. */
  httpReadMsPerSecond: 250,
  /** Bytes of answers to one token that may wait to be read; the only one may be larger. */
  httpUnreadBytes: 64 * 1024 * KiB,
  /** An answer of which nothing was taken for so long is given up, with its connection. */
  httpUnreadMs: 30_000,
  /** Questions of one token that wait to be answered. */
  questionsWaiting: 100,
  /** Memory of the thread that answers questions, in MiB. */
  questionHeapMiB: 512,
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
  /** A token may begin a check of the log so long after the last one, and after four times as long as that took. */
  verificationRestMs: 10_000,
  /** Bars of the agenda's timeline in one answer. */
  timelineBars: 1_000,
  /** States looked at for one page of a search by text. */
  searchedStates: 20_000,
  /** States and transactions in one answer of the ledger's graph. */
  graphNodes: 200,
  /** Steps in one answer about those that hang. */
  hangingSteps: 1_000,
} as const

/** The limits of the HTTP API, as a node was given them. */
export type HttpLimits = LimitsLike<typeof httpLimits>
