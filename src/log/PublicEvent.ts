/**
 * The events that programs outside the node are told of. They are made from the events of the log, and say what happened
 * on the ledger, to activities and to flows. How the node came to it (messages, locks, records of flows) stays inside.
 * Kinds and optional fields may be added; nothing is taken away.
 */
import { Encoded, type Json } from '../encoding/canonical.js'
import type { Hash } from '../encoding/hash.js'
import type { Party } from '../identity/Party.js'
import type { Activity } from '../ledger/Activity.js'
import type { StateRef } from '../ledger/StateRef.js'
import type { TransactionBody } from '../ledger/Transaction.js'
import type { TransactionId } from '../ledger/TransactionId.js'
import type { Instant } from '../time/Instant.js'
import type { DomainEvent, EventOf, EventType, FlowOutcome } from './events.js'

/** A state that a transaction has produced, as it was recorded. */
export type ProducedState = {
  readonly ref: StateRef
  readonly type: string
  /** The version of the state's definition that wrote the data. */
  readonly version: number
  readonly data: Json
  /** Whether the state counts for this node's party; observers and ancestors hold others, too. */
  readonly relevant: boolean
  readonly key?: string
  /** What the state asks for next. */
  readonly activity?: Activity
}

/** A command of a transaction. */
export type RecordedCommand = { readonly type: string; readonly data: Json }

/** A transaction is final and in this node's log. */
export type TransactionRecordedEvent = {
  readonly type: 'TransactionRecorded'
  readonly id: TransactionId
  readonly consumed: readonly StateRef[]
  readonly produced: readonly ProducedState[]
  readonly commands: readonly RecordedCommand[]
  /** The flow that recorded it. */
  readonly flow?: string
}

/** What happened to the activity of a state; `by` names the operator, where one acted. */
export type PublicActivityEvent = {
  readonly type:
    | 'ActivityMoved'
    | 'ActivityRemoved'
    | 'ActivityMissed'
    | 'ActivityStartFailed'
    | 'ActivityParked'
    | 'ActivityPaused'
    | 'ActivityResumed'
    | 'ActivityTriggered'
    | 'ActivityRetried'
    | 'ActivityDismissed'
  readonly ref: StateRef
  /** When it was due, where the event is about one attempt. */
  readonly due?: Instant
  readonly attempt?: number
  readonly latenessMs?: number
  /** What it is now, when it was moved. */
  readonly activity?: Activity
  readonly error?: PublicError
  readonly by?: string
  readonly note?: string
}

/** An error as it is recorded: its stable code and its text. */
export type PublicError = { readonly code: string; readonly message: string }

/** What started a flow: a client, the activity of a state, or something inside the network or another flow. */
export type PublicOrigin =
  | {
      readonly kind: 'activity'
      readonly ref: StateRef
      readonly due: Instant
      readonly attempt: number
      readonly latenessMs: number
      readonly cause: string
    }
  | { readonly kind: 'client'; readonly by: string; readonly clientId?: string }
  | { readonly kind: 'other'; readonly name: string }

/** A flow has started. */
export type FlowStartedEvent = {
  readonly type: 'FlowStarted'
  readonly flow: string
  readonly name: string
  readonly version: number
  readonly input: Json
  readonly origin: PublicOrigin
}

/** A flow has ended. */
export type FlowEndedEvent = {
  readonly type: 'FlowEnded'
  readonly flow: string
  readonly outcome: FlowOutcome
  readonly result?: Json
  /** What it refused with; its outcome is `completed` then. */
  readonly refusal?: Json
  readonly error?: PublicError
  readonly by?: string
}

/** A flow needs an operator, or an operator has acted on it. */
export type FlowChangedEvent = {
  readonly type: 'FlowParked' | 'FlowRetried' | 'FlowCancelled' | 'FlowPaused' | 'FlowResumed' | 'FlowDismissed'
  readonly flow: string
  readonly error?: PublicError
  readonly by?: string
}

/** A signal was sent to a flow. */
export type SignalReceivedEvent = {
  readonly type: 'SignalReceived'
  readonly flow: string
  readonly signal: string
  readonly data: Json
  readonly by: string
}

/** A flow has said where it is. */
export type FlowProgressedEvent = { readonly type: 'FlowProgressed'; readonly flow: string; readonly progress: string }

/** The node has started or stopped, or an operator has begun or ended draining. */
export type PublicNodeEvent =
  | {
      readonly type: 'NodeStarted'
      readonly party: Party
      readonly app: string
      readonly appVersion: string
      readonly reason: 'start' | 'takeover'
    }
  | { readonly type: 'NodeStopped' }
  | { readonly type: 'DrainingStarted' | 'DrainingEnded'; readonly by: string }

/** What a public event says. */
export type PublicEventBody =
  | TransactionRecordedEvent
  | PublicActivityEvent
  | FlowStartedEvent
  | FlowEndedEvent
  | FlowChangedEvent
  | FlowProgressedEvent
  | SignalReceivedEvent
  | PublicNodeEvent

/** The names of public events. */
export type PublicEventType = PublicEventBody['type']

/** Where a public event stands in the log. */
export type EventPosition = {
  /** Its ordinal in the log. A subscription that has seen it goes on from the next one. */
  readonly revision: number
  readonly tick: number
  /** The instant of its tick. */
  readonly at: Instant
  /** The running hash of the log after its tick. */
  readonly hash: Hash
}

/** A public event with its place in the log. */
export type PublicEvent = EventPosition & PublicEventBody

