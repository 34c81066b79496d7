/**
 * The vocabulary of the log: every fact a node can record. Each event says what was decided, including what
 * app code said at that moment, so that folding the log never needs the app.
 */
import * as t from 'io-ts'
import type { Encoded, Json } from '../encoding/canonical.js'
import { IntegerC } from '../encoding/IntegerC.js'
import { JsonC } from '../encoding/JsonC.js'
import { HashC } from '../encoding/hash.js'
import { RecordedErrorC } from '../encoding/RecordedErrorC.js'
import { CheckpointC } from './Checkpoint.js'
import { KeyChangeC } from '../identity/KeyChange.js'
import { NetworkIdC } from '../identity/NetworkId.js'
import { PartyC } from '../identity/Party.js'
import { PublicKeyC } from '../identity/PublicKey.js'
import { ActivityC } from '../ledger/Activity.js'
import { AssessmentC, type Assessment } from '../ledger/Assessment.js'
import { IndexedValuesC } from '../ledger/IndexedValue.js'
import { SignedTransactionC } from '../ledger/SignedTransaction.js'
import { TransactionSignatureC } from '../ledger/signatures.js'
import { StateRefC } from '../ledger/StateRef.js'
import { TransactionBodyC, type TransactionBody } from '../ledger/Transaction.js'
import { TransactionIdC } from '../ledger/TransactionId.js'
import { MessageC, RoleC, type WrittenMessage } from './Message.js'
import { SessionIdC } from './SessionId.js'
import { InstantC } from '../time/Instant.js'

const strict = <P extends t.Props>(props: P) => t.readonly(t.strict(props))
const withOptional = <P extends t.Props, Q extends t.Props>(props: P, optional: Q) =>
  t.readonly(t.intersection([t.strict(props), t.exact(t.partial(optional))]))

const FlowIdText = t.string

/** What else a record may say of an operation. A replay compares the part; it never compares the label. */
const about = {
  /** For people; it may be worded in any way. */
  label: t.string,
  /** The part of the flow that asked, such as "1.2"; absent for the flow itself. */
  part: t.string,
}

/** Which map it is: who signed it, the number it has, and the hash of what it says. */
const MapC = withOptional({ root: PublicKeyC, serial: IntegerC }, { hash: HashC })

export const RecordedOperationC = withOptional(
  { kind: t.string, digest: t.string },
  { ...about, result: t.unknown, error: RecordedErrorC },
)

export const OriginC = t.union([
  strict({
    kind: t.literal('activity'),
    ref: StateRefC,
    due: InstantC,
    attempt: IntegerC,
    latenessMs: IntegerC,
    cause: t.keyof({ due: null, missed: null, restart: null, retry: null, trigger: null }),
  }),
  withOptional(
    { kind: t.literal('client'), by: t.string },
    {
      clientId: t.string,
      /** The token that it was started with; absent where the local owner started it. */
      caller: t.string,
    },
  ),
  strict({ kind: t.literal('session'), session: SessionIdC, party: PublicKeyC }),
  /** Another flow of this node has started it. */
  strict({ kind: t.literal('flow'), flow: FlowIdText, whenParentEnds: t.keyof({ cancel: null, leave: null }) }),
  /** Another flow has continued as this one. */
  strict({ kind: t.literal('continued'), from: FlowIdText }),
])

/** An operation that is waited for, and until when at most; without it, for as long as it takes. */
const timed = { ...about, until: InstantC }

const WaitingC = t.union([
  withOptional(
    { for: t.literal('step'), kind: t.string, digest: t.string, attempt: IntegerC },
    { ...about, retryAt: InstantC, error: RecordedErrorC },
  ),
  withOptional({ for: t.literal('instant'), kind: t.string, digest: t.string, until: InstantC }, about),
  withOptional(
    { for: t.literal('message'), kind: t.string, digest: t.string, session: SessionIdC, role: RoleC, seq: IntegerC },
    timed,
  ),
  /** An unconsumed state of the type: the one with the key, or the first whose indexed fields have these values. */
  withOptional(
    { for: t.literal('state'), kind: t.string, digest: t.string, type: t.string },
    { ...timed, key: t.string, where: IndexedValuesC },
  ),
  withOptional({ for: t.literal('consumption'), kind: t.string, digest: t.string, ref: StateRefC }, timed),
  withOptional({ for: t.literal('transaction'), kind: t.string, digest: t.string, transaction: TransactionIdC }, timed),
  withOptional({ for: t.literal('flow'), kind: t.string, digest: t.string, flow: FlowIdText }, timed),
  /** It is being cancelled, and killed at that instant. Nodes add it to a row from FlowCancelled; FlowAdvanced never names it. */
  withOptional(
    { for: t.literal('cancel'), kind: t.string, digest: t.string, by: t.string, until: InstantC },
    { ...about, thrown: t.literal(true) },
  ),
  withOptional({ for: t.literal('signal'), kind: t.string, digest: t.string, signal: t.string }, timed),
  /** More to do at once: the flow made room for others. Or not before an instant: what it met may have passed by then. */
  withOptional({ for: t.literal('turn') }, { ...about, attempt: IntegerC, retryAt: InstantC, error: RecordedErrorC }),
])

