/**
 * Decides whether a transaction goes on the ledger: resolve, seal, verify, check signers, notarise, assess,
 * record. Everything is checked before the single fact is stated.
 */
import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import { Encoded, utf8Length } from '../encoding/canonical.js'
import { CarillonError } from '../errors/CarillonError.js'
import type { Decision } from '../decision/Decision.js'
import type { FlowId } from '../log/FlowId.js'
import { isSatisfiedBy, type Key } from '../identity/Key.js'
import { LedgerTransaction, type ResolvedState } from '../ledger/LedgerTransaction.js'
import type { Party } from '../identity/Party.js'
import type { PublicKey } from '../identity/PublicKey.js'
import type { AnyStateDefinition } from '../ledger/StateDefinition.js'
import { sameRef, showRef, type StateRef } from '../ledger/StateRef.js'
import { bodyOfDraft, sealDraft, type Transaction, type TransactionBody } from '../ledger/Transaction.js'
import type { TransactionId } from '../ledger/TransactionId.js'
import type { TransactionBuilder } from '../ledger/TransactionBuilder.js'
import { verifyTransaction } from '../ledger/verifyTransaction.js'
import type { Assessment } from '../log/events.js'
import { limits } from '../limits.js'
import { consumerOfRow } from '../notary/decideNotarisation.js'
import { notarise, type Claim } from '../notary/notarise.js'
import { assess, participantKeys, type Assessed } from '../agenda/assess.js'
import { checkKeysOf } from './checkKeys.js'
import { rememberAccepted } from './examine.js'
import { resolveState } from './readState.js'
import { requireRow } from './resolveBody.js'
import type { StateRow } from './StateRow.js'
import { assessmentParts, type TransactionParts } from './TransactionParts.js'

const saltBytes = 16

const orThrow = <A>(result: Either<CarillonError, A>): A => {
  if (isLeft(result)) throw result.left
  return result.right
}

/** The outputs as the app's own definitions see them: what they ask for next is the app's word, not the flow's. */
const outputsOf = (decision: Decision, draft: TransactionBuilder, transaction: Transaction): readonly ResolvedState[] =>
  draft.outputs.map(({ definition, data }, index) => ({
    ref: { transaction: transaction.id, index },
    type: definition.type,
    data,
    definition: decision.registry.requireState(definition.type),
    contract: { name: definition.contract.name, version: definition.contract.version },
  }))

/** A state is made under the rules the app has registered for its type, and no others. */
const checkDefinition = (decision: Decision, definition: AnyStateDefinition): void => {
  const registered = decision.registry.requireState(definition.type)
  if (registered.version === definition.version && registered.contract === definition.contract) return
  throw new CarillonError(
    'definition-invalid',
    `A ${definition.type} was produced with another definition than the one app ${decision.registry.app.name} lists. Import the same definition in the flow and in the app.`,
    { type: definition.type },
  )
}

/** The notary a transaction stands under: the one named, the inputs' own, or this node for what is its alone. */
const notaryFor = (
  decision: Decision,
  draft: TransactionBuilder,
  inputs: readonly StateRow[],
  isShared: boolean,
): Party => {
  const keyOfNotary = ({ notary }: StateRow): PublicKey => notary ?? decision.me.key
  const [first] = inputs
  const key = first === undefined ? undefined : keyOfNotary(first)
  if (inputs.some((row) => keyOfNotary(row) !== key)) {
    throw new CarillonError(
      'transaction-malformed',
      'The states it consumes stand under different notaries. Change the notary of some of them first.',
      { notaries: [...new Set(inputs.map(keyOfNotary))] },
    )
  }
  if (key === undefined)
    return draft.chosenNotary ?? (isShared ? decision.network.firstNotary() : undefined) ?? decision.me
  const own = key === decision.me.key ? decision.me : decision.network.member(key)?.party
  if (own === undefined)
    throw new CarillonError(
      'notary-unknown',
      `The notary ${key} of the consumed states is not in this node's network map.`,
      { key },
    )
  if (draft.chosenNotary !== undefined && draft.chosenNotary.key !== own.key) {
    throw new CarillonError(
      'transaction-malformed',
      `The transaction names ${draft.chosenNotary.name} as its notary, but the states it consumes stand under ${own.name}. Change their notary first.`,
      { notary: own.name },
    )
  }
  return own
}

/** The assessment for the event, with the activity as the text the views hold, so that it is encoded once. */
const forEvent = ({ assessment, parts }: Assessed): Assessment => {
  if (parts.activity === null) return assessment
  const activity = new Encoded(parts.activity) as unknown as NonNullable<Assessment['activity']>
  const { relevant, participants, key, actsAt, indexed } = assessment
  if (actsAt !== undefined || indexed !== undefined) return { ...assessment, activity }
  return key === undefined ? { relevant, participants, activity } : { relevant, participants, key, activity }
}

