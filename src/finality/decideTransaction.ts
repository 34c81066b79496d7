/**
 * Decides whether a transaction goes on the ledger: resolve, seal, verify, check signers, notarise, assess,
 * record. Everything is checked before the single fact is returned.
 */
import { utf8Length } from '../encoding/canonical.js'
import { CarillonError } from '../errors/CarillonError.js'
import { deciding, orThrow } from '../errors/Decision.js'
import type { FinalityReads } from './FinalityReads.js'
import type { EventOf } from '../log/events.js'
import type { FlowId } from '../log/FlowId.js'
import { isSatisfiedBy, type Key } from '../identity/Key.js'
import { LedgerTransaction, type ResolvedState } from '../ledger/LedgerTransaction.js'
import type { Party } from '../identity/Party.js'
import { PublicKeyC, type PublicKey } from '../identity/PublicKey.js'
import type { AnyStateDefinition } from '../ledger/StateDefinition.js'
import { bodyOfDraft, sealDraft, type Transaction, type TransactionBody } from '../ledger/Transaction.js'
import type { TransactionId } from '../ledger/TransactionId.js'
import type { DraftOutput, TransactionBuilder } from '../ledger/TransactionBuilder.js'
import { decodeState } from '../ledger/decodeState.js'
import { frozen } from '../encoding/frozen.js'
import { checkLocks } from '../flow/checkLocks.js'
import { verifyTransaction } from '../ledger/verifyTransaction.js'
import { EncodedBody } from '../ledger/EncodedBody.js'
import { withDefaultCommand } from './defaultCommand.js'
import { finalityLimits } from './limits.js'
import { consumerOfRow } from '../notary/decideNotarisation.js'
import { checkClaims, type Claim } from '../notary/checkClaims.js'
import type { Assessment } from '../ledger/Assessment.js'
import { participantKeys } from '../ledger/assess.js'
import { checkKeys, settleKeys, type KeyUse } from '../vault/checkKeys.js'
import { checkRecordable } from './checkRecordable.js'
import { assessOutputs, keyUseOf, recordTransaction, type Recorded } from './recordTransaction.js'
import { rememberAccepted } from './verifyContracts.js'
import { resolveState } from '../vault/readState.js'
import { requireRow } from '../vault/resolveBody.js'
import type { StateRow } from '../vault/StateRow.js'

const saltBytes = 16

/** An output, and the definition and the data by which the app judges it. */
type ProducedOutput = { readonly definition: AnyStateDefinition; readonly data: unknown }

/** Whether a flow was started under an earlier version of its definition than the one that runs now. */
const isOlderFlow = ({ views, registry }: FinalityReads, id: FlowId): boolean => {
  const flow = views.flows.find(id)
  return flow !== undefined && flow.version < registry.requireFlow(flow.name).version
}

/**
 * A state is made under the rules the app has registered for its type, and no others. A flow that was started under an
 * earlier version may make the version of the state that it made then; it is judged as it will be read, upcast.
 */
const judgedAs = (reads: FinalityReads, { definition, data, text }: DraftOutput, flow: FlowId): ProducedOutput => {
  const registered = reads.registry.requireState(definition.type)
  const { contract } = registered
  const isSameContract = contract === definition.contract || contract.rules === definition.contract.rules
  if (registered.version === definition.version && isSameContract) return { definition: registered, data }
  const isEarlier = registered.version >= definition.version && contract.rules.has(definition.contract.version)
  if (isEarlier && contract.name === definition.contract.name && isOlderFlow(reads, flow))
    return { definition: registered, data: frozen(orThrow(decodeState(registered, definition.version, text))) }
  throw new CarillonError(
    'definition-invalid',
    `A ${definition.type} was produced with another definition than the one app ${reads.registry.app.name} lists. Import the same definition in the flow and in the app. Only a flow that was started under an earlier version of its definition may produce the version of the state that it produced then.`,
    { type: definition.type },
  )
}

/** The outputs as the app's own definitions see them: what they ask for next is for the app to say, not for the flow. */
const outputsOf = (
  draft: TransactionBuilder,
  judged: readonly ProducedOutput[],
  transaction: Transaction,
): readonly ResolvedState[] =>
  draft.outputs.map(({ definition, data }, index) => ({
    ref: { transaction: transaction.id, index },
    type: definition.type,
    contract: { name: definition.contract.name, version: definition.contract.version },
    ...(judged[index] ?? { definition, data }),
  }))

