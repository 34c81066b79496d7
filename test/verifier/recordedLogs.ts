/**
 * The logs that are kept under test/replay, with the keys that signed them: virtual nodes make theirs from their names.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sha256 } from '../../src/encoding/hash.js'
import { NetworkIdC } from '../../src/identity/NetworkId.js'
import { keyPairFromSeed, type KeyPair } from '../../src/identity/KeyPair.js'
import { objectIn, parseFile, type LogFile } from './LogFile.js'
import { keyNamed } from './WrittenParty.js'

const folder = 'test/replay'

/** The paths of all recorded exports. */
export const recordedFiles = (): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ndjson'))
    .map((name) => join(folder, name))
    .sort()

/** The keys that a virtual node of this name may have: alone, or in a network. */
const keysOf = (party: string): readonly KeyPair[] =>
  ['key of carillon', `key of ${party} carillon`].map((seed) => keyPairFromSeed(sha256(seed)))

/** A log as it was recorded. One with a key that is not known here cannot be signed anew rightly, which is a case as well. */
export const recordedLog = (file: string): LogFile => {
  const text = readFileSync(file, 'utf8')
  const { party, network } = objectIn(text.split('\n')[2] ?? '') ?? {}
  const { name, key: identity } = objectIn(JSON.stringify(party)) ?? {}
  const key =
    keysOf(typeof name === 'string' ? name : '').find(({ publicKey }) => publicKey === identity) ?? keyNamed('forger')
  return parseFile(text, { key, network: NetworkIdC.is(network) ? network : sha256('no network') })
}
