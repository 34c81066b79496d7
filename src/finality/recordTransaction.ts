/**
 * Recording a transaction, made here or received: each output is assessed, and all of it is one fact. Whoever calls this
 * has checked the transaction before, and settled whose keys are whose.
 */
import type { PublicKey } from '../identity/PublicKey.js'
import { assess, type AssessmentReads } from '../ledger/assess.js'
import type { Assessment } from '../ledger/Assessment.js'
import type { EncodedBody } from '../ledger/EncodedBody.js'
import type { ResolvedState } from '../ledger/LedgerTransaction.js'
import type { TransactionSignature } from '../ledger/signatures.js'
import type { StateRef } from '../ledger/StateRef.js'
import type { TransactionId } from '../ledger/TransactionId.js'
import type { EventOf } from '../log/events.js'
import type { FlowId } from '../log/FlowId.js'
import type { KeyUse } from '../vault/checkKeys.js'

/** What a transaction produces, decoded. */
type ProducedState = Pick<ResolvedState, 'definition' | 'data' | 'ref'>

export type TransactionToRecord = {
  readonly id: TransactionId
  readonly body: EncodedBody
  readonly outputs: readonly Pick<ProducedState, 'ref'>[]
  /** What is recorded about each output. */
  readonly assessments: readonly Assessment[]
  /** Signatures gathered from the parties; without them it is covered by the signature of its tick. */
  readonly signatures?: readonly TransactionSignature[]
  /** Whether it is recorded only because another one builds on it. */
  readonly isAncestor?: boolean
}

/** A transaction on the ledger, the refs of what it produced, and the facts that put it there. */
export type Recorded = {
  readonly kind: 'recorded'
  readonly id: TransactionId
  readonly outputs: readonly StateRef[]
  /** None when it was recorded before. */
  readonly events: readonly EventOf<'TransactionRecorded' | 'StateReassessed'>[]
}

/** What the app says about the outputs of a transaction. */
export const assessOutputs = (
  reads: AssessmentReads,
  outputs: readonly ProducedState[],
  participants?: readonly (readonly PublicKey[])[],
): readonly Assessment[] =>
  outputs.map(({ definition, data, ref }, index) => assess(reads, definition, data, ref, participants?.[index]))

/** A transaction as far as keys are concerned. */
export const keyUseOf = (
  inputs: readonly StateRef[],
  outputs: readonly ProducedState[],
  assessments: readonly Assessment[],
): KeyUse => ({ inputs, types: outputs.map(({ definition }) => definition.type), assessments })

export const recordTransaction = (
  { id, body, outputs, assessments, signatures, isAncestor = false }: TransactionToRecord,
  flow: FlowId | undefined,
): Recorded => {
  const type = 'TransactionRecorded' as const
  const made = flow === undefined ? { type, id, body, assessments } : { type, id, body, assessments, flow }
  const recorded = isAncestor ? { ...made, ancestor: true as const } : made
  return {
    kind: 'recorded',
    id,
    outputs: outputs.map(({ ref }) => ref),
    events: [signatures === undefined ? recorded : { ...recorded, signatures }],
  }
}
