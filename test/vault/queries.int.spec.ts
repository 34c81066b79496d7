import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import {
  CarillonError,
  defineApp,
  defineContract,
  defineFlow,
  defineState,
  PartyC,
  StateRefC,
  type FlowBody,
  type StateRef,
} from '../../src/index.js'
import type { Criterion, VaultUpdate } from '../../src/entries/types.js'
import { keyPairFromSeed, VirtualNode } from '../../src/testing/index.js'
import { Act, Order, Parcel, Place, Resize, Ship, shop } from './shop.js'

const codeOf = async (run: Promise<unknown>): Promise<string> => {
  try {
    await run
  } catch (error) {
    return error instanceof CarillonError ? error.code : String(error)
  }
  return 'nothing was thrown'
}

const orders = (count: number, first = 0) =>
  Array.from({ length: count }, (_, index) => ({
    number: first + index,
    colour: ['red', 'green', 'blue'][index % 3],
    size: index,
    paid: index % 2 === 0,
  }))

const shopWith = async (count: number): Promise<VirtualNode> => {
  const virtual = await VirtualNode.start({ app: shop })
  await virtual.node.run(Place, { orders: orders(count) })
  return virtual
}

const Shared = defineState({
  type: 'shop/Shared',
  data: t.strict({ parties: t.readonlyArray(PartyC), label: t.string }),
  participants: ({ parties }) => parties,
  contract: defineContract({ name: 'shop/Free', verify: () => right(undefined) }),
})
const Share = defineFlow({
  name: 'shop/Share',
  input: t.strict({ with: t.readonlyArray(PartyC), label: t.string }),
  *run(io, { with: others, label }): FlowBody<void> {
    yield* io.finalise((tx) => tx.produce(Shared, { parties: [io.me, ...others], label }).command(Act, [io.me]))
  },
})

const Pick = defineFlow({
  name: 'shop/Pick',
  input: t.strict({ colour: t.string, seconds: t.number }),
  *run(io, { colour, seconds }): FlowBody<readonly number[]> {
    const where: Criterion = { and: [{ field: 'colour', is: colour }, { locked: false }] }
    const found = yield* io.query(Order, { where, sort: { by: { field: 'size' }, descending: true }, limit: 2 })
    yield* io.lock(...found)
    yield* io.sleep({ seconds })
    return found.map(({ data }) => data.size)
  },
})
const Grab = defineFlow({
  name: 'shop/Grab',
  input: t.strict({ orders: t.readonlyArray(StateRefC) }),
  *run(io, { orders }): FlowBody<void> {
    yield* io.lock(...orders)
    yield* io.sleep({ hours: 1 })
    yield* io.unlock(...orders)
    yield* io.sleep({ hours: 1 })
  },
})
const Leaf = defineFlow({
  name: 'shop/Leaf',
  input: t.strict({}),
  *run(io): FlowBody<readonly number[]> {
    const sizes: number[] = []
    let after: string | undefined
    do {
      const page = yield* io.queryPage(Order, { limit: 4, ...(after === undefined ? {} : { after }) })
      sizes.push(...page.items.map(({ data }) => data.size))
      after = page.next
      yield* io.sleep({ seconds: 1 })
    } while (after !== undefined)
    return sizes
  },
})
const Misspelt = defineFlow({
  name: 'shop/Misspelt',
  input: t.strict({}),
  *run(io): FlowBody<number> {
    return (yield* io.query(Order, { where: { field: 'color', is: 'red' } })).length
  },
})
const picking = defineApp({
  name: 'shop',
  states: [Order, Parcel],
  flows: [Place, Ship, Resize, Pick, Grab, Leaf, Misspelt],
})

