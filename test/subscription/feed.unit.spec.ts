/** The feed of a node's events: what its readers cost the node, however many there are. */
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { subscriptionLimits } from '../../src/subscription/limits.js'
import { eventsPerTick, GrowingLog } from './GrowingLog.js'

describe('A feed', () => {
  const following = (source: GrowingLog, readers: number) => {
    const ending = new AbortController()
    const taken = Array.from({ length: readers }, () => 0)
    const all = taken.map((_, reader) =>
      source.feed.each(source.head.revision + 1, AbortSignal.any([ending.signal]), ({ events }) => {
        taken[reader] = (taken[reader] ?? 0) + events.length
      }),
    )
    const end = async (): Promise<void> => {
      ending.abort()
      await Promise.all(all)
    }
    return { taken, end, sum: () => taken.reduce((sum, events) => sum + events, 0) }
  }

  it('hands out nothing inside the tick that brings it, and a bounded number of events between two turns', async () => {
    const source = new GrowingLog()
    const readers = 1_000
    const { sum, taken, end } = following(source, readers)
    await turn()
    source.tick()
    expect(sum()).to.equal(0)
    await Promise.resolve()
    expect(sum()).to.equal(0)
    for (let turns = 1; sum() < readers * eventsPerTick; turns++) {
      const before = sum()
      await turn()
      expect(sum() - before).to.be.at.most(2 * subscriptionLimits.eventsPerTurn)
      expect(turns).to.be.lessThan(readers)
    }
    expect(new Set(taken)).to.deep.equal(new Set([eventsPerTick]))
    await turn()
    expect(sum()).to.equal(readers * eventsPerTick)
    await end()
  })

  it('tells every reader, also while ticks come faster than all can be told', async () => {
    const source = new GrowingLog()
    const { taken, end } = following(source, 300)
    for (let ticks = 0; ticks < 50; ticks++) {
      source.tick()
      await turn()
    }
    while (taken.some((events) => events < 50 * eventsPerTick)) await turn()
    expect(new Set(taken)).to.deep.equal(new Set([50 * eventsPerTick]))
    await end()
  })

  it('lets those who catch up take turns, so that many hold up the node no more than one', async () => {
    const source = new GrowingLog()
    for (let ticks = 0; ticks < 500; ticks++) source.tick()
    const readers = 20
    const ending = new AbortController()
    let taken = 0
    const all = Array.from({ length: readers }, () =>
      source.feed.each(0, AbortSignal.any([ending.signal]), ({ events }) => {
        taken += events.length
      }),
    )
    const total = readers * source.ticks.length * eventsPerTick
    let most = 0
    for (let before = taken; taken < total; before = taken) {
      await turn()
      most = Math.max(most, taken - before)
    }
    expect(most).to.be.at.most(2 * subscriptionLimits.eventsPerTurn)
    ending.abort()
    await Promise.all(all)
  })

  it('decodes a recent tick once for all, and what it hands out cannot be changed', async () => {
    const source = new GrowingLog()
    const ending = new AbortController()
    const seen = new Set<unknown>()
    const all = Array.from({ length: 3 }, () =>
      source.feed.each(0, AbortSignal.any([ending.signal]), ({ events }) => void seen.add(events)),
    )
    await turn()
    source.tick()
    await turn()
    await turn()
    expect(seen.size).to.equal(1)
    const [events] = [...seen] as { type: string }[][]
    expect(() => {
      events![0]!.type = 'another'
    }).to.throw(TypeError)
    ending.abort()
    await Promise.all(all)
  })
})
