/**
 * Asks the app again about states that are recorded already, for an app whose newer version says something
 * else. A bounded series of decisions: so many a tick, each recorded only where the answer has changed.
 */
import { canonicalText } from '../encoding/canonical.js'
import type { Decision } from '../decision/Decision.js'
import { concernsNode } from '../errors/CarillonError.js'
import { PublicKeyC } from '../identity/PublicKey.js'
import type { AnyStateDefinition } from '../ledger/StateDefinition.js'
import type { Assessment } from '../log/events.js'
import { sameIndexed } from '../ledger/IndexedValue.js'
import { readState } from '../vault/readState.js'
import type { ActivityRow } from './ActivityRow.js'
import { assess, knownOf, unanswered, type Assessed } from './assess.js'

const statesPerTick = 500

export type Reassessed = { readonly asked: number; readonly changed: number; readonly next: number | undefined }

/** A state that the app can no longer read, or that throws, is parked; the others are asked all the same. */
const assessAgain = (decision: Decision, definition: AnyStateDefinition, row: ActivityRow): Assessed => {
  try {
    return assess(decision, definition, readState(definition, row), row.ref)
  } catch (error) {
    if (concernsNode(error)) throw error
    const participants = row.participants.split(' ').filter(PublicKeyC.is)
    const { relevant, key } = row
    const indexed = decision.views.stateIndex.valuesOf(row)
    return unanswered(definition, knownOf({ relevant, participants, key: key ?? undefined, indexed }), error)
  }
}

/** States what was said; what is too large to be recorded parks this one state, and the others are asked all the same. */
const record = (decision: Decision, definition: AnyStateDefinition, row: ActivityRow, assessment: Assessment): void => {
  const plain = (said: Assessment): Assessment => JSON.parse(canonicalText(said)) as Assessment
  try {
    decision.emit({ type: 'StateReassessed', ref: row.ref, assessment: plain(assessment) })
  } catch (error) {
    if (concernsNode(error)) throw error
    const { assessment: known } = unanswered(definition, knownOf(assessment), error)
    decision.emit({ type: 'StateReassessed', ref: row.ref, assessment: plain(known) })
  }
}

/** Reassesses the unconsumed states of one type after a sequence number; `next` is where to go on. */
export const reassess = (decision: Decision, type: string, afterSeq: number): Reassessed => {
  const definition = decision.registry.requireState(type)
  const rows = decision.views.activities.unconsumedAfter(type, afterSeq, statesPerTick)
  let changed = 0
  let asked = 0
  let lastSeq = afterSeq
  for (const row of rows) {
    if (decision.isFull()) break
    asked += 1
    lastSeq = row.seq
    // A flow that is under way settles the matter itself; a paused activity keeps the operator's word.
    if (row.standing === 'started' || row.standing === 'paused') continue
    const { assessment, parts } = assessAgain(decision, definition, row)
    // What was closed stays closed, also when it could not answer.
    if (row.standing === 'closed' && parts.failure !== null) continue
    const same =
      parts.activity === row.activity &&
      parts.relevant === row.relevant &&
      parts.participants === row.participants &&
      parts.key === row.key &&
      sameIndexed(parts.indexed, decision.views.stateIndex.valuesOf(row)) &&
      (parts.failure === null) === (row.error === null) &&
      // An untouched activity is also to be done when it is this party's turn; others have an instant of their own.
      (row.standing !== 'scheduled' || row.attempt > 0 || row.cause !== null || parts.actsAtMs === row.actsAtMs)
    if (same) continue
    changed += 1
    record(decision, definition, row, assessment)
  }
  return { asked, changed, next: asked < rows.length || rows.length === statesPerTick ? lastSeq : undefined }
}
