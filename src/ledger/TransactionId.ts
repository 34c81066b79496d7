/**
 * The id of a transaction: the Merkle root over its components.
 */
import { HashC, type Hash } from '../encoding/hash.js'

/** Codec of a transaction id. */
export const TransactionIdC = HashC
/** The id of a transaction: the Merkle root over its components, in hex. */
export type TransactionId = Hash
