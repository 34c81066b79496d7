/**
 * The operations by which parties agree on a transaction: sign it, see what of its history is missing, check it,
 * record it, and hand its history to another party. The sub-flows of src/finality are written in them.
 */
import * as t from 'io-ts'
import { isLeft } from 'fp-ts/lib/Either.js'
import type { Decision } from '../decision/Decision.js'
import { canonicalText, Encoded, utf8Length, type Json } from '../encoding/canonical.js'
import { IntegerC } from '../encoding/IntegerC.js'
import { CarillonError } from '../errors/CarillonError.js'
import { limits } from '../limits.js'
import { signTransaction } from '../ledger/signatures.js'
import { checkSignatures, needsNotary, type SignedTransaction } from '../ledger/SignedTransaction.js'
import type { LedgerTransaction } from '../ledger/LedgerTransaction.js'
import { tearOff } from '../ledger/TearOff.js'
import { componentsOf, dependenciesOf, sealBody } from '../ledger/Transaction.js'
import type { TransactionId } from '../ledger/TransactionId.js'
import { decideNotarisation, notariseOwn, signChange } from '../notary/decideNotarisation.js'
import { signRequest, type NotaryRequest } from '../notary/NotaryRequest.js'
import { checkKeysOf } from '../vault/checkKeys.js'
import { checkNotary, checkNotaryTrusted } from '../vault/checkNotary.js'
import { decideNotaryChange } from '../vault/decideNotaryChange.js'
import { examine, rememberAccepted } from '../vault/examine.js'
import { checkUnconsumed, recordSigned } from '../vault/recordSigned.js'
import { valueAnswer, type Answer } from './Answer.js'
import { finalised } from './Finalised.js'
import type { FlowId } from './FlowId.js'
import type { LedgerOperation } from './LedgerOperation.js'
import { emitMessage } from './performSession.js'

/** Ids of those that this node does not hold. */
export const missingOf = (decision: Decision, ids: readonly TransactionId[]): readonly TransactionId[] =>
  ids.filter((id) => decision.views.transactions.find(id) === undefined)

/** The transaction as its contracts see it, after everything about it has been checked but the signatures still to come. */
export const checkTransaction = (
  decision: Decision,
  signed: SignedTransaction,
  except: LedgerOperation & { readonly kind: 'check' },
): LedgerTransaction => {
  const { id } = sealBody(signed.body)
  const signatures = checkSignatures(decision.network, id, signed, { except: except.exceptKeys })
  if (isLeft(signatures)) throw signatures.left
  return examine(decision, id, signed.body)
}

/** What a walk has come through, newest first, and what it had yet to come to. */
export type Walked = { readonly visited: readonly TransactionId[]; readonly frontier: readonly TransactionId[] }

/** Walks from transactions back towards their origins, newest first, as far as the limit goes. */
const walk = (decision: Decision, frontier: readonly TransactionId[], limit: number): Walked => {
  const revisionOf = (id: TransactionId): number => decision.views.transactions.find(id)?.revision ?? -1
  const open = new Map(frontier.map((id) => [id, revisionOf(id)]))
  const visited: TransactionId[] = []
  while (visited.length < limit) {
    let newest: TransactionId | undefined
    for (const [id, revision] of open) if (newest === undefined || revision > (open.get(newest) ?? -1)) newest = id
    if (newest === undefined) break
    open.delete(newest)
    visited.push(newest)
    for (const parent of dependenciesOf(decision.signedTransaction(newest).body))
      if (!open.has(parent)) open.set(parent, revisionOf(parent))
  }
  return { visited, frontier: [...open.keys()] }
}

/** A walk as a record keeps it: numbers of this node's own, an eighth of the length of ids. */
const recordWalk = (decision: Decision, { visited, frontier }: Walked): Json => {
  const numbers = (ids: readonly TransactionId[]) => ids.map((id) => decision.views.transactions.locate(id) ?? -1)
  return { visited: numbers(visited), frontier: numbers(frontier) }
}

export const WalkedC = t.strict({ visited: t.readonlyArray(IntegerC), frontier: t.readonlyArray(IntegerC) })

/** What a walk came to, from its record. */
export const reviveWalk = (decision: Decision, { visited, frontier }: t.TypeOf<typeof WalkedC>): Walked => {
  const ids = (numbers: readonly number[]) => numbers.flatMap((seq) => decision.views.transactions.get(seq)?.id ?? [])
  return { visited: ids(visited), frontier: ids(frontier) }
}

