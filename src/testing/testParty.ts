/**
 * A party for tests: the same name always has the same key.
 */
import { sha256 } from '../encoding/hash.js'
import { keyPairFromSeed } from '../identity/KeyPair.js'
import type { Party } from '../identity/Party.js'

/** A party with a key made from its name, for tests that need someone to take part or to sign. */
export const testParty = (name: string): Party => ({
  name,
  key: keyPairFromSeed(sha256(`test party ${name}`)).publicKey,
})