describe('A query of the vault', () => {
  it('that would be unbounded or makes no sense is refused, with what to do', async () => {
    const { node } = await shopWith(3)
    const refusals: readonly (readonly [string, () => Promise<unknown>])[] = [
      ['query-unbounded', () => node.query(Order, { limit: 1_001 })],
      ['query-unbounded', () => node.query(Order, { limit: 0 })],
      ['query-invalid', () => node.query(Order, { where: { field: 'color', is: 'red' } })],
      ['query-invalid', () => node.query(Parcel, { sort: { by: { field: 'size' } } })],
      ['query-invalid', () => node.queryVault({ where: { field: 'colour', is: 'red' } })],
      ['query-invalid', () => node.queryVault({ key: 'order 1' })],
      ['query-invalid', () => node.query(Order, { after: 'elsewhere' })],
      ['query-invalid', () => node.query(Order, { after: '%', sort: { by: { field: 'size' } } })],
      ['query-invalid', () => node.query(Order, { sort: { by: 'consumed' } })],
      ['query-invalid', () => node.query(Order, { where: { or: Array<Criterion>(101).fill({ locked: true }) } })],
      ['query-invalid', () => node.query(Order, { where: { fields: 1 } as unknown as Criterion })],
      ['query-invalid', () => node.query(Order, { status: 'used' as 'all' })],
    ]
    for (const [code, ask] of refusals) expect(await codeOf(ask()), ask.toString()).to.equal(code)
  })

  it('finds all versions of one thing by its key, whether or not they are used up', async () => {
    const { node } = await shopWith(3)
    for (const size of [10, 11, 12]) {
      const found = await node.find(Order, 'order 1')
      await node.run(Resize, { orders: [found!.ref], size })
    }
    const all = await node.query(Order, { key: 'order 1', status: 'all' })
    expect(all.items.map(({ data }) => data.size)).to.deep.equal([1, 10, 11, 12])
    const open = await node.query(Order, { where: { key: 'order 1' } })
    expect(open.items.map(({ data }) => data.size)).to.deep.equal([12])
  })

  it('counts, adds up and compares, for each value of a field', async () => {
    const { node } = await shopWith(10)
    expect(await node.aggregate({ type: Order.type, of: 'size', by: 'colour' })).to.deep.equal([
      { group: 'blue', count: 3, sum: 2 + 5 + 8, average: 5, min: 2, max: 8 },
      { group: 'green', count: 3, sum: 1 + 4 + 7, average: 4, min: 1, max: 7 },
      { group: 'red', count: 4, sum: 0 + 3 + 6 + 9, average: 4.5, min: 0, max: 9 },
    ])
    const where: Criterion = { field: 'size', from: 5 }
    expect(await node.aggregate({ type: Order.type, where, of: 'colour' })).to.deep.equal([
      { count: 5, min: 'blue', max: 'red' },
    ])
    expect(await node.aggregate({ type: 'shop/Nothing' })).to.deep.equal([{ count: 0 }])
  })

  it('knows who takes part, and finds what is shared with one party', async () => {
    const party = (name: string, digit: string) => ({ name, key: keyPairFromSeed(digit.repeat(64)).publicKey })
    const [bob, carol] = [party('Bob', '1'), party('Carol', '2')]
    const { node } = await VirtualNode.start({ app: defineApp({ name: 'shop', states: [Shared], flows: [Share] }) })
    await node.run(Share, { with: [], label: 'mine' })
    await node.run(Share, { with: [bob], label: 'with Bob' })
    await node.run(Share, { with: [bob, carol], label: 'with both' })
    await node.run(Share, { with: [carol, carol], label: 'twice with Carol' })
    const found = async (where: Criterion) => (await node.query(Shared, { where })).items.map(({ data }) => data.label)
    expect(await found({ party: bob })).to.deep.equal(['with Bob', 'with both'])
    expect(await found({ party: carol.key })).to.deep.equal(['with both', 'twice with Carol'])
    expect(await found({ party: node.party })).to.have.lengthOf(4)
    expect(await found({ participants: [bob, node.party] })).to.deep.equal(['with Bob'])
    expect(await found({ participants: [node.party] })).to.deep.equal(['mine'])
    expect(await found({ participants: [carol, node.party] })).to.deep.equal(['twice with Carol'])
    expect(await found({ not: { party: bob } })).to.deep.equal(['mine', 'twice with Carol'])
  })

  it('in a flow gives the same states again when the flow is run over its record', async () => {
    const virtual = await VirtualNode.start({ app: picking })
    await virtual.node.run(Place, { orders: orders(10) })
    const handle = await virtual.node.start(Leaf, {})
    await virtual.advanceBy({ seconds: 1 })
    await virtual.crash()
    await virtual.restart()
    await virtual.advanceBy({ seconds: 5 })
    expect(await virtual.node.resultOf(handle.id)).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(await codeOf(virtual.node.run(Misspelt, {}))).to.equal('query-invalid')
  })

  it('of an app that has come to index more finds older states once they were asked about again', async () => {
    const Unindexed = defineState({
      type: Order.type,
      data: Order.data,
      participants: ({ owner }) => [owner],
      key: ({ number }) => `order ${number}`,
    })
    const Make = defineFlow({
      name: 'shop/Make',
      input: t.strict({}),
      *run(io): FlowBody<void> {
        const order = { owner: io.me, number: 1, colour: 'red', size: 1, paid: true }
        yield* io.finalise((tx) => tx.produce(Unindexed, order).command(Act, [io.me]))
      },
    })
    const before = defineApp({ name: 'shop', states: [Unindexed, Parcel], flows: [Make] })
    const virtual = await VirtualNode.start({ app: before })
    await virtual.node.run(Make, {})
    await virtual.stop()
    await virtual.restart({ app: shop })
    const red = () => virtual.node.query(Order, { where: { field: 'colour', is: 'red' } })
    expect((await red()).items).to.have.lengthOf(0)
    expect(await virtual.node.reassess(Order)).to.deep.equal({ asked: 1, changed: 1 })
    expect((await red()).items).to.have.lengthOf(1)
    expect(await virtual.node.reassess(Order)).to.deep.equal({ asked: 1, changed: 0 })
  })
})

