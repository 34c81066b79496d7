/**
 * The id of a network, and the form of every text that is signed: a tag that says what it is, the id of the network, and
 * the contents. So no signature is valid for two things, or in two networks.
 */
import { HashC, sha256, type Hash } from '../encoding/hash.js'
import type { PublicKey } from './PublicKey.js'

/** Codec of a network's id. */
export const NetworkIdC = HashC
/** The id of a network: a SHA-256 hash. */
export type NetworkId = Hash

/** The id of the network that a root has founded. The salt lets one root found several. */
export const networkIdOf = (root: PublicKey, salt: string): NetworkId => sha256(`carillon network\n${root}\n${salt}`)

/** The id that a party uses as long as it is in no network: made from its own first key. */
export const ownNetworkId = (key: PublicKey): NetworkId => sha256(`carillon own network\n${key}`)

/** What can be signed. */
export type SignatureTag =
  'tick' | 'transaction' | 'checkpoint' | 'notary request' | 'notary change' | 'network map' | 'key change'

/** Counts up when the form of signed texts changes. */
const signedFormat = 2

/** The text that is signed. No line may hold a line break of its own. */
export const textToSign = (tag: SignatureTag, network: NetworkId, ...lines: readonly (string | number)[]): string =>
  `carillon ${tag} ${signedFormat}\n${network}\n${lines.join('\n')}`
