/**
 * A checkpoint of a log from its views, for whoever holds the node's key and wants to hand one to others.
 */
import { CarillonError } from '../errors/CarillonError.js'
import { signCheckpoint, type Checkpoint } from '../log/Checkpoint.js'
import { readContinuedAt } from '../storage/tables/HeadTable.js'
import type { KeyPair } from '../identity/KeyPair.js'
import type { Database } from '../storage/Database.js'
import { readFacts, readRange } from '../storage/tables/NodeFactTable.js'

/** A checkpoint where the views stand. Throws `head-unsigned` when the log is empty, or signed with another key. */
export const makeCheckpoint = (db: Database, key: KeyPair): Checkpoint => {
  const { head, signers } = readFacts(db)
  const signer = signers.at(-1)
  if (signer === undefined) throw new CarillonError('head-unsigned', 'The log is empty: no node has run on it yet.')
  if (signer.key !== key.publicKey)
    throw new CarillonError(
      'head-unsigned',
      `The log is signed with ${signer.key}, and the key at hand is ${key.publicKey}. A checkpoint needs the node's own key.`,
      { expected: signer.key, actual: key.publicKey },
    )
  return signCheckpoint(key, head, {
    network: signer.network,
    range: readRange(db),
    continuedAt: readContinuedAt(db),
  })
}
