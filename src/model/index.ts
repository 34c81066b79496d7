/**
 * The rules of Carillon once more, in plain maps and lists: the executable specification. It has no cache, no SQL and no
 * app code. It folds a log, and it predicts what the next tick must do. The simulator compares every node with it.
 *
 * Read it in this order:
 *
 *  1. LoggedTick: what is given.
 *  2. ModelState, ModelActivity, ModelAttempt, ModelFlow, Model: what a node knows.
 *  3. applyTransaction, applyActivity, applyFlow, applyEvent: how an event changes that. This is the fold.
 *  4. agenda: what waits, and in which order.
 *  5. predictAttempt: what an attempt at an occurrence must be.
 *  6. refuseTransaction, refuseActivity, refuseFlow, refuseEvent: what must not happen.
 *  7. TickPrediction: what a tick must do, and how much of it where a bound applies.
 *  8. checkAttempt, checkTick: a recorded tick, compared with all of this.
 */
export type { LoggedTick, EventPlace } from './LoggedTick.js'
export type { ModelState } from './ModelState.js'
export type { ModelActivity, ModelStanding } from './ModelActivity.js'
export type { ModelAttempt, ModelCause, ModelOutcome } from './ModelAttempt.js'
export type { ModelFlow } from './ModelFlow.js'
export { emptyModel, type Model, type ModelLimits, type ModelNode, type ModelSession } from './Model.js'
export { applyEvent } from './applyEvent.js'
export { agendaOf, nextInstantOf } from './agenda.js'
export { predictAttempt, predictedFlowId, type PredictedAttempt } from './predictAttempt.js'
export { refuseEvent } from './refuseEvent.js'
export { predictTick, type PredictionExtent, type TickExtents, type TickPrediction } from './TickPrediction.js'
export { compareValues, type ModelFinding } from './ModelFinding.js'
export { checkTick } from './checkTick.js'
