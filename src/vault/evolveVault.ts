/**
 * Writes what events say about states: consumption first, then production, so that a state's activity leaves the agenda
 * before its successor's enters it. Locks end with their flow, or with the state.
 */
import { assertInvariant } from '../errors/CarillonError.js'
import { showRef, type StateRef } from '../ledger/StateRef.js'
import type { EventOf } from '../log/events.js'
import type { FlowId } from '../log/FlowId.js'
import type { FoldableTransaction } from '../log/FoldableEvent.js'
import type { NodeRead } from '../log/NodeTables.js'
import { assessmentParts, type TransactionParts } from './TransactionParts.js'
import type { StateDraft } from './StateRow.js'
import type { VaultTables } from './VaultTables.js'

/** The tables of the vault, and whose vault it is. */
export type VaultEvolution = VaultTables & Pick<NodeRead, 'facts'>

export type VaultEvent = EventOf<
  'StateReassessed' | 'StatesLocked' | 'StatesUnlocked' | 'KeysReserved' | 'TransactionSigned' | 'FlowEnded'
>

export const evolveTransaction = (
  tables: VaultEvolution,
  event: FoldableTransaction,
  parts: TransactionParts,
  revision: number,
  atMs: number,
): void => {
  const { facts, kinds, transactions, states, stateIndex, softLocks, proposals, clockSteps } = tables
  const { partyKey: me, head } = facts.now
  const seq = transactions.nextSeq
  const notary = parts.notary === me ? null : parts.notary
  if (event.ancestor === true) transactions.markAncestor(seq, true)
  if (event.signatures !== undefined) proposals.settle(event.id)
  clockSteps.observe(seq, atMs)
  transactions.insert({
    seq,
    id: event.id,
    revision,
    tick: head.tick + 1,
    atMs,
    firstState: states.nextSeq,
    outputs: parts.outputs.length,
    notary,
  })
  for (const ref of parts.inputs) {
    const row = states.find(ref)
    // A transaction of another party may consume states this node never held.
    if (row === undefined) continue
    assertInvariant(row.untilRevision === null, `state ${ref.transaction}:${ref.index} is consumed twice`)
    row.untilRevision = revision
    row.consumedBy = seq
    states.progress(row)
    stateIndex.consume(row, me)
    softLocks.consume(row.seq)
  }
  parts.outputs.forEach(({ type, version, contract, text, assessment }, index) => {
    const row = states.insert({
      seq: states.nextSeq,
      transactionSeq: seq,
      ref: { transaction: event.id, index },
      kind: kinds.of({ type, version, contract }),
      notary,
      text,
      relevant: assessment.relevant,
      participants: assessment.participants,
      // A state of others has no key here, whatever a log of an earlier version says.
      key: assessment.relevant ? assessment.key : null,
      fromRevision: revision,
    })
    stateIndex.insert(row, assessment.indexed, me)
  })
}

const rowOf = ({ states }: VaultTables, type: string, ref: StateRef): StateDraft => {
  const row = states.find(ref)
  assertInvariant(row !== undefined, `${type} names the unknown state ${showRef(ref)}`)
  return row
}

const reassess = (tables: VaultEvolution, event: EventOf<'StateReassessed'>, revision: number): void => {
  const { states, stateIndex, transactions, pastAssessments, facts } = tables
  const me = facts.now.partyKey
  const row = rowOf(tables, event.type, event.ref)
  const assessment = assessmentParts(event.assessment)
  pastAssessments.insert(row, revision)
  stateIndex.remove(row, me)
  row.relevant = assessment.relevant
  row.participants = assessment.participants
  row.key = assessment.relevant ? assessment.key : null
  stateIndex.insert(row, assessment.indexed, me)
  states.touch(row)
  if (assessment.relevant) transactions.markAncestor(row.transactionSeq, false)
}

export const evolveVault = (tables: VaultEvolution, event: VaultEvent, revision: number, atMs: number): void => {
  switch (event.type) {
    case 'StateReassessed':
      reassess(tables, event, revision)
      return
    case 'StatesLocked':
      for (const ref of event.refs) tables.softLocks.lock(rowOf(tables, event.type, ref).seq, event.flow as FlowId)
      return
    case 'StatesUnlocked':
      for (const ref of event.refs) tables.softLocks.unlock(rowOf(tables, event.type, ref).seq)
      return
    case 'KeysReserved':
      for (const key of event.keys) tables.proposals.reserve(key, event.flow as FlowId, atMs)
      return
    case 'TransactionSigned':
      tables.proposals.sign(event.id, event.proposal)
      return
    case 'FlowEnded':
      tables.proposals.releaseOf(event.flow as FlowId)
      tables.softLocks.releaseOf(event.flow as FlowId)
      return
  }
}
