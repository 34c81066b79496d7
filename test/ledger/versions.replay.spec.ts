import { expect } from 'chai'
import * as t from 'io-ts'
import { right } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import {
  allOf,
  defineContract,
  defineFlow,
  defineState,
  instant,
  InstantC,
  IntegerC,
  NoInputC,
  PartyC,
  rule,
  StateRefC,
  type App,
  type FlowBody,
  type LedgerTransaction,
  type Party,
  type StateDefinition,
  type StateRef,
} from '../../src/index.js'
import type { StateOptions } from '../../src/entries/types.js'
import {
  appOf,
  crashAndRestart,
  eventsOf,
  eventTypes,
  expectAlive,
  flowOf,
  refusal,
  startVirtual,
  Write,
} from '../flow/ledgerOfNotes.js'

type PriceV1 = { readonly owner: Party; readonly amount: number }
type PriceV2 = { readonly owner: Party; readonly cents: number; readonly currency: string }

const PriceV1C = t.strict({ owner: PartyC, amount: IntegerC }) as t.Type<PriceV1, unknown>
const PriceV2C = t.strict({ owner: PartyC, cents: IntegerC, currency: t.string }) as t.Type<PriceV2, unknown>

const upcast = (older: unknown): unknown => {
  const { owner, amount } = older as PriceV1
  return { owner, cents: amount * 100, currency: 'EUR' }
}

/** What a contract was shown, so that a spec can look at it. */
const shown: unknown[] = []
const watching = (name: string) =>
  defineContract({
    name,
    verify: (tx: LedgerTransaction) => {
      shown.push(...tx.inputs.map(({ data }) => data))
      return right(undefined)
    },
  })

const priceV1 = defineState({
  type: 'notes/Price',
  data: PriceV1C,
  participants: ({ owner }) => [owner],
  contract: watching('notes/Price'),
})
const priceV2 = (options: Partial<StateOptions<PriceV2>> = {}) =>
  defineState({
    type: 'notes/Price',
    version: 2,
    data: PriceV2C,
    participants: ({ owner }) => [owner],
    contract: watching('notes/Price'),
    upcasters: { 1: upcast },
    ...options,
  })

const Make = flowOf(function* (io): FlowBody<StateRef> {
  const made = yield* io.finalise((tx) => tx.produce(priceV1, { owner: io.me, amount: 5 }).command(Write, [io.me]))
  return made.output()
}, 'notes/Make')

const Read = <A>(Price: StateDefinition<A>) =>
  defineFlow({
    name: 'notes/Read',
    input: t.strict({ ref: StateRefC }),
    *run(io, { ref }): FlowBody<unknown> {
      const loaded = yield* io.load(Price, ref)
      const found = yield* io.query(Price)
      yield* io.finalise((tx) => tx.consume(loaded).command(Write, [io.me]))
      return { loaded: loaded.data, found: found.map(({ data }) => data) }
    },
  })

const appV1 = appOf([Make, Read(priceV1)], [priceV1])
const appV2 = (options: Partial<StateOptions<PriceV2>> = {}): App => {
  const Price = priceV2(options)
  return appOf([Make, Read(Price)], [Price])
}

describe('A state recorded by an older version of the app', () => {
  it('is upcast for flows and contracts, while what is recorded and the views stay as they are', async () => {
    const kept = await startVirtual(appV1)
    const upgraded = await startVirtual(appV1)
    const ref = await kept.node.run(Make, {})
    expect(await upgraded.node.run(Make, {})).to.deep.equal(ref)
    await crashAndRestart(kept, appV1)
    const node = await crashAndRestart(upgraded, appV2())
    expect(await node.viewsDigest(), 'the upgrade alone changes nothing').to.equal(await kept.node.viewsDigest())

    const v2 = { owner: node.party, cents: 500, currency: 'EUR' }
    const [entry] = (await node.queryVault({ type: 'notes/Price' })).items
    expect(entry).to.deep.include({ version: 1, data: { owner: node.party, amount: 5 } })
    expect((await node.states(priceV2())).map(({ data }) => data)).to.deep.equal([v2])
    expect((await node.state(priceV2(), ref))?.data).to.deep.equal(v2)

    shown.length = 0
    const handle = await node.startByName('notes/Read', { ref: { ...ref } })
    expect(await handle.result()).to.deep.equal({ loaded: v2, found: [v2] })
    expect(shown).to.deep.equal([v2])
    const recorded = (await eventsOf(node)).find(({ type }) => type === 'TransactionRecorded')
    expect(recorded).to.have.nested.property('body.outputs[0].data.amount', 5)
    await kept.stop()
    await upgraded.stop()
  })

  it('names the upcaster that fails, and only those who need the state fail', async () => {
    const virtual = await startVirtual(appV1)
    const ref = await virtual.node.run(Make, {})
    const broken = {
      1: () => {
        throw new Error('no such field')
      },
    }
    const node = await crashAndRestart(virtual, appV2({ upcasters: broken }))
    const { result } = await node.startByName('notes/Read', { ref: { ...ref } })
    const error = await refusal(result(), 'state-data-invalid')
    expect(error.message).to.include('notes/Price data of version 1').and.to.include('no such field')
    await expectAlive(virtual)
    await virtual.stop()
  })

  it('written by a newer app is refused by an older one, which says which it needs', async () => {
    const virtual = await startVirtual(appV2())
    const MakeV2 = (Price: StateDefinition<PriceV2>) =>
      defineFlow({
        name: 'notes/MakeV2',
        input: NoInputC,
        *run(io): FlowBody<StateRef> {
          const data = { owner: io.me, cents: 7, currency: 'CHF' }
          return (yield* io.finalise((tx) => tx.produce(Price, data).command(Write, [io.me]))).output()
        },
      })
    const Price = priceV2()
    await crashAndRestart(virtual, appOf([MakeV2(Price)], [Price]))
    const ref = await virtual.node.run(MakeV2(Price), {})
    const node = await crashAndRestart(virtual, appV1)
    const { result } = await node.startByName('notes/Read', { ref: { ...ref } })
    const error = await refusal(result(), 'state-version-unknown')
    expect(error.message).to.include('version 2').and.to.include('Run the newer app')
    await expectAlive(virtual)
    await virtual.stop()
  })
})

