/**
 * Carries out what is decided about due activities: flows are started, facts recorded, and what was moved to an instant
 * that has come too is decided again.
 */
import { decideDue, decideFailedStart } from '../agenda/decideDue.js'
import { concernsNode, recordError } from '../errors/CarillonError.js'
import type { StartCause } from '../flow/FlowRow.js'
import { showRef } from '../ledger/StateRef.js'
import { toMillis } from '../time/Instant.js'
import type { ActivityRow } from '../agenda/ActivityRow.js'
import type { ActiveTick } from './ActiveTick.js'
import type { FlowEngine } from './FlowEngine.js'

/** Decides about one activity, as often as it is moved, and carries it out. A start that fails is an outcome too. */
const decideAndRun = (
  tick: ActiveTick,
  engine: FlowEngine,
  row: ActivityRow,
  cause: StartCause,
  justMoved: boolean,
): void => {
  const { ref, seq, dueMs, attempt } = row
  const decided = decideDue(tick, row, cause, justMoved || tick.moves.has(seq))
  try {
    if (decided.kind === 'start') engine.start(tick, decided.start)
    else tick.emit(decided.event)
  } catch (error) {
    if (concernsNode(error)) throw error
    tick.emit(decideFailedStart(tick, { ref, seq, dueMs, attempt }, recordError(error, 'activity-threw')))
    return
  }
  if (
    decided.kind !== 'start' &&
    decided.event.type === 'ActivityMoved' &&
    toMillis(decided.event.activity.at) !== dueMs
  )
    tick.release(() => tick.moves.add(seq))
  if (decided.kind === 'moved') decideAndRun(tick, engine, tick.views.activities.get(seq), cause, true)
}

/** Decides about one activity and carries it out. What never came back when it was started is parked. */
export const runActivity = (tick: ActiveTick, engine: FlowEngine, row: ActivityRow, cause: StartCause): void => {
  const id = showRef(row.ref)
  const refusal = engine.code.refusal(id, row.kind.type)
  if (refusal === undefined) {
    engine.code.run(id, row.kind.type, () => {
      decideAndRun(tick, engine, row, cause, false)
    })
    return
  }
  tick.emit(decideFailedStart(tick, row, recordError(refusal, 'code-not-returning')))
  tick.release(() => {
    engine.code.forget(id)
  })
}

/** Everything that is due, in order, as far as this tick has room for it. */
export const runDue = (tick: ActiveTick, engine: FlowEngine): void => {
  const { activitiesPerTick, dueAtATime } = tick.limits.engine
  for (let left = activitiesPerTick; left > 0;) {
    const rows = tick.views.activities.due(tick.nowMs, Math.min(left, dueAtATime))
    if (rows.length === 0) return
    left -= rows.length
    for (const row of rows) {
      if (tick.isFull()) return
      // A flow started just before may have consumed it.
      if (row.actsAtMs === null || row.actsAtMs > tick.nowMs) continue
      runActivity(tick, engine, row, row.cause ?? 'due')
    }
  }
}
