/**
 * Recording a transaction, made here or received: each output is assessed, and all of it is one fact. Whoever calls this
 * has checked the transaction before.
 */
import type { PublicKey } from '../identity/PublicKey.js'
import { assess, type AssessmentReads } from '../ledger/assess.js'
import type { EncodedBody } from '../ledger/EncodedBody.js'
import type { ResolvedState } from '../ledger/LedgerTransaction.js'
import type { TransactionSignature } from '../ledger/signatures.js'
import type { StateRef } from '../ledger/StateRef.js'
import type { TransactionId } from '../ledger/TransactionId.js'
import type { EventOf } from '../log/events.js'
import type { FlowId } from '../log/FlowId.js'

export type TransactionToRecord = {
  readonly id: TransactionId
  readonly body: EncodedBody
  /** What it produces, decoded. */
  readonly outputs: readonly Pick<ResolvedState, 'definition' | 'data' | 'ref'>[]
  /** The participants of each output, where they are known already. */
  readonly participants?: readonly (readonly PublicKey[])[]
  /** Signatures gathered from the parties; without them it is covered by the signature of its tick. */
  readonly signatures?: readonly TransactionSignature[]
}

/** A transaction on the ledger, the refs of what it produced, and the facts that put it there. */
export type Recorded = {
  readonly kind: 'recorded'
  readonly id: TransactionId
  readonly outputs: readonly StateRef[]
  /** None when it was recorded before. */
  readonly events: readonly EventOf<'TransactionRecorded'>[]
}

export const recordTransaction = (
  reads: AssessmentReads,
  { id, body, outputs, participants, signatures }: TransactionToRecord,
  flow: FlowId | undefined,
): Recorded => {
  const type = 'TransactionRecorded' as const
  const assessments = outputs.map(({ definition, data, ref }, index) =>
    assess(reads, definition, data, ref, participants?.[index]),
  )
  const recorded = flow === undefined ? { type, id, body, assessments } : { type, id, body, assessments, flow }
  return {
    kind: 'recorded',
    id,
    outputs: outputs.map(({ ref }) => ref),
    events: [signatures === undefined ? recorded : { ...recorded, signatures }],
  }
}