type Publish<K extends EventType> = (event: EventOf<K>) => PublicEventBody | undefined

const errorOf = ({ code, message }: PublicError): PublicError => ({ code, message })

const bodyOf = (body: TransactionBody | Encoded): TransactionBody =>
  body instanceof Encoded ? (JSON.parse(body.text) as TransactionBody) : body

const transactionRecorded: Publish<'TransactionRecorded'> = (event) => {
  const body = bodyOf(event.body)
  return {
    type: 'TransactionRecorded',
    id: event.id,
    consumed: body.inputs,
    produced: body.outputs.map(({ type, version, data }, index) => {
      const assessment = event.assessments[index]
      return {
        ref: { transaction: event.id, index },
        type,
        version,
        data,
        relevant: assessment?.relevant === true && event.ancestor !== true,
        ...(assessment?.key === undefined ? {} : { key: assessment.key }),
        ...(assessment?.activity === undefined ? {} : { activity: assessment.activity }),
      }
    }),
    commands: body.commands,
    ...(event.flow === undefined ? {} : { flow: event.flow }),
  }
}

const originOf = (origin: EventOf<'FlowStarted'>['origin']): PublicOrigin => {
  switch (origin.kind) {
    case 'activity':
    case 'client':
      return origin
    default:
      return { kind: 'other', name: origin.kind }
  }
}

const jsonOf = (value: Json | Encoded): Json => (value instanceof Encoded ? (JSON.parse(value.text) as Json) : value)

const flowEnded: Publish<'FlowEnded'> = ({ flow, outcome, result, refusal, error, by }) => ({
  type: 'FlowEnded',
  flow,
  outcome,
  ...(result === undefined ? {} : { result: result as Json }),
  ...(refusal === undefined ? {} : { refusal: refusal as Json }),
  ...(error === undefined ? {} : { error: errorOf(error) }),
  ...(by === undefined ? {} : { by }),
})

const withError = <E extends { readonly error: PublicError }>(event: E): Omit<E, 'error'> & { error: PublicError } => ({
  ...event,
  error: errorOf(event.error),
})

const asItIs = <E extends PublicEventBody>(event: E): E => event
const inside = (): undefined => undefined

/** For each event of the log: what of it is public. `inside` means nothing. */
const publications: { readonly [K in EventType]: Publish<K> } = {
  TransactionRecorded: transactionRecorded,
  ActivityMoved: ({ type, ref, activity }) => ({ type, ref, activity }),
  ActivityRemoved: asItIs,
  ActivityMissed: asItIs,
  ActivityStartFailed: withError,
  ActivityParked: withError,
  ActivityPaused: asItIs,
  ActivityResumed: asItIs,
  ActivityTriggered: asItIs,
  ActivityRetried: asItIs,
  ActivityDismissed: asItIs,
  FlowStarted: ({ type, flow, name, version, input, origin }) => ({
    type,
    flow,
    name,
    version,
    input: jsonOf(input),
    origin: originOf(origin),
  }),
  FlowAdvanced: ({ flow, progress }) =>
    progress === undefined ? undefined : { type: 'FlowProgressed', flow, progress },
  FlowEnded: flowEnded,
  FlowParked: withError,
  FlowRetried: asItIs,
  FlowCancelled: ({ type, flow, by }) => ({ type, flow, by }),
  FlowPaused: asItIs,
  FlowResumed: asItIs,
  FlowDismissed: asItIs,
  SignalReceived: ({ type, flow, signal, data, by }) => ({ type, flow, signal, data: jsonOf(data), by }),
  SignalTaken: inside,
  NodeStarted: ({ type, party, app, appVersion, reason }) => ({ type, party, app, appVersion, reason }),
  NodeStopped: asItIs,
  DrainingStarted: asItIs,
  DrainingEnded: asItIs,
  NetworkMapChanged: inside,
  NetworkMapAccepted: inside,
  NetworkJoined: inside,
  KeyChanged: inside,
  LeaseRenewed: inside,
  TokenIssued: inside,
  TokenRevoked: inside,
  CheckpointReceived: inside,
  RestoreAccepted: inside,
  StateReassessed: inside,
  StatesLocked: inside,
  StatesUnlocked: inside,
  KeysReserved: inside,
  TransactionSigned: inside,
  TransactionNotarised: inside,
  SessionOpened: inside,
  MessageSent: inside,
  MessageReceived: inside,
  MessageAcknowledged: inside,
}

/** What of an event is public; undefined when nothing is. */
export const publicEventOf = (event: DomainEvent): PublicEventBody | undefined => {
  const publish = publications[event.type] as (event: DomainEvent) => PublicEventBody | undefined
  return publish(event)
}

/** The names of all public events, in the order in which they are documented. */
export const publicEventTypes: readonly PublicEventType[] = [
  'TransactionRecorded',
  'ActivityMoved',
  'ActivityRemoved',
  'ActivityMissed',
  'ActivityStartFailed',
  'ActivityParked',
  'ActivityPaused',
  'ActivityResumed',
  'ActivityTriggered',
  'ActivityRetried',
  'ActivityDismissed',
  'FlowStarted',
  'FlowProgressed',
  'FlowParked',
  'FlowRetried',
  'FlowCancelled',
  'FlowPaused',
  'FlowResumed',
  'FlowDismissed',
  'SignalReceived',
  'FlowEnded',
  'NodeStarted',
  'NodeStopped',
  'DrainingStarted',
  'DrainingEnded',
]
