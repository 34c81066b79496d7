import { expect } from 'chai'
import * as fc from 'fast-check'
import { instantFromMillis, toMillis, type VaultEntry } from '../../src/index.js'
import { foldLog } from '../../src/entries/logs.js'
import type { Criterion, Sort, Status } from '../../src/entries/types.js'
import { VirtualNode } from '../../src/testing/index.js'
import { digestViews } from '../../src/storage/digest.js'
import { Order, Place, Resize, Ship, shop } from './shop.js'

type Known = { readonly entry: VaultEntry; readonly data: { colour?: string; size: number; paid: boolean } }

const colours = ['red', 'green', 'blue', 'ünlaut', '😀', '']
const sizes = [0, 1, 2, 2.5, 10, 1_000_000]

const wish = fc.record({
  colour: fc.option(fc.constantFrom(...colours), { nil: undefined }),
  size: fc.constantFrom(...sizes),
  paid: fc.boolean(),
})

const leaf: fc.Arbitrary<Criterion> = fc.oneof(
  fc.constantFrom(...colours, 'none').map((colour): Criterion => ({ field: 'colour', is: colour })),
  fc.constantFrom(...sizes, 7).map((size): Criterion => ({ field: 'size', is: size })),
  fc.boolean().map((paid): Criterion => ({ field: 'paid', is: paid })),
  fc.subarray(colours).map((some): Criterion => ({ field: 'colour', in: some })),
  fc
    .tuple(fc.option(fc.constantFrom(...sizes)), fc.option(fc.constantFrom(...sizes)))
    .map(([from, until]): Criterion => ({
      field: 'size',
      ...(from === null ? {} : { from }),
      ...(until === null ? {} : { until }),
    })),
  fc.constantFrom(...colours).map((from): Criterion => ({ field: 'colour', from })),
  fc.constantFrom(...colours).map((until): Criterion => ({ field: 'colour', until })),
  fc.nat(30).map((number): Criterion => ({ key: `order ${number}` })),
  fc.tuple(fc.nat(20), fc.nat(20)).map(([a, b]): Criterion => ({ recorded: minutes(a, b) })),
  fc.tuple(fc.nat(20), fc.nat(20)).map(([a, b]): Criterion => ({ consumed: minutes(a, b) })),
)

const start = toMillis('2026-01-01T00:00:00.000Z' as Parameters<typeof toMillis>[0])
const minutes = (from: number, until: number) => ({
  from: instantFromMillis(start + from * 60_000),
  until: instantFromMillis(start + until * 60_000),
})

const criterion: fc.Arbitrary<Criterion> = fc.letrec<{ node: Criterion }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.array(tie('node'), { maxLength: 3 }).map((and): Criterion => ({ and })),
    fc.array(tie('node'), { maxLength: 3 }).map((or): Criterion => ({ or })),
    tie('node').map((not): Criterion => ({ not })),
  ),
})).node

const bytes = (text: string): Buffer => Buffer.from(text)

const compare = (a: string | number | undefined, b: string | number | undefined): number => {
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(bytes(a), bytes(b))
  return Number(a) - Number(b)
}

const within = (at: string | undefined, span: { readonly from?: string; readonly until?: string }): boolean =>
  at !== undefined && (span.from === undefined || at >= span.from) && (span.until === undefined || at < span.until)

/** What a criterion means, said once more without any index. */
const holds = (known: Known, asked: Criterion): boolean => {
  if ('and' in asked) return asked.and.every((part) => holds(known, part))
  if ('or' in asked) return asked.or.some((part) => holds(known, part))
  if ('not' in asked) return !holds(known, asked.not)
  if ('key' in asked) return known.entry.key === asked.key
  if ('recorded' in asked) return within(known.entry.recordedAt, asked.recorded)
  if ('consumed' in asked) return within(known.entry.consumedAt, asked.consumed)
  if (!('field' in asked)) return true
  const value = { colour: known.data.colour, size: known.data.size, paid: known.data.paid }[asked.field]
  if (value === undefined) return false
  if ('is' in asked) return value === asked.is
  if ('in' in asked) return asked.in.includes(value)
  const above = asked.from === undefined || compare(value as never, asked.from as never) >= 0
  return above && (asked.until === undefined || compare(value as never, asked.until as never) < 0)
}

