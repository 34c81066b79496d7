/**
 * `carillon/keys`: key pairs, composite keys and the key file of a node.
 */

// Identity
export {
  allKeys,
  CompositeKeyC,
  isSatisfiedBy,
  KeyC,
  primitiveKeys,
  thresholdOf,
  weighted,
  type CompositeKey,
  type Key,
} from '../identity/Key.js'
export type { KeyChange } from '../identity/KeyChange.js'
export { generateKeyPair, importKeyPair, verifySignature, type KeyPair } from '../identity/KeyPair.js'

// Networks of processes
export { readKeyFile, writeKeyFile, type KeyFileOptions } from '../keys/KeyFile.js'
export { rotateKey, type RotatedKey, type RotateKeyOptions } from '../folder/rotateKey.js'
