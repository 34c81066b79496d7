/**
 * A flow takes turns with others: it stops where it has had enough of a tick, and goes on in the next one.
 */
import type { ActiveTick } from './ActiveTick.js'
import type { AnyOperationDefinition } from '../app/Operation.js'

/** Whether an operation must wait for the next tick, after so many operations that take about so many bytes in the record. */
export const turnIsOver = (
  tick: ActiveTick,
  operations: number,
  bytes: number,
  { statesFacts, readsLog }: AnyOperationDefinition,
): boolean =>
  operations >= tick.limits.engine.operationsPerTurn ||
  bytes > tick.limits.engine.turnBytes ||
  (operations > 0 && statesFacts && tick.isFull()) ||
  (readsLog && tick.hasRecorded())