/** The notary a transaction stands under: the one named, the inputs' own, or this node for what is its alone. */
const notaryFor = (
  reads: FinalityReads,
  draft: TransactionBuilder,
  inputs: readonly StateRow[],
  isShared: boolean,
): Party => {
  const keyOfNotary = ({ notary }: StateRow): PublicKey => notary ?? reads.me.key
  const [first] = inputs
  const key = first === undefined ? undefined : keyOfNotary(first)
  if (inputs.some((row) => keyOfNotary(row) !== key)) {
    throw new CarillonError(
      'transaction-malformed',
      'The states it consumes stand under different notaries. Change the notary of some of them first.',
      { notaries: [...new Set(inputs.map(keyOfNotary))] },
    )
  }
  if (key === undefined) return draft.chosenNotary ?? (isShared ? reads.network.firstNotary() : undefined) ?? reads.me
  const own = key === reads.me.key ? reads.me : reads.network.member(key)?.party
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

/** Who takes part in a recorded state. */
const keysOfRow = ({ participants }: StateRow): readonly PublicKey[] => participants.split(' ').filter(PublicKeyC.is)

/** A transaction that concerns others too: verified here, and yet to be signed, notarised and recorded by all. */
export type Proposal = {
  readonly kind: 'proposal'
  readonly id: TransactionId
  readonly body: TransactionBody
  readonly participants: readonly Party[]
}

/** A proposal of this node, and the facts that go with it: keys that are reserved for it. */
export type MadeProposal = Proposal & { readonly events: readonly EventOf<'KeysReserved'>[] }

/** The parties that take part in what is consumed and produced, each once. */
export const participantsOf = (transaction: LedgerTransaction): readonly Party[] => [
  ...new Map(transaction.participants.map((party) => [party.key, party])).values(),
]

/** Whether this node can settle a transaction by itself: it signs alone, takes part alone, and is the notary. */
const isOwn = (reads: FinalityReads, draft: TransactionBuilder, transaction: LedgerTransaction): boolean => {
  const { key } = reads.me
  const isMine = (signer: Key): boolean => signer === key || isSatisfiedBy(signer, new Set([key]))
  return (
    transaction.notary.key === key &&
    draft.commands.every(({ signers }) => signers.every(isMine)) &&
    // A party that is not in the map cannot be told, so there is nobody to settle with.
    transaction.participants.every((party) => party.key === key || reads.network.member(party.key) === undefined)
  )
}

/** Refuses a key that another state has. What goes on without its key, because another was first, goes on so. */
const settleOwnKeys = (reads: FinalityReads, use: KeyUse, flow: FlowId): readonly Assessment[] => {
  // Most states have no key, and most keys that are not new are those of what is consumed.
  const keyed = use.assessments.filter(({ key }) => key !== undefined)
  if (keyed.length === 0 || checkKeys(reads, use, flow).length === keyed.length) return use.assessments
  return settleKeys(reads, use)
}

/**
 * Verifies what a builder has gathered. What concerns this node alone is recorded at once; the rest becomes a
 * proposal.
 */
const transactionOrProposal = (
  reads: FinalityReads,
  asked: TransactionBuilder,
  flow: FlowId,
  isShared: boolean,
): Recorded | MadeProposal => {
  const judged = asked.outputs.map((output) => judgedAs(reads, output, flow))
  const written = reads.asRecorded?.(asked) ?? asked
  const inputs = written.inputs.map((ref) => requireRow(reads, ref))
  const references = written.references.map((ref) => requireRow(reads, ref))
  const participants = judged.map(({ definition, data }) => participantKeys(definition, data))
  const draft = withDefaultCommand(written, () => [...inputs.flatMap(keysOfRow), ...participants.flat()], reads.me.key)
  const concernsOthers = isShared || participants.some((keys) => keys.some((key) => key !== reads.me.key))
  const notary = notaryFor(reads, draft, inputs, concernsOthers)
  // Who lost a race should hear that, and not that a contract is broken by stale data.
  const claim = (row: StateRow): Claim => ({ ref: row.ref, consumedBy: consumerOfRow(reads, row) })
  const claims = references.length === 0 ? inputs.map(claim) : [...inputs, ...references].map(claim)
  orThrow(checkClaims(claims, notary.key === reads.me.key ? draft.window : undefined, reads.now))
  checkLocks(reads, inputs, flow)

  const salt = reads.random.hex(saltBytes)
  const transaction = sealDraft(draft, notary, salt)
  const outputs = outputsOf(draft, judged, transaction)
  const ledgerTransaction = new LedgerTransaction({
    inputs: inputs.map((row) => resolveState(reads.registry, row)),
    references: references.map((row) => resolveState(reads.registry, row)),
    outputs,
    commands: draft.commands,
    timeWindow: draft.window,
    notary,
  })
  orThrow(verifyTransaction(ledgerTransaction, reads.registry.contract))
  if (isShared || !isOwn(reads, draft, ledgerTransaction)) {
    const bytes = utf8Length(transaction.encoded.text)
    if (bytes > finalityLimits.sharedTransactionBytes)
      throw new CarillonError(
        'fact-too-large',
        `A transaction of ${bytes} bytes is larger than the ${finalityLimits.sharedTransactionBytes} bytes one may take that is shared with others. Split it, or keep the bulk outside the ledger and record its hash.`,
        { bytes },
      )
    const body = bodyOfDraft(draft, notary, salt, transaction)
    const events = checkRecordable(reads, body, ledgerTransaction, flow)
    rememberAccepted(reads, transaction.id, ledgerTransaction)
    const proposal = {
      kind: 'proposal' as const,
      id: transaction.id,
      body,
      participants: participantsOf(ledgerTransaction),
    }
    return { ...proposal, events }
  }

  const texts = draft.outputs.map(({ definition: { type, version, contract }, text }) => ({
    type,
    version,
    contract: { name: contract.name, version: contract.version },
    text,
  }))
  const body = new EncodedBody(transaction.encoded.text, draft.inputs, notary.key, texts)
  const assessments = assessOutputs(reads, outputs, participants)
  const settled = settleOwnKeys(reads, keyUseOf(draft.inputs, outputs, assessments), flow)
  return recordTransaction({ id: transaction.id, body, outputs, assessments: settled }, flow)
}

export const decideTransaction = deciding(transactionOrProposal)
