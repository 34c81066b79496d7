import { expect } from 'chai'
import type { FlowRow } from '../flow/FlowRow.js'
import type { FlowsRead } from '../flow/FlowTables.js'
import { FlowsToWake } from './FlowsToWake.js'

const rowOf = (...waiting: readonly object[]): FlowRow =>
  ({ wakeMs: 5_000, waiting: JSON.stringify(waiting), status: 'running' }) as unknown as FlowRow
const ready = rowOf({ for: 'turn' })
const asleep = rowOf({ for: 'instant', until: '1970-01-01T00:00:05.000Z', kind: 'sleep', digest: '0'.repeat(16) })

/** Flows that are all to be woken at 5 s, and how often they were looked for. */
const tableOf = (rows: readonly FlowRow[]): { readonly flows: FlowsRead; readonly asked: number[] } => {
  const asked: number[] = []
  const toWake = (atMs: number): readonly FlowRow[] => {
    asked.push(atMs)
    return atMs >= 5_000 ? rows : []
  }
  return { flows: { toWake } as unknown as FlowsRead, asked }
}

describe('The flows that a tick wakes, after the clock was set back', () => {
  it('are those that may go on, too', () => {
    expect(new FlowsToWake(6_000).of(tableOf([ready, asleep]).flows, 1_000, 10)).to.deep.equal([ready])
  })

  it('are looked for once, and not in every tick, when none may go on', () => {
    const { flows, asked } = tableOf([asleep])
    const toWake = new FlowsToWake(6_000)
    for (const nowMs of [1_000, 1_001, 1_002]) expect(toWake.of(flows, nowMs, 10)).to.deep.equal([])
    expect(asked).to.deep.equal([6_000, 1_000, 1_001, 1_002])
  })

  it('are looked for again when a tick does not stand: one may be ready again', () => {
    const toWake = new FlowsToWake(6_000)
    expect(toWake.of(tableOf([]).flows, 1_000, 10)).to.deep.equal([])
    toWake.rolledBack()
    expect(toWake.of(tableOf([ready]).flows, 1_001, 10)).to.deep.equal([ready])
  })
})
