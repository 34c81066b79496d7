import { expect } from 'chai'
import { nearestNames } from './nearestNames.js'

describe('The nearest names', () => {
  const known = ['heartbeat/Beat', 'heartbeat/StartHeartbeat', 'notes/Note', 'go']
  for (const [given, meant] of [
    ['Beat', ['heartbeat/Beat']],
    ['other/beat', ['heartbeat/Beat']],
    ['HEARTBEAT/BEAT', ['heartbeat/Beat']],
    ['heartbeat/Baet', ['heartbeat/Beat']],
    ['heartbeat/Bea', ['heartbeat/Beat']],
    ['notes/Notee', ['notes/Note']],
    ['notes/Nothing', []],
    ['to', []],
    ['', []],
    ['notes/', []],
    ['x'.repeat(100_000), []],
  ] as const)
    it(`to "${given.slice(0, 20)}" are ${meant.length === 0 ? 'none' : meant.join(', ')}`, () => {
      expect(nearestNames(given, known)).to.deep.equal(meant)
    })
})
