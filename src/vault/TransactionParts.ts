/**
 * A recorded transaction as the fold needs it: refs to consume, rows to insert. A transaction made in this
 * tick brings its parts along; one read from the log has them taken out of the decoded event. Both are equal.
 */
import { canonicalText, Encoded } from '../encoding/canonical.js'
import { assertInvariant } from '../errors/CarillonError.js'
import type { PublicKey } from '../identity/PublicKey.js'
import { EncodedBody } from '../ledger/EncodedBody.js'
import { activityText } from '../ledger/EncodedActivity.js'
import type { IndexedValues } from '../ledger/IndexedValue.js'
import type { StateRef } from '../ledger/StateRef.js'
import { notaryOfOutputs } from '../ledger/Transaction.js'
import type { FoldableAssessment, FoldableTransaction } from '../log/FoldableEvent.js'
import { toMillis } from '../time/Instant.js'

/** An assessment in the form of view columns. */
export type AssessmentParts = {
  readonly relevant: boolean
  readonly participants: string
  readonly key: string | null
  readonly indexed: IndexedValues | null
  /** Canonical text of the activity. */
  readonly activity: string | null
  readonly dueMs: number | null
  readonly actsAtMs: number | null
  /** Canonical text of the error that parks it. */
  readonly failure: string | null
}

export type OutputParts = {
  readonly type: string
  readonly version: number
  readonly contract: { readonly name: string; readonly version: number }
  /** Canonical text of the data. */
  readonly text: string
  readonly assessment: AssessmentParts
}

export type TransactionParts = {
  readonly inputs: readonly StateRef[]
  /** The notary its outputs stand under. */
  readonly notary: PublicKey
  readonly outputs: readonly OutputParts[]
}

export const assessmentParts = (assessment: FoldableAssessment): AssessmentParts => {
  const { activity, actsAt, failure } = assessment
  return {
    relevant: assessment.relevant,
    participants: assessment.participants.join(' '),
    key: assessment.key ?? null,
    indexed: assessment.indexed ?? null,
    activity: activity === undefined ? null : activityText(activity),
    dueMs: activity === undefined ? null : toMillis(activity.at),
    actsAtMs: activity === undefined ? null : toMillis(actsAt ?? activity.at),
    failure: failure === undefined ? null : canonicalText(failure),
  }
}

const assessmentOf = ({ id, assessments }: FoldableTransaction, index: number): AssessmentParts => {
  const assessment = assessments[index]
  assertInvariant(assessment !== undefined, `output ${index} of transaction ${id} was not assessed`)
  return assessmentParts(assessment)
}

/** The parts of a transaction: one that was made in this tick has them as text, any other has them decoded. */
export const partsOf = (event: FoldableTransaction): TransactionParts => {
  const { body } = event
  if (body instanceof EncodedBody) {
    const { inputs, notary, outputs } = body
    return {
      inputs,
      notary,
      outputs: outputs.map(({ type, version, contract, text }, index) => ({
        type,
        version,
        contract,
        text,
        assessment: assessmentOf(event, index),
      })),
    }
  }
  assertInvariant(!(body instanceof Encoded), `the body of transaction ${event.id} is text that was not decoded`)
  return {
    inputs: body.inputs,
    notary: notaryOfOutputs(body).key,
    outputs: body.outputs.map((output, index) => ({
      type: output.type,
      version: output.version,
      contract: output.contract,
      text: canonicalText(output.data),
      assessment: assessmentOf(event, index),
    })),
  }
}
