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
      isUnchanged: () => false,
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

  it('are read again when few are left and the tick has changed nothing, and never in its midst before they are used up', () => {
    const rows = Array.from({ length: 40 }, (_, seq) => row(seq))
    let reads = 0
    let isUnchanged = true
    const due = new DueStates(
      { ...storageLimits, dueReadAhead: 32 },
      {
        due: (_nowMs, limit) => {
          reads += 1
          return rows.filter(({ actsAtMs }) => actsAtMs !== null).slice(0, limit)
        },
        nextMs: () => 10,
        isUnchanged: () => isUnchanged,
      },
    )
    const take = (): number | undefined => {
      const [first] = due.due(10, 1)
      if (first !== undefined) first.actsAtMs = null
      return first?.seq
    }
    const taken = [take()]
    isUnchanged = false
    for (let left = 31; left > 1; left--) taken.push(take())
    expect(reads).to.equal(1)
    isUnchanged = true
    taken.push(take())
    expect(reads).to.equal(2)
    isUnchanged = false
    while (taken.length < 40) taken.push(take())
    expect(reads).to.equal(2)
    expect(taken).to.deep.equal(rows.map(({ seq }) => seq))
  })
})
