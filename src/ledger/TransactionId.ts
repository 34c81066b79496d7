/**
 * The id of a transaction: the Merkle root over its components.
 */
import { HashC, type Hash } from '../encoding/hash.js'

export const TransactionIdC = HashC
export type TransactionId = Hash