describe('A contract with versions', () => {
  const atMost = (limit: number) => (tx: LedgerTransaction) =>
    allOf(
      [...tx.inputs, ...tx.outputs].map(({ data }) =>
        rule(`n is at most ${limit}`, (data as { readonly n: number }).n <= limit),
      ),
    )
  const counter = (version: 1 | 2) =>
    defineState({
      type: 'notes/Counter',
      data: t.strict({ owner: PartyC, n: IntegerC }),
      participants: ({ owner }) => [owner],
      contract:
        version === 1
          ? defineContract({ name: 'notes/Counter', verify: atMost(10) })
          : defineContract({ name: 'notes/Counter', version: 2, verify: atMost(20), earlier: { 1: atMost(10) } }),
    })
  const Count = (Counter: ReturnType<typeof counter>) =>
    defineFlow({
      name: 'notes/Count',
      input: t.strict({ n: IntegerC, from: t.union([StateRefC, t.null]) }),
      *run(io, { n, from }): FlowBody<StateRef> {
        const made = yield* io.finalise((tx) => {
          if (from !== null) tx.consume(from)
          return tx.produce(Counter, { owner: io.me, n }).command(Write, [io.me])
        })
        return made.output()
      },
    })
  const app = (version: 1 | 2): App => {
    const Counter = counter(version)
    return appOf([Count(Counter)], [Counter])
  }
  const count = Count(counter(1))

  it('judges a state by the rules it was made under, also after an upgrade', async () => {
    const virtual = await startVirtual(app(1))
    const old = await virtual.node.run(count, { n: 5, from: null })
    await refusal(virtual.node.run(count, { n: 15, from: null }), 'contract-violated')
    const node = await crashAndRestart(virtual, app(2))
    const fresh = await node.run(count, { n: 15, from: null })
    const error = await refusal(node.run(count, { n: 15, from: old }), 'contract-violated')
    expect(error.message, 'the old state keeps the old rules').to.include('n is at most 10')
    await node.run(count, { n: 6, from: old })
    const both = await refusal(node.run(count, { n: 25, from: fresh }), 'contract-violated')
    expect(both.details['violations']).to.deep.equal(['n is at most 20'])
    await virtual.stop()
  })

  it('in a version that is not installed is refused, and the state can still be read', async () => {
    const virtual = await startVirtual(app(2))
    const ref = await virtual.node.run(count, { n: 15, from: null })
    const node = await crashAndRestart(virtual, app(1))
    const before = node.head.revision
    const error = await refusal(node.run(count, { n: 1, from: ref }), 'contract-unknown')
    expect(error.message)
      .to.include('notes/Counter version 2')
      .and.to.include('only up to version 1')
      .and.to.include('Install the app version')
    expect(await eventTypes(node, before + 1)).to.deep.equal(['FlowStarted', 'FlowEnded'])
    expect((await node.state(counter(1), ref))?.data.n).to.equal(15)
    await virtual.stop()
  })

  it('still finds the default contract when no state of the newer app uses it', async () => {
    const plain = defineState({
      type: 'notes/Plain',
      data: t.strict({ owner: PartyC }),
      participants: ({ owner }) => [owner],
    })
    const ruled = defineState({
      type: 'notes/Plain',
      data: t.strict({ owner: PartyC }),
      participants: ({ owner }) => [owner],
      contract: watching('notes/Plain'),
    })
    const flows = (Plain: typeof plain) =>
      [
        flowOf(function* (io): FlowBody<void> {
          yield* io.finalise((tx) => tx.produce(Plain, { owner: io.me }).command(Write, [io.me]))
        }, 'notes/Make'),
        flowOf(function* (io): FlowBody<void> {
          const [held] = yield* io.query(Plain)
          yield* io.finalise((tx) => tx.consume(held!).command(Write, [io.me]))
        }, 'notes/Take'),
      ] as const
    const bare = (Plain: typeof plain): App => ({ ...appOf([]), states: [Plain], flows: flows(Plain) })
    const virtual = await startVirtual(bare(plain))
    await virtual.node.run(flows(plain)[0], {})
    const node = await crashAndRestart(virtual, bare(ruled))
    await node.run(flows(plain)[1], {})
    expect(await node.states(plain)).to.deep.equal([])
    await virtual.stop()
  })
})