const sorts: readonly Sort[] = [
  { by: 'recorded' },
  { by: 'recorded', descending: true },
  { by: { field: 'size' } },
  { by: { field: 'colour' }, descending: true },
]

const everything = async (virtual: VirtualNode): Promise<readonly Known[]> =>
  (await virtual.node.queryVault({ type: Order.type, status: 'all', limit: 1_000 })).items.map((entry) => ({
    entry,
    data: entry.data as Known['data'],
  }))

const valueOf = ({ entry, data }: Known, sort: Sort): string | number | undefined => {
  if (sort.by === 'consumed') return entry.untilRevision
  if (sort.by === 'recorded') return 0
  return sort.by.field === 'size' ? data.size : data.colour
}

const expected = (all: readonly Known[], asked: Criterion, status: Status, sort: Sort): readonly string[] => {
  const way = sort.descending === true ? -1 : 1
  return all
    .map((known, place) => ({ known, place, value: valueOf(known, sort) }))
    .filter(({ known, value }) => {
      const isConsumed = known.entry.consumedBy !== undefined
      return value !== undefined && (status === 'all' || isConsumed === (status === 'consumed')) && holds(known, asked)
    })
    .sort((a, b) => way * (compare(a.value, b.value) || a.place - b.place))
    .map(({ known }) => `${known.entry.ref.transaction}:${known.entry.ref.index}`)
}

/** A shop after some orders were placed, shipped and resized, while the clock went on and once stepped back. */
const busyShop = async (wishes: readonly (readonly (typeof wish extends fc.Arbitrary<infer W> ? W : never)[])[]) => {
  const virtual = await VirtualNode.start({ app: shop })
  let number = 0
  for (const [round, some] of wishes.entries()) {
    await virtual.node.run(Place, { orders: some.map((each) => ({ ...each, number: number++ })) })
    if (round === 3) virtual.clock.setTo(virtual.clock.now() - 150_000)
    else await virtual.advanceBy({ minutes: 1 })
    const open = (await virtual.node.queryVault({ type: Order.type, limit: 1_000 })).items.map(({ ref }) => ref)
    const some3 = open.filter((_, index) => index % 3 === round % 3).slice(0, 4)
    if (some3.length > 0 && round % 2 === 0) await virtual.node.run(Resize, { orders: some3, size: 10 })
    if (some3.length > 0 && round % 2 === 1) await virtual.node.run(Ship, { orders: some3 })
  }
  return virtual
}

describe('queries of the vault', () => {
  it('find exactly the states that are meant, in the order asked for, page by page', async function () {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(wish, { minLength: 1, maxLength: 6 }), { minLength: 2, maxLength: 7 }),
        fc.array(fc.tuple(criterion, fc.nat(5)), { minLength: 8, maxLength: 8 }),
        async (wishes, questions) => {
          const virtual = await busyShop(wishes)
          const all = await everything(virtual)
          for (const [asked, size] of questions)
            for (const status of ['unconsumed', 'consumed', 'all'] as const)
              for (const sort of status === 'consumed' ? [...sorts, { by: 'consumed' } as const] : sorts) {
                const found: string[] = []
                let after: string | undefined
                do {
                  const page = await virtual.node.query(Order, {
                    where: asked,
                    status,
                    sort,
                    limit: size + 1,
                    ...(after === undefined ? {} : { after }),
                  })
                  found.push(...page.items.map(({ ref }) => `${ref.transaction}:${ref.index}`))
                  after = page.next
                } while (after !== undefined)
                expect(found, JSON.stringify({ asked, status, sort })).to.deep.equal(expected(all, asked, status, sort))
                if (sort.by !== 'recorded' || sort.descending === true) continue
                const [figures] = await virtual.node.aggregate({ type: Order.type, where: asked, status })
                expect(figures?.count).to.equal(found.length)
              }
          const rebuilt = await foldLog(virtual.node.readLog())
          expect(digestViews(rebuilt)).to.equal(await virtual.node.viewsDigest())
          await virtual.stop()
        },
      ),
      { numRuns: 5 },
    )
  })
})