/** Sends as many of the transactions as one message holds, oldest first; answers how many those were. */
const vend = (decision: Decision, operation: Extract<LedgerOperation, { readonly kind: 'vend' }>): Answer => {
  const session = decision.views.sessions.find(operation.session, operation.role)
  if (session === undefined || session.closed)
    throw new CarillonError('session-ended', 'The session has ended; no history can be sent on it.')
  const page: Encoded[] = []
  let bytes = 0
  for (const id of operation.ids) {
    const text = canonicalText(decision.signedTransaction(id))
    const size = utf8Length(text)
    if (page.length > 0 && bytes + size > limits.historyPageBytes) break
    bytes += size
    page.push(new Encoded(text))
  }
  const payload = new Encoded(canonicalText({ type: 'history', transactions: page }))
  emitMessage(decision, session, { kind: 'data', payload })
  return valueAnswer(page.length, page.length)
}

/** A validating notary sees everything; the other kind only what it must. Both signatures and proofs are always the same. */
export const requestFor = (decision: Decision, signed: SignedTransaction): NotaryRequest => {
  const { id } = sealBody(signed.body)
  const callerSignature = signRequest(decision.key, decision.network.id, id)
  if (decision.network.notaryKind(signed.body.notary.key) !== 'nonValidating')
    return { type: 'whole', transaction: signed, callerSignature }
  const shown = tearOff(id, componentsOf(signed.body), (group) => group === 'inputs' || group === 'references')
  return { type: 'tearOff', tearOff: shown, callerSignature }
}

export const performLedger = (
  decision: Decision,
  flow: FlowId,
  operation: Exclude<LedgerOperation, { readonly kind: 'takeHistory' }>,
): Answer => {
  switch (operation.kind) {
    case 'sign': {
      const { body } = operation.signed
      const isNotary = needsNotary(body) && body.notary.key === decision.me.key
      const signature = isNotary
        ? notariseOwn(decision, operation.signed)
        : body.newNotary === undefined
          ? signTransaction(decision.key, decision.network.id, sealBody(body).id)
          : signChange(decision, operation.signed)
      return valueAnswer(signature, signature)
    }
    case 'signId': {
      const signature = signTransaction(decision.key, decision.network.id, operation.id)
      return valueAnswer(signature, signature)
    }
    case 'changeNotary': {
      const proposal = decideNotaryChange(decision, operation.refs, operation.notary)
      return valueAnswer(proposal, { proposal: proposal.body })
    }
    case 'dependencies': {
      checkNotaryTrusted(decision, operation.signed.body)
      const missing = missingOf(decision, dependenciesOf(operation.signed.body))
      return valueAnswer(missing, missing)
    }
    case 'check': {
      const { body } = operation.signed
      // True now, and not asked again when the flow is run over its record: by then the answer may be another.
      checkNotary(decision, body)
      checkUnconsumed(decision, sealBody(body).id, body)
      const transaction = checkTransaction(decision, operation.signed, operation)
      checkKeysOf(decision, transaction)
      rememberAccepted(decision, sealBody(body).id, transaction)
      return valueAnswer(transaction)
    }
    case 'record': {
      const recorded = operation.transactions.map((signed) => recordSigned(decision, signed, flow))
      const last = recorded.at(-1)
      if (last === undefined) return valueAnswer(undefined)
      return valueAnswer(finalised(last.id, last.outputs), { transaction: last.id, outputs: last.outputs.length })
    }
    case 'walk': {
      const walked = walk(decision, operation.frontier, operation.limit ?? limits.historyFirstWalk)
      return valueAnswer(walked, recordWalk(decision, walked))
    }
    case 'parents': {
      const parents = [...new Set(operation.ids.flatMap((id) => dependenciesOf(decision.signedTransaction(id).body)))]
      return valueAnswer(parents, parents)
    }
    case 'vend':
      return vend(decision, operation)
    case 'notaryRequest':
      return valueAnswer(requestFor(decision, operation.signed))
    case 'notarise': {
      const signature = decideNotarisation(decision, operation.request, operation.caller)
      return valueAnswer(signature, signature)
    }
  }
}
