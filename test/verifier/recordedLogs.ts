/**
 * The logs that are kept under test/replay, with the keys that signed them: virtual nodes make theirs from their names.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sha256 } from '../../src/encoding/hash.js'
import { NetworkIdC } from '../../src/identity/NetworkId.js'
import { keyPairFromSeed, type KeyPair } from '../../src/identity/KeyPair.js'
import { objectIn, parseFile, type LogFile } from './LogFile.js'

const folder = 'test/replay'

/** The paths of all recorded exports. */
export const recordedFiles = (): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ndjson'))
    .map((name) => join(folder, name))
    .sort()

const keyOf = (party: string): KeyPair =>
  keyPairFromSeed(sha256(party === 'Me' ? 'key of carillon' : `key of ${party} carillon`))

/** A log as it was recorded. Throws when its key is not the one that its party's name gives. */
export const recordedLog = (file: string): LogFile => {
  const text = readFileSync(file, 'utf8')
  const { party, network } = objectIn(text.split('\n')[2] ?? '') ?? {}
  const { name, key: identity } = objectIn(JSON.stringify(party)) ?? {}
  const key = keyOf(String(name))
  if (key.publicKey !== identity || !NetworkIdC.is(network)) throw new Error(`${file} is not signed with a known key`)
  return parseFile(text, { key, network })
}
