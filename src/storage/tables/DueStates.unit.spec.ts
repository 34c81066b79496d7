import { expect } from 'chai'
import { storageLimits } from '../limits.js'
import { DueStates } from './DueStates.js'
import type { StoredState } from './StoredState.js'

/** Of a row, what is asked here. */
const row = (seq: number): StoredState => ({ seq, actsAtMs: 10, untilRevision: null }) as StoredState

describe('Due states that were read ahead', () => {
  it('are not read again when one of them is consumed before its turn', () => {
    let reads = 0
    const rows = [row(1), row(2), row(3)]
    const due = new DueStates(storageLimits, {
      due: () => {
        reads += 1
        return rows
      },
      nextMs: () => 10,
    })
    expect(due.due(10, 1)).to.deep.equal([rows[0]])
    const [first, second] = rows
    if (first === undefined || second === undefined) throw new Error('there are three rows')
    // The vault says that it is consumed before the agenda takes its activity away.
    second.untilRevision = 5
    due.noteChange(second)
    second.actsAtMs = null
    first.actsAtMs = null
    expect(due.due(10, 1)).to.deep.equal([rows[2]])
    expect(reads).to.equal(1)
  })
})
