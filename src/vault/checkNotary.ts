/**
 * Whether a transaction stands under a notary that this node trusts, and all its states under that same one. What
 * only one party is concerned with may stand under that party; for anyone else that would be no notary at all, and the
 * state needs a change of notary before others accept what consumes it.
 */
import type { VaultReads } from './VaultReads.js'
import { CarillonError } from '../errors/CarillonError.js'
import { isSatisfiedBy } from '../identity/Key.js'
import type { PublicKey } from '../identity/PublicKey.js'
import { showRef } from '../ledger/StateRef.js'
import type { TransactionBody } from '../ledger/Transaction.js'
import { participantKeys } from '../ledger/assess.js'
import { requireRow, resolveOutput } from './resolveBody.js'

const listed = (reads: VaultReads, key: PublicKey): boolean => reads.network.notaryKind(key) !== undefined

/** The notary a state stands under here. */
export const standingUnder = (reads: VaultReads, ref: TransactionBody['inputs'][number]): PublicKey =>
  requireRow(reads, ref).notary ?? reads.me.key

/** Whether a party alone has signed a transaction and takes part in it: it could have made all of it up by itself. */
const concernsOnly = (reads: VaultReads, body: TransactionBody, key: PublicKey): boolean => {
  const alone = new Set([key])
  return (
    reads.network.member(key) !== undefined &&
    body.signers.flat().every((signer) => isSatisfiedBy(signer, alone)) &&
    body.inputs.every((ref) => requireRow(reads, ref).participants === key) &&
    body.outputs.every((output, index) => {
      const { definition, data } = resolveOutput(reads, body, output, index)
      return participantKeys(definition, data).every((participant) => participant === key)
    })
  )
}

/** A change of notary leads from one notary to another; from a state's owner it is the new one that must see to it. */
const checkChange = (reads: VaultReads, body: TransactionBody, to: PublicKey): void => {
  const refuse = (why: string): never => {
    throw new CarillonError('notary-unknown', `The change of notary to ${body.newNotary?.name ?? ''} ${why}`, {
      notary: body.newNotary?.name ?? '',
    })
  }
  if (!listed(reads, to)) refuse("leads to a party that this node's network map does not list as a notary.")
  const from = new Set(body.inputs.map((ref) => standingUnder(reads, ref)))
  const [old] = from
  if (old === undefined || from.size > 1) refuse('takes in states of several notaries. Change each on its own.')
  else if (old === to) refuse('names the notary that the states stand under already.')
  else if (listed(reads, old) ? body.notary.key !== old : body.notary.key !== to)
    refuse(
      'is not notarised by the notary that lets the states go, nor, for states notarised by their owner, by the new one.',
    )
  else if (!listed(reads, old) && !body.inputs.every((ref) => requireRow(reads, ref).participants === old))
    refuse('takes in states that stand under a party which is not their only owner.')
}

const untrusted = ({ notary }: TransactionBody): CarillonError =>
  new CarillonError(
    'notary-unknown',
    `The transaction stands under ${notary.name}, which this node's network map does not list as a notary. A state notarised by its owner needs a change of notary before others accept it.`,
    { notary: notary.name },
  )

/** Throws for a transaction that could never be accepted, whatever it builds on: its history is not even asked for. */
export const checkNotaryTrusted = (reads: VaultReads, body: TransactionBody): void => {
  const { key } = body.notary
  if (key !== reads.me.key && !listed(reads, key)) throw untrusted(body)
}

/** `history` is what a transaction builds on: there may be what its owner did before others were concerned. */
export const checkNotary = (reads: VaultReads, body: TransactionBody, role: 'final' | 'history' = 'final'): void => {
  const { notary, newNotary } = body
  if (newNotary !== undefined) {
    checkChange(reads, body, newNotary.key)
    return
  }
  for (const ref of [...body.inputs, ...body.references]) {
    if (standingUnder(reads, ref) !== notary.key) {
      throw new CarillonError(
        'notary-unknown',
        `State ${showRef(ref)} stands under another notary than the transaction, ${notary.name}. Change its notary first.`,
        { ref: showRef(ref), notary: notary.name },
      )
    }
  }
  // Also where no notary has to sign: what it produces could never be consumed in a way that others accept.
  if (notary.key === reads.me.key || listed(reads, notary.key)) return
  if (role === 'history' && concernsOnly(reads, body, notary.key)) return
  throw untrusted(body)
}
