/**
 * Asks the app again about states that are recorded already, for an app whose newer version says something
 * else. A bounded series of decisions: so many a tick, each recorded only where the answer has changed.
 */
import { canonicalText } from '../encoding/canonical.js'
import type { Decision } from '../decision/Decision.js'
import { readState } from '../vault/readState.js'
import { assess } from './assess.js'

const statesPerTick = 500

export type Reassessed = { readonly asked: number; readonly changed: number; readonly next: number | undefined }

/** Reassesses the unconsumed states of one type after a sequence number; `next` is where to go on. */
export const reassess = (decision: Decision, type: string, afterSeq: number): Reassessed => {
  const definition = decision.registry.requireState(type)
  const rows = decision.views.states.unconsumedAfter(type, afterSeq, statesPerTick)
  let changed = 0
  let asked = 0
  let lastSeq = afterSeq
  for (const row of rows) {
    if (decision.isFull()) break
    asked += 1
    lastSeq = row.seq
    // A flow that is under way settles the matter itself; a paused activity keeps the operator's word.
    if (row.standing === 'started' || row.standing === 'paused') continue
    const { assessment, parts } = assess(decision, definition, readState(definition, row), row.ref)
    const same =
      parts.activity === row.activity &&
      parts.relevant === row.relevant &&
      parts.participants === row.participants &&
      parts.key === row.key &&
      (parts.failure === null) === (row.error === null)
    if (same) continue
    changed += 1
    decision.emit({
      type: 'StateReassessed',
      ref: row.ref,
      assessment: JSON.parse(canonicalText(assessment)) as typeof assessment,
    })
  }
  return { asked, changed, next: asked < rows.length || rows.length === statesPerTick ? lastSeq : undefined }
}
