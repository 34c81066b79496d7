/**
 * Decides whether a transaction goes on the ledger: resolve, seal, verify, check signers, notarise, assess,
 * record. Everything is checked before the single fact is stated.
 */
import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import { canonicalText, Encoded } from '../encoding/canonical.js'
import { CarillonError } from '../errors/CarillonError.js'
import type { Decision } from '../decision/Decision.js'
import type { FlowId } from '../flow/FlowId.js'
import { LedgerTransaction, type ResolvedState } from '../ledger/LedgerTransaction.js'
import { sameRef, showRef, type StateRef } from '../ledger/StateRef.js'
import { sealDraft, type Transaction } from '../ledger/Transaction.js'
import type { TransactionBuilder } from '../ledger/TransactionBuilder.js'
import { verifyTransaction } from '../ledger/verifyTransaction.js'
import type { Assessment } from '../log/events.js'
import { notarise, type Claim } from '../notary/notarise.js'
import { assess, type Assessed } from '../scheduler/assess.js'
import { resolveState } from './readState.js'
import type { StateRow } from './StateRow.js'
import { assessmentParts, type TransactionParts } from './TransactionParts.js'

const saltBytes = 16

const orThrow = <A>(result: Either<CarillonError, A>): A => {
  if (isLeft(result)) throw result.left
  return result.right
}

const find = (decision: Decision, ref: StateRef): StateRow => {
  const row = decision.views.states.find(ref)
  if (row === undefined)
    throw new CarillonError('state-unknown', `This node holds no state ${showRef(ref)}.`, { ref: showRef(ref) })
  return row
}

const claimOf = (decision: Decision, row: StateRow): Claim => ({
  ref: row.ref,
  consumedBy: row.consumedBy === null ? undefined : decision.views.transactions.get(row.consumedBy)?.id,
})

const outputsOf = (draft: TransactionBuilder, transaction: Transaction): readonly ResolvedState[] =>
  draft.outputs.map(({ definition, data }, index) => ({
    ref: { transaction: transaction.id, index },
    type: definition.type,
    data,
    definition,
    contract: { name: definition.contract.name, version: definition.contract.version },
  }))

const checkSigners = (decision: Decision, draft: TransactionBuilder): void => {
  const others = draft.commands.flatMap(({ signers }) => signers).filter((key) => key !== decision.me.key)
  if (others.length > 0) {
    throw new CarillonError(
      'signature-missing',
      `The transaction needs the signature of ${[...new Set(others)].join(', ')}, which this node cannot give: it holds the key of ${decision.me.name} alone.`,
      { keys: [...new Set(others)] },
    )
  }
}

/** The assessment for the event, with the activity as the text the views hold, so that it is encoded once. */
const forEvent = ({ assessment, parts }: Assessed): Assessment =>
  parts.activity === null
    ? assessment
    : { ...assessment, activity: new Encoded(parts.activity) as unknown as NonNullable<Assessment['activity']> }

/** A key belongs to one unconsumed state of its type; the state that had it before must be consumed along with it. */
const checkKeys = (decision: Decision, draft: TransactionBuilder, assessed: readonly Assessed[]): void => {
  const taken = new Set<string>()
  assessed.forEach(({ parts: { key } }, index) => {
    const type = draft.outputs[index]?.definition.type
    if (key === null || type === undefined) return
    const holder = decision.views.states.withKey(type, key)
    const isFree = holder === undefined || draft.inputs.some((ref) => sameRef(ref, holder.ref))
    if (!isFree || taken.has(`${type} ${key}`)) {
      const who = isFree ? 'another output of the same transaction' : `state ${showRef(holder.ref)}`
      throw new CarillonError(
        'state-key-taken',
        `A new ${type} would be known by "${key}", which is the key of ${who}. Consume that state first, or choose another key.`,
        { type, key },
      )
    }
    taken.add(`${type} ${key}`)
  })
}

export type Recorded = { readonly transaction: Transaction; readonly outputs: readonly StateRef[] }

/** Records what a builder has gathered, or throws the typed error that says why not. */
export const decideTransaction = (
  decision: Decision,
  draft: TransactionBuilder,
  flow: FlowId | undefined,
): Recorded => {
  for (const { definition } of draft.outputs) decision.registry.requireState(definition.type)
  const inputs = draft.inputs.map((ref) => find(decision, ref))
  const references = draft.references.map((ref) => find(decision, ref))
  const notary = draft.chosenNotary ?? decision.me
  if (notary.key !== decision.me.key) {
    throw new CarillonError(
      'transaction-malformed',
      `The transaction names ${notary.name} as its notary; this node is its own notary. Leave the notary out.`,
      { notary: notary.name },
    )
  }
  // Who lost a race should hear that, and not that a contract is broken by stale data.
  orThrow(
    notarise(
      [...inputs, ...references].map((row) => claimOf(decision, row)),
      draft.window,
      decision.now,
    ),
  )

  const transaction = sealDraft(draft, notary, decision.random.hex(saltBytes))
  const outputs = outputsOf(draft, transaction)
  const ledgerTransaction = new LedgerTransaction({
    inputs: inputs.map((row) => resolveState(decision.registry, row)),
    references: references.map((row) => resolveState(decision.registry, row)),
    outputs,
    commands: draft.commands,
    timeWindow: draft.window,
    notary,
  })
  orThrow(verifyTransaction(ledgerTransaction, decision.registry.contract))
  checkSigners(decision, draft)

  const assessed = outputs.map(({ definition, data, ref }) => assess(decision, definition, data, ref))
  checkKeys(decision, draft, assessed)
  const parts: TransactionParts = {
    inputs: draft.inputs,
    outputs: draft.outputs.map(({ definition, text }, index) => ({
      type: definition.type,
      version: definition.version,
      contract: { name: definition.contract.name, version: definition.contract.version },
      text,
      assessment: assessed[index]?.parts ?? assessmentParts({ relevant: false, participants: [] }),
    })),
  }
  decision.emit(
    {
      type: 'TransactionRecorded',
      id: transaction.id,
      body: transaction.encoded,
      assessments: assessed.map(forEvent),
      ...(flow === undefined ? {} : { flow }),
    },
    parts,
  )
  return { transaction, outputs: outputs.map(({ ref }) => ref) }
}

/** What a finalise asks for, as text: the same transaction but for its salt. A flow's record keeps a digest of it. */
export const describeDraft = (draft: TransactionBuilder): string =>
  canonicalText({
    inputs: draft.inputs,
    references: draft.references,
    outputs: draft.outputs.map(({ definition, text }) => ({ type: definition.type, data: new Encoded(text) })),
    commands: draft.commands.map(({ text, signers }) => ({ command: new Encoded(text), signers })),
    timeWindow: draft.window,
  })
