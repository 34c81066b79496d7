/** What each option of `carillon vault` promises, asked of one small shop. */
import { expect } from 'chai'
import * as t from 'io-ts'
import {
  defineApp,
  defineContract,
  defineFlow,
  defineState,
  PartyC,
  type FlowBody,
  type Instant,
  type Party,
} from '../../src/index.js'
import { allOf } from '../../src/ledger/Contract.js'
import { keyPairFromSeed } from '../../src/testing/index.js'
import { Act, Order, Place, Ship, shop } from '../vault/shop.js'
import { ask, keptInFolder, type Kept } from './inProcess.js'

const anything = defineContract({ name: 'shop/Anything', verify: () => allOf([]) })
/** Kept here for another party. */
const Label = defineState({
  type: 'shop/Label',
  data: t.strict({ owner: PartyC }),
  contract: anything,
  participants: ({ owner }) => [owner],
})
const KeepFor = defineFlow({
  name: 'shop/KeepFor',
  input: t.strict({ owner: PartyC }),
  *run(io, { owner }): FlowBody<void> {
    yield* io.finalise((tx) => tx.produce(Label, { owner }).command(Act, [io.me]))
  },
})
const app = defineApp({ ...shop, states: [...shop.states, Label], flows: [...shop.flows, KeepFor] })

const other: Party = { name: 'Other', key: keyPairFromSeed('a'.repeat(64)).publicKey }

