/**
 * Bills whose activities go every way an activity can go: paid, missed, moved, parked, left, declared once. Two versions of the
 * rules, of which the later says something else of bills that are recorded already.
 */
import * as t from 'io-ts'
import { none, some } from 'fp-ts/lib/Option.js'
import {
  defineCommand,
  defineFlow,
  defineState,
  InstantC,
  IntegerC,
  PartyC,
  plus,
  StateRefC,
  type AnyFlowDefinition,
  type FlowBody,
  type FlowDefinition,
  type StateDefinition,
} from 'carillon'
import { isSome } from 'fp-ts/lib/Option.js'
import { canonicalText } from '../../src/encoding/canonical.js'
import { meets, statesMeant, type PlainState } from '../../src/testing/model/plainVault.js'
import { CriterionC } from '../../src/vault/query/Criterion.js'

/** What becomes of a bill. */
const BillKindC = t.keyof({
  /** Paid at once, when it is due. */
  plain: null,
  /** Too late after a second: a reminder is sent instead. */
  strict: null,
  /** Too late after a second, and there is nothing for that case. */
  lapsing: null,
  /** Never started a second time. */
  once: null,
  /** Its flow leaves it as it is, and means to. */
  left: null,
  /** Its flow leaves it as it is, and does not say so. */
  forgotten: null,
  /** It cannot say what it asks for. */
  silent: null,
  /** It names a flow with an input that this does not take. */
  misdirected: null,
  /** The later version has it paid a second later. */
  moved: null,
  /** The later version asks for nothing. */
  waived: null,
})
export type BillKind = t.TypeOf<typeof BillKindC>
export const billKinds = Object.keys(BillKindC.keys) as readonly BillKind[]

const BillC = t.strict({
  owner: PartyC,
  number: t.string,
  kind: BillKindC,
  amount: IntegerC,
  note: t.union([t.string, t.null]),
  dueAt: InstantC,
})
type Bill = t.TypeOf<typeof BillC>

const Settle = defineCommand({ type: 'trips/Settle' })
const billInput = t.strict({ bill: StateRefC })
const flows = { pay: 'trips/Pay', remind: 'trips/Remind', leave: 'trips/Leave', forget: 'trips/Forget' } as const

/** What the states and flows of bills are in one version of the app. */
export type Bills = {
  readonly Bill: StateDefinition<Bill>
  readonly flows: readonly AnyFlowDefinition[]
  readonly Send: FlowDefinition<
    { readonly bills: readonly Omit<Bill, 'owner' | 'dueAt'>[]; readonly inMs: number },
    void
  >
  readonly Await: FlowDefinition<
    { readonly key: string | null; readonly amount: number; readonly withinMs: number | null },
    string
  >
  readonly Search: FlowDefinition<t.TypeOf<typeof SearchC>, number>
}

const SearchC = t.strict({
  where: t.union([CriterionC, t.null]),
  by: t.union([t.keyof({ amount: null, note: null, large: null }), t.null]),
  descending: t.boolean,
  limit: IntegerC,
})

/** A bill as the later version sees it, in which it has other fields. */
const indexedOf = (isLater: boolean) => ({
  amount: ({ amount }: Bill) => amount,
  large: ({ amount }: Bill) => amount >= 50,
  note: ({ note, amount }: Bill) => (isLater && amount % 7 === 0 ? amount : (note ?? undefined)),
})

const plainOf = (bill: Bill, isLater: boolean): PlainState => ({
  type: 'trips/Bill',
  relevant: true,
  key: bill.number,
  indexed: Object.fromEntries(
    Object.entries(indexedOf(isLater)).flatMap(([name, of]) => {
      const value = of(bill)
      return value === undefined ? [] : [[name, value]]
    }),
  ),
  participants: [bill.owner.key],
  recordedAt: bill.dueAt,
  consumed: undefined,
  locked: false,
})