/** A flow waits for at least one thing. TypeScript cannot conclude that from a length. */
export const WaitsC = t.brand(
  t.readonlyArray(WaitingC),
  (waits): waits is t.Branded<readonly Waiting[], { readonly Waits: unique symbol }> => waits.length > 0,
  'Waits',
) as unknown as t.Type<Waits, Waits>

export const eventCodecs = {
  NodeStarted: withOptional(
    {
      type: t.literal('NodeStarted'),
      reason: t.keyof({ start: null, takeover: null }),
      party: PartyC,
      app: t.string,
      appVersion: t.string,
      term: IntegerC,
      /** The version of the log format that is written from here on. */
      format: IntegerC,
      /** The version of Carillon that writes it. */
      carillon: t.string,
      /** The network in which this node signs; joining another one is an event of its own. */
      network: NetworkIdC,
    },
    {
      /** Which process leads, where several could: no two of them ever write the same start. */
      process: t.string,
      /** For how long after each tick nobody else may lead, where standbys are there. */
      leaseMs: IntegerC,
      /** The network map it was started with. The first one is the node's anchor. */
      map: MapC,
    },
  ),
  /** From the next tick on the node goes by a newer map. */
  NetworkMapChanged: strict({ type: t.literal('NetworkMapChanged'), map: MapC }),
  /**
   * An operator lets the node go by a map that contradicts what it has gone by: of another root, with other contents under
   * the same number, or one that has expired.
   */
  NetworkMapAccepted: withOptional(
    {
      type: t.literal('NetworkMapAccepted'),
      by: t.string,
      map: strict({ root: PublicKeyC, serial: IntegerC, hash: HashC }),
    },
    { note: t.string },
  ),
  /** From the next tick on this node signs in a network; until now it was in none. */
  NetworkJoined: strict({ type: t.literal('NetworkJoined'), network: NetworkIdC }),
  /**
   * A party signs with another key. Of the node's own party: the tick that holds it is signed with the old key, the next
   * with the new one. Of another party: learnt from the network map.
   */
  KeyChanged: strict({ type: t.literal('KeyChanged'), change: KeyChangeC }),
  /** The leader is there, although it has had nothing to record. */
  LeaseRenewed: strict({ type: t.literal('LeaseRenewed'), term: IntegerC, leaseMs: IntegerC }),
  NodeStopped: strict({ type: t.literal('NodeStopped') }),
  DrainingStarted: strict({ type: t.literal('DrainingStarted'), by: t.string }),
  DrainingEnded: strict({ type: t.literal('DrainingEnded'), by: t.string }),
  /** A token for the HTTP API: its hash, never the token. */
  TokenIssued: withOptional(
    {
      type: t.literal('TokenIssued'),
      token: t.string,
      name: t.string,
      hash: HashC,
      permissions: t.readonlyArray(t.string),
      by: t.string,
    },
    { expiresAt: InstantC },
  ),
  TokenRevoked: strict({ type: t.literal('TokenRevoked'), token: t.string, by: t.string }),
  /** Another party has sent a checkpoint of its own log, and this node keeps it for that party. */
  CheckpointReceived: strict({ type: t.literal('CheckpointReceived'), party: PartyC, checkpoint: CheckpointC }),

  /** An operator lets a node continue from a restored log: compared with so many checkpoints that others keep, or none. */
  RestoreAccepted: withOptional(
    { type: t.literal('RestoreAccepted'), by: t.string, revision: IntegerC, checkpoints: IntegerC },
    { note: t.string },
  ),

  TransactionRecorded: withOptional(
    {
      type: t.literal('TransactionRecorded'),
      id: TransactionIdC,
      body: TransactionBodyC,
      assessments: t.readonlyArray(AssessmentC),
    },
    {
      flow: FlowIdText,
      /** Signatures gathered from the parties; a transaction without them is covered by the signature of its tick. */
      signatures: t.readonlyArray(TransactionSignatureC),
      /** It was recorded only because another one builds on it: nothing it produces is relevant here. */
      ancestor: t.literal(true),
    },
  ),
  ActivityMoved: withOptional(
    { type: t.literal('ActivityMoved'), ref: StateRefC, activity: ActivityC },
    { actsAt: InstantC },
  ),
  ActivityRemoved: strict({ type: t.literal('ActivityRemoved'), ref: StateRefC }),
  ActivityMissed: strict({
    type: t.literal('ActivityMissed'),
    ref: StateRefC,
    due: InstantC,
    attempt: IntegerC,
    latenessMs: IntegerC,
  }),
  ActivityStartFailed: strict({
    type: t.literal('ActivityStartFailed'),
    ref: StateRefC,
    due: InstantC,
    attempt: IntegerC,
    latenessMs: IntegerC,
    error: RecordedErrorC,
    retryAt: InstantC,
  }),
  ActivityParked: strict({
    type: t.literal('ActivityParked'),
    ref: StateRefC,
    due: InstantC,
    attempt: IntegerC,
    latenessMs: IntegerC,
    error: RecordedErrorC,
  }),
  ActivityPaused: withOptional({ type: t.literal('ActivityPaused'), ref: StateRefC, by: t.string }, { note: t.string }),
  ActivityResumed: strict({ type: t.literal('ActivityResumed'), ref: StateRefC, by: t.string }),
  ActivityTriggered: strict({ type: t.literal('ActivityTriggered'), ref: StateRefC, by: t.string }),
  ActivityRetried: strict({ type: t.literal('ActivityRetried'), ref: StateRefC, by: t.string }),
  ActivityDismissed: withOptional(
    { type: t.literal('ActivityDismissed'), ref: StateRefC, by: t.string },
    { note: t.string },
  ),
  /** A newer app was asked again about a state that is already recorded. */
  StateReassessed: strict({ type: t.literal('StateReassessed'), ref: StateRefC, assessment: AssessmentC }),

  /** A flow reserves states, all of them or none, so that other flows choose others. */
  StatesLocked: strict({ type: t.literal('StatesLocked'), flow: FlowIdText, refs: t.readonlyArray(StateRefC) }),
  StatesUnlocked: strict({ type: t.literal('StatesUnlocked'), flow: FlowIdText, refs: t.readonlyArray(StateRefC) }),

  /**
   * A flow reserves keys that no state of this vault has, for as long as it collects signatures: of several flows that
   * want one key, one gets it. The reservation ends with the flow.
   */
  KeysReserved: withOptional(
    {
      type: t.literal('KeysReserved'),
      flow: FlowIdText,
      keys: t.readonlyArray(strict({ type: t.string, key: t.string })),
    },
    {
      /** The flows that had some of the keys before, for too long. */
      lapsed: t.readonlyArray(FlowIdText),
    },
  ),
  /** This party has signed a transaction that it was shown as a whole, and whose finality is yet to come. */
  TransactionSigned: withOptional(
    { type: t.literal('TransactionSigned'), id: TransactionIdC, flow: FlowIdText },
    {
      /** Of a change of notary: the proposal with the signatures it had, so that any of its signers can complete it. */
      proposal: SignedTransactionC,
    },
  ),

  /** This node, as a notary, has let these states be consumed by this transaction. */
  TransactionNotarised: strict({
    type: t.literal('TransactionNotarised'),
    id: TransactionIdC,
    inputs: t.readonlyArray(StateRefC),
    caller: PublicKeyC,
  }),

  SessionOpened: withOptional(
    { type: t.literal('SessionOpened'), session: SessionIdC, role: RoleC, party: PublicKeyC },
    { flow: FlowIdText },
  ),
  MessageSent: strict({
    type: t.literal('MessageSent'),
    session: SessionIdC,
    role: RoleC,
    seq: IntegerC,
    message: MessageC,
  }),
  MessageReceived: strict({
    type: t.literal('MessageReceived'),
    session: SessionIdC,
    role: RoleC,
    seq: IntegerC,
    message: MessageC,
  }),
  MessageAcknowledged: strict({
    type: t.literal('MessageAcknowledged'),
    session: SessionIdC,
    role: RoleC,
    seq: IntegerC,
  }),

  FlowStarted: strict({
    type: t.literal('FlowStarted'),
    flow: FlowIdText,
    name: t.string,
    version: IntegerC,
    input: JsonC,
    origin: OriginC,
  }),
  FlowAdvanced: withOptional(
    {
      type: t.literal('FlowAdvanced'),
      flow: FlowIdText,
      operations: t.readonlyArray(RecordedOperationC),
      waiting: WaitsC,
    },
    {
      progress: t.string,
      /**
       * Parts that wait no more. Where it is given, parts named neither here nor in `waiting` wait on as before; without
       * it, `waiting` is all that the flow waits for.
       */
      over: t.readonlyArray(t.string),
    },
  ),
  FlowEnded: withOptional(
    {
      type: t.literal('FlowEnded'),
      flow: FlowIdText,
      outcome: t.keyof({ completed: null, failed: null, killed: null, superseded: null, continued: null }),
    },
    {
      result: t.unknown,
      /** What it refused with. It completed then, and has no result. */
      refusal: t.unknown,
      error: RecordedErrorC,
      by: t.string,
      /** It completed or was superseded, and left the state of its activity unconsumed: from when on that needs attention. */
      attentionAt: InstantC,
      /** The flow that it has continued as. */
      next: FlowIdText,
    },
  ),
  FlowParked: strict({ type: t.literal('FlowParked'), flow: FlowIdText, error: RecordedErrorC }),
  FlowRetried: strict({ type: t.literal('FlowRetried'), flow: FlowIdText, by: t.string }),
  /** `flow-cancelled` is thrown into it where it waits. It is killed when it has not come to its end by then. */
  FlowCancelled: strict({ type: t.literal('FlowCancelled'), flow: FlowIdText, by: t.string, until: InstantC }),
  FlowPaused: strict({ type: t.literal('FlowPaused'), flow: FlowIdText, by: t.string }),
  /** A flow was sent a signal, which it takes when it waits for one of its name. The number counts those of the flow. */
  SignalReceived: withOptional(
    {
      type: t.literal('SignalReceived'),
      flow: FlowIdText,
      seq: IntegerC,
      signal: t.string,
      data: JsonC,
      by: t.string,
    },
    {
      /** Given by the sender: sent again, it counts once. */
      id: t.string,
    },
  ),
  SignalTaken: strict({ type: t.literal('SignalTaken'), flow: FlowIdText, seq: IntegerC }),
  FlowResumed: strict({ type: t.literal('FlowResumed'), flow: FlowIdText, by: t.string }),
  /** An operator has seen to a flow that ended in a way which needs attention. */
  FlowDismissed: strict({ type: t.literal('FlowDismissed'), flow: FlowIdText, by: t.string }),
} as const

