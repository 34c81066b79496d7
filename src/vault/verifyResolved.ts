/**
 * Whether a resolved transaction keeps the rules: those of its contracts, or, where it only changes the notary of
 * states, that nothing else is changed and everyone who takes part signs. Throws what is wrong.
 */
import type { VaultReads } from './VaultReads.js'
import { canonicalText } from '../encoding/canonical.js'
import { CarillonError } from '../errors/CarillonError.js'
import { orThrow } from '../errors/Decision.js'
import type { LedgerTransaction } from '../ledger/LedgerTransaction.js'
import { showRef } from '../ledger/StateRef.js'
import type { TransactionBody } from '../ledger/Transaction.js'
import { makesRetired, verifyTransaction } from '../ledger/verifyTransaction.js'
import { requireRow } from './resolveBody.js'

/** The one command of a transaction that only changes the notary of its states. */
export const changeNotaryCommand = 'carillon/ChangeNotary'

const changeViolations = (reads: VaultReads, body: TransactionBody): readonly string[] => {
  const rows = body.inputs.map((ref) => requireRow(reads, ref))
  const signers = new Set(body.signers.flat().filter((key) => typeof key === 'string'))
  const refs = body.inputs.map(showRef)
  return [
    ...(rows.length === 0 ? ['it consumes nothing'] : []),
    ...(new Set(refs).size < refs.length ? ['it consumes a state twice'] : []),
    ...(body.references.length > 0 ? ['it has references'] : []),
    ...(body.timeWindow === undefined ? [] : ['it has a time window']),
    ...(body.commands.length === 1 && body.commands[0]?.type === changeNotaryCommand
      ? []
      : [`its one command is not ${changeNotaryCommand}`]),
    ...(body.outputs.length === rows.length ? [] : ['it does not produce what it consumes']),
    ...rows.flatMap(({ kind, text, ref }, index) => {
      const output = body.outputs[index]
      const isSame =
        output?.type === kind.type &&
        output.version === kind.version &&
        canonicalText(output.contract) === canonicalText(kind.contract) &&
        canonicalText(output.data) === text
      return isSame ? [] : [`output ${index} is not what ${showRef(ref)} is`]
    }),
    ...[...new Set(rows.flatMap(({ participants }) => participants.split(' ')))]
      .filter((key) => key !== '' && ![...signers].some((signer) => signer === key))
      .map((key) => `${key} takes part and is not a signer`),
  ]
}

export const verifyResolved = (reads: VaultReads, transaction: LedgerTransaction, body: TransactionBody): void => {
  if (body.newNotary !== undefined) {
    const violations = changeViolations(reads, body)
    if (violations.length === 0) return
    throw new CarillonError(
      'transaction-malformed',
      `A change of notary changes the notary and nothing else: ${violations.join('; ')}.`,
      { violations },
    )
  }
  // Whoever is its own notary could have dated it back.
  if (reads.network.notaryKind(body.notary.key) === undefined && makesRetired(transaction, reads.registry.contract))
    throw new CarillonError(
      'contract-outdated',
      `The transaction makes a state under a retired version of its contract, and ${body.notary.name}, which vouches for its time, is not a notary of this network.`,
      { notary: body.notary.name },
    )
  orThrow(verifyTransaction(transaction, reads.registry.contract))
}