/** A key belongs to one unconsumed state of its type; the state that had it before must be consumed along with it. */
const checkKeys = (decision: Decision, draft: TransactionBuilder, assessed: readonly Assessed[]): void => {
  // Most states have none.
  if (assessed.every(({ parts: { key } }) => key === null)) return
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

export type Recorded = { readonly kind: 'recorded'; readonly id: TransactionId; readonly outputs: readonly StateRef[] }

/** A transaction that concerns others too: verified here, and yet to be signed, notarised and recorded by all. */
export type Proposal = {
  readonly kind: 'proposal'
  readonly id: TransactionId
  readonly body: TransactionBody
  readonly participants: readonly Party[]
}

/** The parties that take part in what is consumed and produced, each once. */
export const participantsOf = (transaction: LedgerTransaction): readonly Party[] => [
  ...new Map(transaction.participants.map((party) => [party.key, party])).values(),
]

/** Whether this node can settle a transaction by itself: it signs alone, takes part alone, and is the notary. */
const isOwn = (decision: Decision, draft: TransactionBuilder, transaction: LedgerTransaction): boolean => {
  const { key } = decision.me
  const isMine = (signer: Key): boolean => signer === key || isSatisfiedBy(signer, new Set([key]))
  return (
    transaction.notary.key === key &&
    draft.commands.every(({ signers }) => signers.every(isMine)) &&
    // A party that is not in the map cannot be told, so there is nobody to settle with.
    transaction.participants.every((party) => party.key === key || decision.network.member(party.key) === undefined)
  )
}

/**
 * Verifies what a builder has gathered. What concerns this node alone is recorded at once; the rest becomes a
 * proposal. Throws the typed error that says why not.
 */
export const decideTransaction = (
  decision: Decision,
  draft: TransactionBuilder,
  flow: FlowId | undefined,
  isShared: boolean,
): Recorded | Proposal => {
  for (const { definition } of draft.outputs) checkDefinition(decision, definition)
  const inputs = draft.inputs.map((ref) => requireRow(decision, ref))
  const references = draft.references.map((ref) => requireRow(decision, ref))
  const participants = draft.outputs.map(({ definition, data }) => participantKeys(definition, data))
  const concernsOthers = isShared || participants.some((keys) => keys.some((key) => key !== decision.me.key))
  const notary = notaryFor(decision, draft, inputs, concernsOthers)
  // Who lost a race should hear that, and not that a contract is broken by stale data.
  const claim = (row: StateRow): Claim => ({ ref: row.ref, consumedBy: consumerOfRow(decision, row) })
  const claims = references.length === 0 ? inputs.map(claim) : [...inputs, ...references].map(claim)
  orThrow(notarise(claims, notary.key === decision.me.key ? draft.window : undefined, decision.now))

  const salt = decision.random.hex(saltBytes)
  const transaction = sealDraft(draft, notary, salt)
  const outputs = outputsOf(decision, draft, transaction)
  const ledgerTransaction = new LedgerTransaction({
    inputs: inputs.map((row) => resolveState(decision.registry, row)),
    references: references.map((row) => resolveState(decision.registry, row)),
    outputs,
    commands: draft.commands,
    timeWindow: draft.window,
    notary,
  })
  orThrow(verifyTransaction(ledgerTransaction, decision.registry.contract))
  if (isShared || !isOwn(decision, draft, ledgerTransaction)) {
    const bytes = utf8Length(transaction.encoded.text)
    if (bytes > limits.sharedTransactionBytes)
      throw new CarillonError(
        'fact-too-large',
        `A transaction of ${bytes} bytes is larger than the ${limits.sharedTransactionBytes} bytes one may take that is shared with others. Split it, or keep the bulk outside the ledger and record its hash.`,
        { bytes },
      )
    checkKeysOf(decision, ledgerTransaction)
    rememberAccepted(decision, transaction.id, ledgerTransaction)
    const body = bodyOfDraft(draft, notary, salt, transaction)
    return { kind: 'proposal', id: transaction.id, body, participants: participantsOf(ledgerTransaction) }
  }

  const assessed = outputs.map(({ definition, data, ref }, index) =>
    assess(decision, definition, data, ref, participants[index]),
  )
  checkKeys(decision, draft, assessed)
  const parts: TransactionParts = {
    inputs: draft.inputs,
    notary: notary.key,
    outputs: draft.outputs.map(({ definition, text }, index) => ({
      type: definition.type,
      version: definition.version,
      contract: { name: definition.contract.name, version: definition.contract.version },
      text,
      assessment: assessed[index]?.parts ?? assessmentParts({ relevant: false, participants: [] }),
    })),
  }
  const recorded = {
    type: 'TransactionRecorded',
    id: transaction.id,
    body: transaction.encoded,
    assessments: assessed.map(forEvent),
  } as const
  decision.emit(flow === undefined ? recorded : { ...recorded, flow }, parts)
  return { kind: 'recorded', id: transaction.id, outputs: outputs.map(({ ref }) => ref) }
}