/** The names of all events. */
export type EventType = keyof typeof eventCodecs

/** An operation in the record of a flow: its kind, a digest of its identity, and what came of it. */
export type RecordedOperation = t.TypeOf<typeof RecordedOperationC>
/** What started a flow: an activity, a client, a session with another party, or another flow. */
export type FlowOrigin = t.TypeOf<typeof OriginC>
/** One thing a suspended flow waits for: a step, an instant, a message, a state, a transaction, or its next turn. */
export type Waiting = t.TypeOf<typeof WaitingC>
/** Everything a suspended flow waits for. It goes on when the first of these has come. */
export type Waits = readonly [Waiting, ...Waiting[]]
/**
 * How a flow ended. `superseded` means that the state it was started for had been consumed meanwhile, `continued` that
 * another flow goes on in its place.
 */
export type FlowOutcome = 'completed' | 'failed' | 'killed' | 'superseded' | 'continued'

/** A transaction just made has its body as canonical text already; one read from the log has it decoded. */
export type TransactionRecorded = Omit<t.TypeOf<typeof eventCodecs.TransactionRecorded>, 'body' | 'assessments'> & {
  readonly body: TransactionBody | Encoded
  readonly assessments: readonly Assessment[]
}

/** A flow just started may have its input as canonical text already. */
export type FlowStarted = Omit<t.TypeOf<typeof eventCodecs.FlowStarted>, 'input'> & { readonly input: Json | Encoded }

/** A message just sent or taken carries its payload as canonical text. */
export type MessageSent = Omit<t.TypeOf<typeof eventCodecs.MessageSent>, 'message'> & {
  readonly message: WrittenMessage
}
/** A message of another party was received. */
export type MessageReceived = Omit<t.TypeOf<typeof eventCodecs.MessageReceived>, 'message'> & {
  readonly message: WrittenMessage
}

/** An event of the log. */
export type DomainEvent =
  | TransactionRecorded
  | FlowStarted
  | MessageSent
  | MessageReceived
  | t.TypeOf<
      (typeof eventCodecs)[Exclude<
        EventType,
        // These differ, when they are made, from what they are when they are read.
        'TransactionRecorded' | 'FlowStarted' | 'MessageSent' | 'MessageReceived'
      >]
    >

/** The event of one name. */
export type EventOf<K extends EventType> = Extract<DomainEvent, { readonly type: K }>
