/**
 * Proposes the transaction that puts states under another notary and changes nothing else. As long as the party signs with
 * the same key, the same states and the same notary give the same transaction, so that what was interrupted can be asked
 * for again.
 */
import { deciding } from '../errors/Decision.js'
import type { FinalityReads } from './FinalityReads.js'
import type { Json } from '../encoding/canonical.js'
import { sha256 } from '../encoding/hash.js'
import { CarillonError } from '../errors/CarillonError.js'
import type { Party } from '../identity/Party.js'
import type { Signing } from '../identity/Signing.js'
import { PublicKeyC, type PublicKey } from '../identity/PublicKey.js'
import { showRef, type StateRef } from '../ledger/StateRef.js'
import { sealBody, type TransactionBody } from '../ledger/Transaction.js'
import { checkNotary } from '../vault/checkNotary.js'
import type { Proposal } from './decideTransaction.js'
import { checkUnconsumed } from './recordSigned.js'
import { requireRow } from '../vault/resolveBody.js'
import { changeNotaryCommand } from '../vault/verifyResolved.js'

const saltLength = 32

const partyOf = (reads: FinalityReads, key: PublicKey): Party => {
  const party = key === reads.me.key ? reads.me : reads.network.member(key)?.party
  if (party !== undefined) return party
  throw new CarillonError(
    'party-unknown',
    `A participant of the states, ${key}, is not in this node's network map, and all of them must sign a change of notary.`,
    { key },
  )
}

const proposalOf = (reads: FinalityReads & Signing, refs: readonly StateRef[], notary: Party): Proposal => {
  const rows = refs.map((ref) => requireRow(reads, ref))
  const [first] = rows
  if (first === undefined)
    throw new CarillonError('transaction-malformed', 'A change of notary needs at least one state.')
  const foreign = rows.find(({ participants: keys }) => !keys.split(' ').includes(reads.me.key))
  if (foreign !== undefined)
    throw new CarillonError(
      'transaction-malformed',
      `${reads.me.name} does not take part in state ${showRef(foreign.ref)}; only those who take part in all of the states can change their notary.`,
      { ref: showRef(foreign.ref) },
    )
  const old = first.notary ?? reads.me.key
  const isListed = reads.network.notaryKind(old) !== undefined
  const keys = [...new Set(rows.flatMap(({ participants }) => participants.split(' ')))].filter(PublicKeyC.is)
  const participants = keys.map((key) => partyOf(reads, key))
  // Nobody can guess what only this key can sign, and this key signs the same text in only one way.
  const secret = reads.sign('notary change', [notary.key, ...refs.map(showRef)].join('\n')).signature
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
    notary: isListed ? partyOf(reads, old) : notary,
    newNotary: notary,
    salt: sha256(secret).slice(0, saltLength),
  }
  const { id } = sealBody(body)
  checkNotary(reads, body)
  checkUnconsumed(reads, id, body)
  return { kind: 'proposal', id, body, participants }
}

export const decideNotaryChange = deciding(proposalOf)
