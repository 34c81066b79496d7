/**
 * Folds recorded transactions into the vault: consumption first, then production, so that a state's activity
 * leaves the agenda before its successor's enters it.
 */
import { assertInvariant } from '../errors/CarillonError.js'
import type { FoldableTransaction } from '../log/FoldableEvent.js'
import type { NodeFacts } from '../storage/NodeFacts.js'
import type { ClockSteps } from './ClockSteps.js'
import type { Kinds } from './Kinds.js'
import type { SoftLocks } from './SoftLocks.js'
import type { StateIndex } from './StateIndex.js'
import type { Standing, StateRow } from './StateRow.js'
import type { StateTable } from './StateTable.js'
import type { TransactionTable } from './TransactionTable.js'
import type { AssessmentParts, TransactionParts } from './TransactionParts.js'

export type VaultTables = {
  readonly facts: NodeFacts
  readonly kinds: Kinds
  readonly transactions: TransactionTable
  readonly states: StateTable
  readonly stateIndex: StateIndex
  readonly clockSteps: ClockSteps
  readonly softLocks: SoftLocks
}

/** How an activity stands right after its state was assessed. */
const standingOf = (assessment: AssessmentParts): Standing | null => {
  if (assessment.failure !== null) return 'parked'
  return assessment.activity === null ? null : 'scheduled'
}

/** Puts what app code said into a row; an assessment replaces whatever was scheduled before. */
export const applyAssessment = (row: StateRow, assessment: AssessmentParts): void => {
  row.relevant = assessment.relevant
  row.participants = assessment.participants
  row.key = assessment.key
  row.standing = standingOf(assessment)
  row.activity = assessment.activity
  row.dueMs = assessment.dueMs
  row.actsAtMs = assessment.actsAtMs
  row.error = assessment.failure
}

export const foldTransaction = (
  tables: VaultTables,
  event: FoldableTransaction,
  parts: TransactionParts,
  revision: number,
  tick: number,
  atMs: number,
): void => {
  const { kinds, transactions, states, stateIndex, softLocks } = tables
  const me = tables.facts.now.partyKey
  tables.clockSteps.observe(transactions.nextSeq, atMs)
  const transaction = transactions.insert({
    seq: transactions.nextSeq,
    id: event.id,
    revision,
    tick,
    atMs,
    firstState: states.nextSeq,
    outputs: parts.outputs.length,
    notary: parts.notary === me ? null : parts.notary,
  })
  for (const ref of parts.inputs) {
    const row = states.find(ref)
    // A transaction of another party may consume states this node never held.
    if (row === undefined) continue
    assertInvariant(row.untilRevision === null, `state ${ref.transaction}:${ref.index} is consumed twice`)
    row.untilRevision = revision
    row.consumedBy = transaction.seq
    row.standing = null
    row.actsAtMs = null
    states.progress(row)
    stateIndex.consume(row, me)
    softLocks.consume(row.seq)
  }
  parts.outputs.forEach(({ type, version, contract, text, assessment }, index) => {
    const row: StateRow = {
      seq: states.nextSeq,
      transactionSeq: transaction.seq,
      ref: { transaction: event.id, index },
      kind: kinds.of({ type, version, contract }),
      notary: transaction.notary,
      text,
      relevant: assessment.relevant,
      participants: assessment.participants,
      key: assessment.key,
      fromRevision: revision,
      untilRevision: null,
      consumedBy: null,
      standing: standingOf(assessment),
      dueMs: assessment.dueMs,
      actsAtMs: assessment.actsAtMs,
      activity: assessment.activity,
      attempt: 0,
      error: assessment.failure,
      note: null,
      cause: null,
      decoded: undefined,
    }
    states.insert(row)
    stateIndex.insert(row, assessment.indexed, me)
  })
}
