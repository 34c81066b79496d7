/**
 * Proposes the transaction that puts states under another notary and changes nothing else. As long as the party signs with
 * the same key, the same states and the same notary give the same transaction, so that what was interrupted can be asked
 * for again.
 */
import type { Decision, SigningDecision } from '../decision/Decision.js'
import type { Json } from '../encoding/canonical.js'
import { sha256 } from '../encoding/hash.js'
import { CarillonError } from '../errors/CarillonError.js'
import type { Party } from '../identity/Party.js'
import { textToSign } from '../identity/NetworkId.js'
import { PublicKeyC, type PublicKey } from '../identity/PublicKey.js'
import { showRef, type StateRef } from '../ledger/StateRef.js'
import { sealBody, type TransactionBody } from '../ledger/Transaction.js'
import { checkNotary } from './checkNotary.js'
import type { Proposal } from './decideTransaction.js'
import { checkUnconsumed } from './recordSigned.js'
import { requireRow } from './resolveBody.js'
import { changeNotaryCommand } from './verifyResolved.js'

const saltLength = 32

const partyOf = (decision: Decision, key: PublicKey): Party => {
  const party = key === decision.me.key ? decision.me : decision.network.member(key)?.party
  if (party !== undefined) return party
  throw new CarillonError(
    'party-unknown',
    `A participant of the states, ${key}, is not in this node's network map, and all of them must sign a change of notary.`,
    { key },
  )
}

export const decideNotaryChange = (decision: SigningDecision, refs: readonly StateRef[], notary: Party): Proposal => {
  const rows = refs.map((ref) => requireRow(decision, ref))
  const [first] = rows
  if (first === undefined)
    throw new CarillonError('transaction-malformed', 'A change of notary needs at least one state.')
  const old = first.notary ?? decision.me.key
  const isListed = decision.network.notaryKind(old) !== undefined
  const keys = [...new Set(rows.flatMap(({ participants }) => participants.split(' ')))].filter(PublicKeyC.is)
  const participants = keys.map((key) => partyOf(decision, key))
  // Nobody can guess what only this key can sign, and this key signs the same text in only one way.
  const secret = decision.key.sign(textToSign('notary change', decision.network.id, notary.key, ...refs.map(showRef)))
  const body: TransactionBody = {
    inputs: rows.map(({ ref }) => ref),
    references: [],
    outputs: rows.map(({ kind: { type, version, contract }, text }) => ({
      type,
      version,
      contract,
      data: JSON.parse(text) as Json,
    })),
    commands: [{ type: changeNotaryCommand, data: null }],
    signers: [keys],
    notary: isListed ? partyOf(decision, old) : notary,
    newNotary: notary,
    salt: sha256(secret).slice(0, saltLength),
  }
  const { id } = sealBody(body)
  checkNotary(decision, body)
  checkUnconsumed(decision, id, body)
  return { kind: 'proposal', id, body, participants }
}
