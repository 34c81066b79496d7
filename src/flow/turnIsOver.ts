/**
 * A flow takes turns with others: it stops where it has had enough of a tick, and goes on in the next one.
 */
import type { Decision } from '../decision/Decision.js'
import { limits } from '../limits.js'
import type { Operation } from './Operation.js'

/** Operations that state facts of their own, which may be large: in a full tick they wait for the next. */
const statesFacts: ReadonlySet<Operation['kind']> = new Set([
  'changeNotary',
  'finalise',
  'kill',
  'lock',
  'record',
  'takeHistory',
  'vend',
  'send',
  'initiate',
  'close',
  'notarise',
])

/** Operations that read transactions back from the log: those of the very tick are not there yet. */
const readsLog: ReadonlySet<Operation['kind']> = new Set(['walk', 'vend'])

export type Turn = {
  /** How many operations it has had in this tick. */
  readonly operations: number
  /** About how many bytes they will take in the record. */
  readonly weight: number
}

/** Whether an operation must wait for the next tick. */
export const turnIsOver = (decision: Decision, { operations, weight }: Turn, { kind }: Operation): boolean =>
  operations >= limits.operationsPerTurn ||
  weight > limits.turnBytes ||
  (operations > 0 && statesFacts.has(kind) && decision.isFull()) ||
  (readsLog.has(kind) && decision.hasRecorded())
