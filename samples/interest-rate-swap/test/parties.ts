/** Parties with keys of their own, for tests that need no network. */
import { testParty } from 'carillon/testing'
import type { Parties } from '../trades.js'

export const parties: Parties = {
  fixedPayer: testParty('Bank A'),
  floatingPayer: testParty('Bank B'),
  oracle: testParty('Oracle'),
  regulators: [testParty('Regulator')],
}
