/**
 * Wakes the flows that wait for what was just recorded. Where no flow waits for anything of the kind, nothing is looked up.
 */
import type { FoldableTransaction } from '../log/FoldableEvent.js'
import type { EventOf } from '../log/events.js'
import { assessmentParts, type AssessmentParts, type TransactionParts } from '../vault/TransactionParts.js'
import type { VaultRead } from '../vault/VaultTables.js'
import type { FlowTables } from './FlowTables.js'
import { readySinceMs } from './waiting.js'
import { keyOfConsumption, keyOfFields, keyOfStateKey, keyOfTransaction, stateTopic, type WaitKey } from './WaitKey.js'

/** Makes the flows that wait under a key ready at once. One that is paused or parked looks for itself when it goes on. */
export const wakeAt = ({ flows, waits }: FlowTables, key: WaitKey, atMs: number): void => {
  for (const seq of waits.flowsAt(key)) {
    const row = flows.get(seq)
    if (row.status !== 'running') continue
    row.wakeMs = readySinceMs(row.wakeMs, atMs)
    flows.touch(row)
  }
}

const wakeForState = (tables: FlowTables, type: string, assessment: AssessmentParts, atMs: number): void => {
  if (!assessment.relevant) return
  for (const fields of tables.waits.fieldsOf(stateTopic(type))) {
    const { key, indexed } = assessment
    const found =
      fields === '' ? (key === null ? undefined : keyOfStateKey(type, key)) : keyOfFields(type, fields, indexed ?? {})
    if (found !== undefined) wakeAt(tables, found, atMs)
  }
}

/** After a transaction was recorded: for its own sake, for what it has consumed, and for what it has produced. */
export const wakeForTransaction = (
  tables: FlowTables,
  { id }: FoldableTransaction,
  { inputs, outputs }: TransactionParts,
  atMs: number,
): void => {
  if (tables.waits.isEmpty) return
  wakeAt(tables, keyOfTransaction(id), atMs)
  for (const ref of inputs) wakeAt(tables, keyOfConsumption(ref), atMs)
  for (const { type, assessment } of outputs) wakeForState(tables, type, assessment, atMs)
}

/** After an app has said something new about a state, which may be what a flow waits for. */
export const wakeForReassessed = (
  tables: FlowTables & Pick<VaultRead, 'states'>,
  { ref, assessment }: EventOf<'StateReassessed'>,
  atMs: number,
): void => {
  if (tables.waits.isEmpty) return
  const row = tables.states.find(ref)
  if (row?.untilRevision === null) wakeForState(tables, row.kind.type, assessmentParts(assessment), atMs)
}
