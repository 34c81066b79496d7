/** Subscriptions: each public event once and in order, from any revision on, at the subscriber's own pace. */
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { VirtualNode } from 'carillon/testing'
import { CarillonError } from 'carillon'
import type { PublicEvent } from 'carillon/events'
import { Order, PlaceOrder, shop } from './orders.js'

const place = async (virtual: VirtualNode, count: number, article = 'bell'): Promise<void> => {
  for (let piece = 0; piece < count; piece++) await virtual.node.run(PlaceOrder, { article, pieces: 1 })
}

/** Takes events until there is one with this revision. */
const takeUntil = async (events: AsyncIterable<PublicEvent>, revision: number): Promise<readonly PublicEvent[]> => {
  const taken: PublicEvent[] = []
  for await (const event of events) {
    taken.push(event)
    if (event.revision >= revision) break
  }
  return taken
}

const refusalOf = async (act: () => unknown): Promise<string> => {
  try {
    await act()
  } catch (error) {
    if (error instanceof CarillonError) return error.code
    throw error
  }
  return 'none'
}

describe('A subscription', () => {
  it('gives what is in the log and then what comes, without a gap and without a repeat', async () => {
    const virtual = await VirtualNode.start({ app: shop() })
    await place(virtual, 3)
    const events = virtual.node.subscribe({ from: 'start' })
    const first = await takeUntil(events, -1)
    expect(first.map(({ type }) => type)).to.deep.equal(['NodeStarted'])
    const all: PublicEvent[] = []
    const subscription = virtual.node.subscribe({ from: 'start', on: (event) => void all.push(event) })
    for (let turns = 0; turns < 20; turns++) {
      await place(virtual, 1)
      await turn()
    }
    while ((subscription.revision ?? -1) < virtual.node.head.revision) await turn()
    const types = all.filter(({ type }) => type === 'TransactionRecorded')
    expect(types).to.have.length(23)
    const revisions = all.map(({ revision }) => revision)
    expect(revisions).to.deep.equal([...new Set(revisions)].sort((a, b) => a - b))
    subscription.close()
    await subscription.ended
  })

  it('begins at any revision, also in the middle of a tick, or with what comes next', async () => {
    const virtual = await VirtualNode.start({ app: shop() })
    await place(virtual, 3)
    const last = virtual.node.head.revision
    const whole = await takeUntil(virtual.node.subscribe({ from: 'start' }), last)
    for (const { revision } of whole) {
      const rest = await takeUntil(virtual.node.subscribe({ from: revision }), last)
      expect(rest).to.deep.equal(whole.filter((event) => event.revision >= revision))
    }
    const present = takeUntil(virtual.node.subscribe({ from: 'present' }), last + 1)
    await place(virtual, 1, 'clapper')
    expect((await present)[0]).to.include({ revision: last + 1 })
  })

  it('says what was produced, with revision, tick, instant and hash', async () => {
    const virtual = await VirtualNode.start({ app: shop() })
    await place(virtual, 1)
    const events = await takeUntil(virtual.node.subscribe({ from: 'start', types: ['TransactionRecorded'] }), 0)
    const [event] = events
    const { head } = virtual.node
    expect(event).to.include({ type: 'TransactionRecorded', tick: head.tick, hash: head.hash, at: virtual.now })
    const [state] = await virtual.node.states(Order)
    expect(event).to.have.nested.property('produced[0].ref').that.deep.equals(state?.ref)
    expect(event).to.have.nested.property('produced[0].data.article', 'bell')
    expect(event).to.have.nested.property('produced[0].relevant', true)
  })

  it('gives the same events as one that reads the log alone, however the two are interleaved', async () => {
    const virtual = await VirtualNode.start({ app: shop() })
    const live: PublicEvent[] = []
    const subscription = virtual.node.subscribe({
      from: 'start',
      on: async (event) => {
        live.push(event)
        if (event.revision % 3 === 0) await turn()
      },
    })
    await place(virtual, 30)
    while ((subscription.revision ?? -1) < virtual.node.head.revision) await turn()
    subscription.close()
    const read = await takeUntil(virtual.node.subscribe({ from: 0 }), virtual.node.head.revision)
    expect(live).to.deep.equal(read)
  })

  it('that is slow delays neither the node nor other subscriptions', async () => {
    const virtual = await VirtualNode.start({ app: shop() })
    const stuck = virtual.node.subscribe({ from: 'start', on: () => new Promise<void>(() => undefined) })
    await place(virtual, 5)
    const events = await takeUntil(virtual.node.subscribe({ from: 'start' }), virtual.node.head.revision)
    expect(events.filter(({ type }) => type === 'TransactionRecorded')).to.have.length(5)
    stuck.close()
    await stuck.ended
  })

  it('whose callback throws ends with the revision at which it did, and the node goes on', async () => {
    const virtual = await VirtualNode.start({ app: shop() })
    const subscription = virtual.node.subscribe({
      from: 'start',
      types: ['TransactionRecorded'],
      on: () => {
        throw new Error('no')
      },
    })
    await place(virtual, 1)
    expect(await refusalOf(() => subscription.ended)).to.equal('subscriber-threw')
    await place(virtual, 1)
  })

  it('ends by its signal, and when the node stops', async () => {
    const virtual = await VirtualNode.start({ app: shop() })
    const ending = new AbortController()
    const aborted = takeUntil(virtual.node.subscribe({ from: 'present', signal: ending.signal }), 1_000_000)
    const stopped = takeUntil(virtual.node.subscribe({ from: 'present' }), 1_000_000)
    ending.abort()
    expect(await aborted).to.deep.equal([])
    await virtual.stop()
    expect((await stopped).every(({ type }) => type === 'NodeStopped')).to.equal(true)
  })

  it('waits for a revision beyond the head, or refuses it when asked to', async () => {
    const virtual = await VirtualNode.start({ app: shop() })
    const beyond = virtual.node.head.revision + 4
    expect(await refusalOf(() => virtual.node.subscribe({ from: beyond, wait: false }))).to.equal('revision-unknown')
    const waited = takeUntil(virtual.node.subscribe({ from: beyond }), beyond)
    await place(virtual, 6)
    expect((await waited)[0]?.revision).to.be.at.least(beyond)
  })

  it('of an event that does not exist, or from nowhere, is refused', async () => {
    const virtual = await VirtualNode.start({ app: shop() })
    const types = ['FlowExploded'] as unknown as ['FlowEnded']
    expect(await refusalOf(() => virtual.node.subscribe({ from: 0, types }))).to.equal('request-invalid')
    for (const from of [-1, 1.5, Number.NaN, 'yesterday' as 'start'])
      expect(await refusalOf(() => virtual.node.subscribe({ from })), String(from)).to.equal('request-invalid')
  })

  it('goes on after an event that was taken, in the same history alone', async () => {
    const virtual = await VirtualNode.start({ app: shop() })
    await place(virtual, 3)
    const last = virtual.node.head.revision
    const whole = await takeUntil(virtual.node.subscribe({ from: 'start' }), last)
    for (const after of whole.slice(0, -1)) {
      const rest = await takeUntil(virtual.node.subscribe({ from: { after } }), last)
      expect(rest).to.deep.equal(whole.filter(({ revision }) => revision > after.revision))
    }
    const next = virtual.node.subscribe({ from: { after: whole.at(-1)! } }).next()
    await place(virtual, 1)
    expect((await next).value?.revision).to.be.greaterThan(last)
  })

  it('does not go on after an event that this log does not hold: it was restored, or is another one', async () => {
    const virtual = await VirtualNode.start({ app: shop() })
    await place(virtual, 3)
    const { revision, hash } = virtual.node.head
    const other = await VirtualNode.start({ app: shop(), seed: 'another' })
    // Its log ends before that revision at first, and holds another event there later.
    for (let placed = 0; placed < 2; placed++) {
      const events = other.node.subscribe({ from: { after: { revision, hash } } })
      expect(await refusalOf(() => events.next())).to.equal('subscription-ahead')
      const called = other.node.subscribe({ from: { after: { revision, hash } }, on: () => undefined })
      expect(await refusalOf(() => called.ended)).to.equal('subscription-ahead')
      await place(other, 4)
    }
    for (const after of [
      { revision: -1, hash },
      { revision, hash: 'none' },
      { revision: 1.5, hash },
    ])
      expect(await refusalOf(() => virtual.node.subscribe({ from: { after } }))).to.equal('request-invalid')
  })
})