describe('Tracking a query', () => {
  it('gives a snapshot and then every change, with none missed and none twice', async () => {
    const virtual = await shopWith(30)
    const { node } = virtual
    const updates: VaultUpdate[] = []
    const where: Criterion = { field: 'paid', is: true }
    // What happens while the snapshot is asked for is either in it or comes as an update.
    const meanwhile = node.run(Place, { orders: orders(10, 100) })
    const tracking = await node.track({ type: Order.type, where, limit: 5 }, (update) => void updates.push(update))
    await meanwhile
    await node.run(Place, { orders: orders(4, 200) })
    const held = new Map(tracking.first.items.map((entry) => [JSON.stringify(entry.ref), entry.data]))
    let after = tracking.first.next
    for (let page = 0; after !== undefined; page++) {
      if (page === 1) {
        const open = (await node.query(Order, { where, sort: { by: 'recorded', descending: true } })).items
        await node.run(Ship, { orders: [open[0]!.ref, open.at(-1)!.ref, open[3]!.ref] })
      }
      const { items, next } = await tracking.page(after)
      for (const { ref, data } of items) held.set(JSON.stringify(ref), data)
      after = next
    }
    const seen = new Set(held.keys())
    for (const { produced, consumed } of updates) {
      for (const { ref, data } of produced) {
        expect(seen.has(JSON.stringify(ref))).to.equal(false)
        held.set(JSON.stringify(ref), data)
      }
      for (const { ref } of consumed) held.delete(JSON.stringify(ref))
    }
    const now = (await node.query(Order, { where, limit: 1_000 })).items
    expect([...held.keys()].sort()).to.deep.equal(now.map(({ ref }) => JSON.stringify(ref)).sort())
    tracking.stop()
    const before = updates.length
    await node.run(Place, { orders: orders(4, 300) })
    expect(updates).to.have.lengthOf(before)
  })

  it('says nothing of what a tick has both made and used up, nor of other states', async () => {
    const virtual = await shopWith(2)
    const updates: VaultUpdate[] = []
    const [first] = (await virtual.node.query(Order)).items
    await virtual.node.track(
      { type: Order.type, where: { field: 'size', is: 77 } },
      (update) => void updates.push(update),
    )
    await virtual.node.run(Resize, { orders: [first!.ref], size: 76 })
    expect(updates).to.deep.equal([])
    const [, changed] = (await virtual.node.query(Order)).items
    await virtual.node.run(Resize, { orders: [changed!.ref], size: 77 })
    expect(updates.map(({ produced, consumed }) => [produced.length, consumed.length])).to.deep.equal([[1, 0]])
  })
})

describe('A soft lock', () => {
  const started = async (): Promise<VirtualNode> => {
    const virtual = await VirtualNode.start({ app: picking })
    await virtual.node.run(Place, { orders: orders(12) })
    return virtual
  }

  it('makes flows that ask for free states choose different ones', async () => {
    const virtual = await started()
    const handles = [
      await virtual.node.start(Pick, { colour: 'red', seconds: 10 }),
      await virtual.node.start(Pick, { colour: 'red', seconds: 10 }),
      await virtual.node.start(Pick, { colour: 'red', seconds: 10 }),
    ]
    await virtual.advanceBy({ seconds: 10 })
    expect(await Promise.all(handles.map(({ result }) => result()))).to.deep.equal([[9, 6], [3, 0], []])
    // All have ended, so everything is free again.
    const after = await virtual.node.start(Pick, { colour: 'red', seconds: 0 })
    await virtual.advanceBy({ seconds: 1 })
    expect(await after.result()).to.deep.equal([9, 6])
  })

  it('is had for all of the states or for none', async () => {
    const virtual = await started()
    const refs = (await virtual.node.query(Order)).items.map(({ ref }) => ref)
    const some = (...places: readonly number[]): StateRef[] => places.map((place) => refs[place]!)
    const first = await virtual.node.start(Grab, { orders: some(0, 1) })
    expect(await codeOf(virtual.node.run(Grab, { orders: some(2, 1, 3) }))).to.equal('state-locked')
    const locked = async () =>
      (await virtual.node.query(Order, { where: { locked: true } })).items.map(({ ref }) => ref)
    expect(await locked()).to.deep.equal(some(0, 1))
    await virtual.crash()
    await virtual.restart()
    expect(await locked(), 'after a crash').to.deep.equal(some(0, 1))
    await virtual.node.killFlow(first.id)
    expect(await locked(), 'after a kill').to.deep.equal([])
    const second = await virtual.node.start(Grab, { orders: some(2, 1, 3) })
    expect(await locked()).to.deep.equal(some(1, 2, 3))
    expect(await codeOf(virtual.node.run(Ship, { orders: some(2) }))).to.equal('state-locked')
    await virtual.advanceBy({ hours: 1 })
    expect(await locked(), 'given back').to.deep.equal([])
    await virtual.advanceBy({ hours: 1 })
    await second.result()
  })
})