describe('carillon vault', () => {
  let kept: Kept
  /** Before the second half of the orders was placed, and when the first order was shipped. */
  let noon: Instant
  let shipped: Instant
  let revisionAtNoon: number

  const vault = async (...args: readonly string[]) => ask(['vault', '--store', kept.folder, ...args])
  const entries = async (...args: readonly string[]): Promise<readonly Record<string, unknown>[]> =>
    (await vault('--json', ...args)).out.map((line) => JSON.parse(line) as Record<string, unknown>)
  const numbers = async (...args: readonly string[]): Promise<readonly unknown[]> =>
    (await entries('--type', 'shop/Order', ...args)).map(({ data }) => (data as { readonly number: number }).number)
  const codeOf = async (...args: readonly string[]): Promise<string> =>
    vault(...args).then(
      () => 'none',
      (error: unknown) => (error as { readonly code: string }).code,
    )

  before(async () => {
    kept = await keptInFolder(app)
    const { virtual } = kept
    const order = (number: number, colour: string | undefined, size: number) => ({
      ...{ number, colour, size },
      paid: number % 2 === 0,
    })
    await virtual.node.run(Place, { orders: [order(1, 'red', 10), order(2, 'blue', 20), order(3, 'red', 30)] })
    await virtual.advanceBy({ hours: 1 })
    noon = virtual.now
    revisionAtNoon = virtual.node.head.revision
    await virtual.node.run(Place, { orders: [order(4, undefined, 40), order(5, 'green', 50)] })
    await virtual.node.run(KeepFor, { owner: other })
    await virtual.advanceBy({ hours: 1 })
    shipped = virtual.now
    const first = await virtual.node.find(Order, 'order 1')
    await virtual.node.run(Ship, { orders: first === undefined ? [] : [first.ref] })
  })
  after(() => kept.remove())

  it('shows the unconsumed states oldest first, as a table or as JSON lines', async () => {
    const { out } = await vault()
    expect(out[0]).to.match(/^RECORDED +STATE +REF .*DATA/)
    expect(out).to.have.length(1 + 4 + 2)
    expect(await numbers()).to.deep.equal([2, 3, 4, 5])
    expect((await vault('--type', 'shop/None')).out).to.deep.equal(['No such states.'])
  })

  it('--status tells used up ones from others', async () => {
    expect(await numbers('--status', 'consumed')).to.deep.equal([1])
    expect(await numbers('--status', 'all')).to.deep.equal([1, 2, 3, 4, 5])
    expect(await codeOf('--status', 'eaten')).to.equal('commander.invalidArgument')
  })

  it('--key finds what is, or was, known by it', async () => {
    expect(await numbers('--key', 'order 3')).to.deep.equal([3])
    expect(await numbers('--key', 'order 1', '--status', 'all')).to.deep.equal([1])
    expect(await codeOf('--key', 'order 3')).to.equal('query-invalid')
  })

  it('--where compares an indexed field, and several must all hold', async () => {
    expect(await numbers('--where', 'colour=red')).to.deep.equal([3])
    expect(await numbers('--where', 'size>=30')).to.deep.equal([3, 4, 5])
    expect(await numbers('--where', 'size<30')).to.deep.equal([2])
    expect(await numbers('--where', 'paid!=true')).to.deep.equal([3, 5])
    expect(await numbers('--where', 'size>=20', '--where', 'paid=true')).to.deep.equal([2, 4])
    const either = JSON.stringify({
      or: [
        { field: 'colour', is: 'blue' },
        { field: 'size', is: 50 },
      ],
    })
    expect(await numbers('--where', either)).to.deep.equal([2, 5])
  })

  it('--where refuses what it cannot mean, and names the fields there are', async () => {
    for (const odd of ['colour', '{"field"', '{"colour":"red"}'])
      expect(await codeOf('--type', 'shop/Order', '--where', odd), odd).to.equal('commander.invalidArgument')
    expect(await codeOf('--where', 'colour=red')).to.equal('query-invalid')
    const unknown: unknown = await vault('--type', 'shop/Order', '--where', 'weight=3').catch((error: unknown) => error)
    expect(unknown).to.have.property('code', 'query-invalid')
    expect((unknown as Error).message).to.contain('colour')
  })

  it('--party finds what a party takes part in, and --observed also what is kept for others', async () => {
    const { key } = kept.virtual.node.party
    expect(await numbers('--party', key)).to.deep.equal([2, 3, 4, 5])
    expect(await entries('--party', other.key)).to.deep.equal([])
    expect((await entries('--party', other.key, '--observed')).map(({ type }) => type)).to.deep.equal(['shop/Label'])
    expect(await entries('--observed')).to.have.length(7)
    expect(await codeOf('--party', 'Other')).to.equal('usage')
  })

  it('--recorded-… and --consumed-… take a span of time, from its first instant until before its last', async () => {
    expect(await numbers('--recorded-until', noon)).to.deep.equal([2, 3])
    expect(await numbers('--recorded-from', noon)).to.deep.equal([4, 5])
    expect(await numbers('--status', 'all', '--consumed-from', shipped)).to.deep.equal([1])
    expect(await numbers('--status', 'all', '--consumed-until', shipped)).to.deep.equal([])
    expect(await numbers('--recorded-from', noon, '--recorded-until', noon)).to.deep.equal([])
    expect(await codeOf('--recorded-from', 'noon')).to.not.equal('none')
  })

  it('--sort and --descending give the order; what lacks the field is left out', async () => {
    expect(await numbers('--sort', 'size', '--descending')).to.deep.equal([5, 4, 3, 2])
    expect(await numbers('--descending')).to.deep.equal([5, 4, 3, 2])
    expect(await numbers('--sort', 'colour')).to.deep.equal([2, 5, 3])
    expect(await numbers('--status', 'consumed', '--sort', 'consumed')).to.deep.equal([1])
    expect(await codeOf('--type', 'shop/Order', '--sort', 'weight')).to.equal('query-invalid')
  })

  it('--limit and --after go through it page by page, each state once', async () => {
    const seen: unknown[] = []
    let cursor: readonly string[] = []
    for (let page = 0; page < 10; page++) {
      const { out, err } = await vault('--json', '--type', 'shop/Order', '--limit', '3', '--sort', 'size', ...cursor)
      seen.push(...out.map((line) => (JSON.parse(line) as { data: { number: number } }).data.number))
      const [, after] = /^There are more: add --after (\S+)$/.exec(err.join('')) ?? []
      if (after === undefined) break
      cursor = ['--after', after]
    }
    expect(seen).to.deep.equal([2, 3, 4, 5])
    expect(await codeOf('--limit', '0')).to.equal('commander.invalidArgument')
    expect(await codeOf('--after', 'nonsense')).to.equal('query-invalid')
  })

  it('--count, --sum and --by add up instead of listing', async () => {
    expect((await vault('--type', 'shop/Order', '--count')).out).to.deep.equal(['COUNT', '    4'])
    expect(await entries('--type', 'shop/Order', '--sum', 'size')).to.deep.equal([
      { count: 4, sum: 140, average: 35, min: 20, max: 50 },
    ])
    const colours = await entries('--type', 'shop/Order', '--by', 'paid', '--sum', 'size')
    expect(colours.map(({ group, count, sum }) => [group, count, sum])).to.have.deep.members([
      [1, 2, 60],
      [0, 2, 80],
    ])
    expect((await vault('--type', 'shop/None', '--count')).out).to.deep.equal(['COUNT', '    0'])
    expect(await codeOf('--type', 'shop/Order', '--sum', 'weight')).to.equal('query-invalid')
  })

  it('--at shows it as it was at a revision or an instant', async () => {
    expect(await numbers('--at', String(revisionAtNoon))).to.deep.equal([1, 2, 3])
    expect(await numbers('--at', shipped)).to.include(5)
    expect(await codeOf('--at', '1000000')).to.equal('revision-unknown')
  })
})
