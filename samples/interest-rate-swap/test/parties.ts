/** Parties with keys of their own, for tests that need no network. */
import type { Party } from 'carillon'
import { keyPairFromSeed, seededRandom } from 'carillon/testing'
import { HashC } from 'carillon'
import type { Parties } from '../trades/terms.js'

export const party = (name: string): Party => {
  const seed = seededRandom(name).hex(32)
  if (!HashC.is(seed)) throw new Error('a seed has 64 digits')
  return { name, key: keyPairFromSeed(seed).publicKey }
}

export const parties: Parties = {
  fixedPayer: party('Bank A'),
  floatingPayer: party('Bank B'),
  oracle: party('Oracle'),
  regulators: [party('Regulator')],
}