describe('Reassessing states', () => {
  const due = (at: 'never' | 'broken' | { readonly add: number }, version: 1 | 2 = 1) =>
    defineState({
      type: 'notes/Due',
      version,
      data: t.strict({ owner: PartyC, at: InstantC, n: IntegerC }),
      participants: ({ owner, n }) => {
        if (at === 'broken' && n === 1) throw new Error('cannot say')
        return [owner]
      },
      upcasters: {
        1: (older) => {
          if (at === 'broken' && (older as { readonly n: number }).n === 2) throw new Error('cannot lift')
          return older
        },
      },
      nextScheduledActivity: (data) =>
        at === 'never' || at === 'broken'
          ? none
          : some(Ring.at(instant(`2030-01-0${1 + at.add}T00:00:00.000Z`), { n: data.n })),
    })
  const Ring = defineFlow({
    name: 'notes/Ring',
    schedulable: true,
    input: t.strict({ n: IntegerC }),
    *run(io): FlowBody<void> {
      yield* io.now()
    },
  })
  const MakeDue = (Due: ReturnType<typeof due>) =>
    flowOf(function* (io): FlowBody<void> {
      const at = yield* io.now()
      for (let n = 0; n < 4; n++)
        yield* io.finalise((tx) => tx.produce(Due, { owner: io.me, at, n }).command(Write, [io.me]))
    }, 'notes/MakeDue')
  const app = (Due: ReturnType<typeof due>): App => appOf([Ring, MakeDue(Due)], [Due])

  it('asks a newer app again, records what has changed, and nothing else', async () => {
    const virtual = await startVirtual(app(due('never')))
    await virtual.node.run(MakeDue(due('never')), {})
    expect((await virtual.node.agenda()).items).to.deep.equal([])
    const later = due({ add: 0 })
    const node = await crashAndRestart(virtual, app(later))
    expect((await node.agenda()).items, 'an upgrade alone asks nobody').to.deep.equal([])
    const before = node.head.revision
    expect(await node.reassess(later)).to.deep.equal({ asked: 4, changed: 4 })
    expect(await eventTypes(node, before + 1)).to.deep.equal(Array.from({ length: 4 }, () => 'StateReassessed'))
    expect((await node.agenda()).items.map((entry) => entry.due)).to.deep.equal(
      Array.from({ length: 4 }, () => '2030-01-01T00:00:00.000Z'),
    )
    expect(await node.reassess(later)).to.deep.equal({ asked: 4, changed: 0 })
    const moved = due({ add: 1 })
    await crashAndRestart(virtual, app(moved))
    expect(await virtual.node.reassess(moved)).to.deep.equal({ asked: 4, changed: 4 })
    await virtual.advanceTo(instant('2030-01-02T00:00:00.000Z'))
    expect((await virtual.node.flows({ name: 'notes/Ring' })).items).to.have.length(4)
    await virtual.stop()
  })

  it('parks what the newer app cannot answer for, keeps the others, and the node goes on', async () => {
    const first = due({ add: 0 })
    const virtual = await startVirtual(app(first))
    await virtual.node.run(MakeDue(first), {})
    const broken = due('broken', 2)
    const node = await crashAndRestart(virtual, app(broken))
    expect(await node.reassess(broken)).to.deep.equal({ asked: 4, changed: 4 })
    await expectAlive(virtual)
    const parked = (await node.agenda({ show: 'attention' })).items
    expect(parked.map(({ error }) => error?.code)).to.deep.equal(['state-definition-faulty', 'state-data-invalid'])
    expect((await node.agenda()).items, 'the others ask for nothing any more').to.deep.equal([])
    expect(await node.reassess(broken), 'it is said once').to.deep.equal({ asked: 4, changed: 0 })
    const mended = due({ add: 0 }, 2)
    await crashAndRestart(virtual, app(mended))
    expect(await virtual.node.reassess(mended)).to.deep.equal({ asked: 4, changed: 4 })
    expect((await virtual.node.agenda()).items).to.have.length(4)
    await virtual.stop()
  })
})