export const billsOf = (isLater: boolean): Bills => {
  const Bill: StateDefinition<Bill> = defineState({
    type: 'trips/Bill',
    data: BillC,
    participants: ({ owner }) => [owner],
    key: ({ number }) => number,
    indexed: indexedOf(isLater),
    nextScheduledActivity: ({ kind, dueAt, number }, bill) => {
      const pay = { name: flows.pay, input: { bill } }
      const at = isLater && kind === 'moved' ? plus(dueAt, { seconds: 1 }) : dueAt
      switch (kind) {
        case 'strict':
          return some({ at, flow: pay, toleranceMs: 1_000, onMissed: { name: flows.remind, input: { bill } } })
        case 'lapsing':
          return some({ at, flow: pay, toleranceMs: 1_000 })
        case 'once':
          return some({ at, flow: { name: flows.forget, input: { bill } }, once: true })
        case 'left':
        case 'forgotten':
          return some({ at, flow: { name: kind === 'left' ? flows.leave : flows.forget, input: { bill } } })
        case 'silent':
          throw new Error(`Bill ${number} is silent.`)
        case 'misdirected':
          return some({ at, flow: { name: flows.pay, input: { bill: 'none' } } })
        case 'waived':
          return isLater ? none : some({ at, flow: pay })
        default:
          return some({ at, flow: pay })
      }
    },
  })
  const settling = (name: string, outcome: string) =>
    defineFlow({
      name,
      schedulable: true,
      input: billInput,
      *run(io, { bill }): FlowBody<string> {
        const current = yield* io.load(Bill, bill)
        yield* io.finalise((tx) => tx.consume(current).command(Settle, [io.me]))
        return outcome
      },
    })
  const idle = (name: string, leavesState: boolean) =>
    defineFlow({
      name,
      schedulable: true,
      leavesState,
      input: billInput,
      *run(): FlowBody<string> {
        return 'nothing done'
      },
    })
  const Send: Bills['Send'] = defineFlow({
    name: 'trips/Send',
    input: t.strict({
      bills: t.readonlyArray(
        t.strict({ number: t.string, kind: BillKindC, amount: IntegerC, note: t.union([t.string, t.null]) }),
      ),
      inMs: IntegerC,
    }),
    *run(io, { bills, inMs }): FlowBody<void> {
      const dueAt = plus(yield* io.now(), { milliseconds: inMs })
      yield* io.finalise((tx) => {
        for (const bill of bills) tx.produce(Bill, { ...bill, owner: io.me, dueAt })
        return tx.command(Settle, [io.me])
      })
    },
  })
  /** Waits for a bill by its key or by its fields, and looks whether it is the one. */
  const Await: Bills['Await'] = defineFlow({
    name: 'trips/Await',
    input: t.strict({ key: t.union([t.string, t.null]), amount: IntegerC, withinMs: t.union([IntegerC, t.null]) }),
    *run(io, { key, amount, withinMs }): FlowBody<string> {
      const by = key === null ? { amount, large: amount >= 50 } : { key }
      const found =
        withinMs === null
          ? some(yield* io.waitFor(Bill, by))
          : yield* io.waitFor(Bill, by, { within: { milliseconds: withinMs } })
      if (!isSome(found)) return 'none has come'
      const { data, ref } = found.value
      if (key === null ? data.amount !== amount : data.number !== key) throw new Error('It is another bill.')
      const gone = yield* io.waitForConsumption(ref, { within: { seconds: 30 } })
      if (!isSome(gone)) return 'it is still there'
      const recorded = yield* io.waitForTransaction(gone.value, { within: { seconds: 1 } })
      if (!isSome(recorded)) throw new Error('What has consumed it is not recorded.')
      return 'it is gone'
    },
  })
  /** Asks for bills in one query and page by page, and looks whether these are the bills there are. */
  const Search: Bills['Search'] = defineFlow({
    name: 'trips/Search',
    input: SearchC,
    *run(io, { where, by, descending, limit }): FlowBody<number> {
      const sort = by === null ? { by: 'recorded' as const, descending } : { by: { field: by }, descending }
      const criteria = where === null ? {} : { where }
      const all = yield* io.query(Bill, { limit: 200 })
      const found = yield* io.query(Bill, { ...criteria, sort, limit: 200 })
      const paged: Bill[] = []
      for (let after: string | undefined, pages = 0; pages < 10; pages++) {
        const page = yield* io.queryPage(Bill, { ...criteria, sort, limit, ...(after === undefined ? {} : { after }) })
        paged.push(...page.items.map(({ data }) => data))
        after = page.next
        if (after === undefined) break
        if (page.items.length !== limit) throw new Error('A page is not full, and not the last.')
      }
      const numbers = (bills: readonly Bill[]): string => canonicalText(bills.map(({ number }) => number))
      // A turn may be over between two questions, and others may have their turn in between.
      if (
        numbers((yield* io.query(Bill, { limit: 200 })).map(({ data }) => data)) !==
        numbers(all.map(({ data }) => data))
      )
        return -1
      const first = found.slice(0, paged.length).map(({ data }) => data)
      if (numbers(first) !== numbers(paged)) throw new Error('Page by page there are other bills.')
      // What a version before has recorded is found by what that said of it.
      const plain = all.map(({ data }) => ({ data, ...plainOf(data, isLater) }))
      const asks = canonicalText({ where, by })
      if (asks.includes('note')) return found.length
      const meant = statesMeant(plain, { ...(where === null ? {} : { where }), sort })
      const wanted = numbers(meant.map(({ data }) => data))
      if (wanted !== numbers(found.map(({ data }) => data))) throw new Error('The query means other bills.')
      const [one] = found
      if (one === undefined) return 0
      const known = yield* io.find(Bill, one.data.number)
      if (known === undefined || !meets(plainOf(known.data, isLater), { key: one.data.number }))
        throw new Error('A bill is not known by its number.')
      return found.length
    },
  })
  return {
    Bill,
    flows: [
      settling(flows.pay, 'paid'),
      settling(flows.remind, 'reminded'),
      idle(flows.leave, true),
      idle(flows.forget, false),
      ...[Send, Await, Search],
    ],
    Send,
    Await,
    Search,
  }
}
