/**
 * Asks the app again about the states of one type: so many a tick, and each answer recorded where it has changed.
 */
import { reassess } from '../agenda/reassess.js'
import { concernsNode } from '../errors/CarillonError.js'
import { showRef } from '../ledger/StateRef.js'
import type { ActiveTick } from './ActiveTick.js'
import type { WatchedCode } from './CodeWatch.js'

export type Reassessed = { readonly asked: number; readonly changed: number; readonly next: number | undefined }

/** Reassesses the unconsumed states of one type after a sequence number; `next` is where to go on. */
export const reassessStates = (tick: ActiveTick, code: WatchedCode, type: string, afterSeq: number): Reassessed => {
  const definition = tick.registry.requireState(type)
  const statesPerTick = tick.limits.engine.reassessedPerTick
  const rows = tick.views.activities.unconsumedAfter(type, afterSeq, statesPerTick)
  let changed = 0
  let asked = 0
  let lastSeq = afterSeq
  for (const row of rows) {
    if (tick.isFull()) break
    asked += 1
    lastSeq = row.seq
    const reassessment = code.run(showRef(row.ref), type, () => reassess(tick, definition, row))
    if (reassessment === undefined) continue
    changed += 1
    try {
      tick.emit(reassessment.event)
    } catch (error) {
      if (concernsNode(error)) throw error
      tick.emit(reassessment.otherwise(error))
    }
  }
  return { asked, changed, next: asked < rows.length || rows.length === statesPerTick ? lastSeq : undefined }
}
