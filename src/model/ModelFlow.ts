/**
 * One flow. A flow that has not ended is running, or held; while it runs it says what it waits for, and nothing moves it
 * before that has come.
 */
import type { EventOf, FlowOrigin, FlowOutcome, RecordedOperation, Waiting } from '../log/events.js'
import type { Assessment } from '../ledger/Assessment.js'
import type { IndexedValue } from '../ledger/IndexedValue.js'
import { showRef } from '../ledger/StateRef.js'
import type { TransactionBody } from '../ledger/Transaction.js'
import { instantFromMillis, latestInstantMs, type Instant } from '../time/Instant.js'
import type { EventPlace } from './LoggedTick.js'
import type { ModelError } from './ModelAttempt.js'

/** One flow. */
export type ModelFlow = {
  readonly id: string
  /** Its number among all flows of the log. */
  readonly place: number
  readonly name: string
  readonly version: number
  /** Canonical text of its input. */
  readonly input: string
  readonly origin: FlowOrigin
  readonly startedAt: Instant
  readonly status: 'running' | 'paused' | 'parked' | FlowOutcome | 'refused'
  /** What it waits for; empty while it moves within a tick, and after its end. */
  readonly waits: readonly Waiting[]
  /** When it is to be woken. Undefined: something else must happen first. */
  readonly wakeAt: Instant | undefined
  /** What it has recorded so far. */
  readonly record: readonly RecordedOperation[]
  /** Whether a step is in its record that has begun: its effect outside is there, whatever becomes of the flow. */
  readonly begunStep: boolean
  /** Whether it has ended in a way that an operator has to look at, and none has. */
  readonly attention: boolean
  readonly progress: string | undefined
  readonly ended: EventPlace | undefined
  readonly result: unknown
  /** What it refused with: its end says that it completed, and has this in place of a result. */
  readonly refusal: unknown
  readonly error: ModelError | undefined
}

/** What a flow waits for after it has advanced: what the event says, and where it names parts that wait no more, the rest. */
export const waitsIn = (before: readonly Waiting[], event: EventOf<'FlowAdvanced'>): readonly Waiting[] => [
  ...cancelIn(before, event),
  ...ownWaitsIn(before, event),
]

/** A flow that is being cancelled stays so until its end. */
const cancelIn = (before: readonly Waiting[], { operations }: EventOf<'FlowAdvanced'>): readonly Waiting[] =>
  before.flatMap((wait): readonly Waiting[] => {
    if (wait.for !== 'cancel') return []
    return operations.some(({ kind }) => kind === 'cancelled') ? [{ ...wait, thrown: true }] : [wait]
  })

const ownWaitsIn = (before: readonly Waiting[], { waiting, over }: EventOf<'FlowAdvanced'>): readonly Waiting[] => {
  if (over === undefined) return waiting
  const goesOn = ({ for: kind, part = '' }: Waiting): boolean =>
    kind !== 'turn' && kind !== 'cancel' && !over.includes(part) && !waiting.some((fresh) => fresh.part === part)
  return [...waiting, ...before.filter(goesOn)]
}

/** Whether a recorded operation is a step that has begun. One whose flow could not hold its state has not. */
export const isBegunStep = ({ kind, error }: RecordedOperation): boolean =>
  kind === 'step' && error?.code !== 'state-locked' && error?.code !== 'state-consumed'

/** When a wait is over by itself. A turn is over at once; a step must end first, and what is waited for must come. */
const endOfWait = (wait: Waiting, at: Instant): Instant | undefined => {
  switch (wait.for) {
    case 'step':
      return wait.retryAt
    case 'turn':
      return wait.retryAt ?? at
    case 'cancel':
      return wait.thrown === true ? wait.until : at
    default:
      return wait.until
  }
}

/** When a flow with these waits is woken: when the first of them is over. */
export const wakeOf = (waits: readonly Waiting[], at: Instant): Instant | undefined =>
  waits.flatMap((wait) => endOfWait(wait, at) ?? []).sort()[0]

/** The flow, made ready at an instant. One that is ready already keeps its place before those that became so later. */
export const readied = (flow: ModelFlow, at: Instant): ModelFlow => ({
  ...flow,
  wakeAt: flow.wakeAt === undefined || at < flow.wakeAt ? at : flow.wakeAt,
})

/** Whether a running flow is to be woken because something has come, and not because an instant is to be reached. */
export const mayGoOn = ({ status, waits, wakeAt }: ModelFlow): boolean => {
  if (status !== 'running' || wakeAt === undefined) return false
  const end = wakeOf(waits, instantFromMillis(latestInstantMs))
  return end === undefined || wakeAt < end
}

/** Whether the flow waits for a step that is running. A finished step is an input, so it may come at any time. */
export const waitsForStep = ({ waits }: ModelFlow): boolean =>
  waits.some((wait) => wait.for === 'step' && wait.retryAt === undefined)

/** Whether the flow waits for this message. */
export const waitsForMessage = ({ waits }: ModelFlow, { session, role, seq }: EventOf<'MessageReceived'>): boolean =>
  waits.some((wait) => wait.for === 'message' && wait.session === session && wait.role === role && wait.seq === seq)

/** Whether something other than time can end one of the waits: it may have come while the flow was held. */
export const waitsForMore = (waits: readonly Waiting[]): boolean =>
  waits.some(
    (wait) =>
      wait.for !== 'instant' &&
      wait.for !== 'turn' &&
      wait.for !== 'cancel' &&
      !(wait.for === 'step' && wait.retryAt !== undefined),
  )

/** The index does not tell true from 1, nor false from 0. */
const sameValue = (a: IndexedValue | undefined, b: IndexedValue): boolean =>
  (typeof a === 'boolean' ? Number(a) : a) === (typeof b === 'boolean' ? Number(b) : b)

/** Whether a state is what a wait is for. Only unconsumed states that concern this party are. */
export const isWanted = (
  wait: Waiting,
  type: string,
  {
    relevant,
    key,
    indexed = {},
  }: { readonly relevant: boolean } & { readonly [K in 'key' | 'indexed']?: Assessment[K] | undefined },
): boolean => {
  if (wait.for !== 'state' || wait.type !== type || !relevant) return false
  if (wait.key !== undefined) return wait.key === key
  return Object.entries(wait.where ?? {}).every(([name, value]) => sameValue(indexed[name], value))
}

/** Whether a recorded transaction ends one of the waits: as itself, by what it consumes, or by what it produces. */
export const waitsForTransaction = (
  { waits }: ModelFlow,
  { id, assessments }: EventOf<'TransactionRecorded'>,
  { inputs, outputs }: TransactionBody,
): boolean =>
  waits.some((wait) => {
    if (wait.for === 'transaction') return wait.transaction === id
    if (wait.for === 'consumption') return inputs.some((ref) => showRef(ref) === showRef(wait.ref))
    return outputs.some(({ type }, index) => {
      const assessment = assessments[index]
      return assessment !== undefined && isWanted(wait, type, assessment)
    })
  })

/** Whether a state that was assessed anew is one that the flow waits for. */
export const waitsForState = ({ waits }: ModelFlow, type: string, assessment: Assessment): boolean =>
  waits.some((wait) => isWanted(wait, type, assessment))

/** Whether the flow waits for a signal of this name. */
export const waitsForSignal = ({ waits }: ModelFlow, name: string): boolean =>
  waits.some((wait) => wait.for === 'signal' && wait.signal === name)

/** Whether the flow waits for the end of another. */
export const waitsForFlow = ({ waits }: ModelFlow, id: string): boolean =>
  waits.some((wait) => wait.for === 'flow' && wait.flow === id)
