/** What a forecast promises: the future as it will come, without touching the present. */
import { expect } from 'chai'
import * as t from 'io-ts'
import { none, some } from 'fp-ts/lib/Option.js'
import {
  defineApp,
  defineCommand,
  defineFlow,
  defineState,
  instant,
  InstantC,
  IntegerC,
  PartyC,
  plus,
  StateRefC,
  type FlowBody,
} from 'carillon'
import { forecast, timeline, VirtualNode, type ForecastProgress } from 'carillon/testing'

const Do = defineCommand({ type: 'rent/Do' })
let asked = 0

const Lease = defineState({
  type: 'rent/Lease',
  data: t.strict({ owner: PartyC, month: IntegerC, dueAt: t.union([InstantC, t.null]) }),
  participants: ({ owner }) => [owner],
  nextScheduledActivity: ({ dueAt }, lease) => (dueAt === null ? none : some(Pay.at(dueAt, { lease }))),
})
const Sign = defineFlow({
  name: 'rent/Sign',
  input: t.strict({}),
  *run(io): FlowBody<void> {
    const dueAt = plus(yield* io.now(), { months: 1 })
    yield* io.finalise((tx) => tx.produce(Lease, { owner: io.me, month: 0, dueAt }).command(Do, [io.me]))
  },
})
const Pay = defineFlow({
  name: 'rent/Pay',
  schedulable: true,
  input: t.strict({ lease: StateRefC }),
  *run(io, { lease }): FlowBody<void> {
    const current = yield* io.load(Lease, lease)
    const { month, dueAt } = current.data
    const rent = yield* io.step('ask for the rent', () => (asked += 1))
    const next = month >= 11 || dueAt === null ? null : plus(dueAt, { months: 1 })
    yield* io.finalise((tx) =>
      tx
        .consume(current)
        .produce(Lease, { owner: io.me, month: month + (rent > 0 ? 1 : 0), dueAt: next })
        .command(Do, [io.me]),
    )
  },
})
const app = defineApp({ name: 'rent', states: [Lease], flows: [Sign, Pay] })
const until = instant('2026-06-15T00:00:00Z')

const signed = async (): Promise<VirtualNode> => {
  asked = 0
  const virtual = await VirtualNode.start({ app })
  await virtual.node.run(Sign, {})
  return virtual
}

describe('A forecast', () => {
  it('says what will run, when, and what will be there, exactly as it then comes', async () => {
    const virtual = await signed()
    const before = virtual.node.head
    const cashFlows = () => [{ label: 'rent', amount: '900', unit: 'EUR' }]
    const future = await forecast(virtual.node, until, { app, steps: { 'ask for the rent': 900 }, cashFlows })
    expect(asked, 'no step was run').to.equal(0)
    expect(virtual.node.head, 'the log is as it was').to.deep.equal(before)
    expect(future.entries.map(({ at, outcome }) => `${at.slice(0, 10)} ${outcome}`)).to.deep.equal(
      ['02', '03', '04', '05', '06'].map((month) => `2026-${month}-01 completed`),
    )
    expect(future.entries[0]?.transactions[0]?.consumes[0]?.data).to.include({ month: 0 })
    expect(future.entries[0]?.cashFlows).to.deep.equal([{ label: 'rent', amount: '900', unit: 'EUR' }])
    await virtual.advanceTo(until)
    const then = (await virtual.node.states(Lease)).map(({ data }) => data)
    expect(future.states.map(({ data }) => data)).to.deep.equal(JSON.parse(JSON.stringify(then)))
  })

  it('assumes that a step brings what it brought last, and says so', async () => {
    const virtual = await signed()
    await virtual.advanceBy({ months: 2 })
    const { assumptions, entries } = await forecast(virtual.node, until, { app })
    expect(assumptions).to.deep.equal(['Step "ask for the rent" brings what it brought last: 2.'])
    expect(entries).to.have.length(3)
  })

  it('holds a flow whose step nothing is known about', async () => {
    const { assumptions, entries } = await forecast((await signed()).node, until, { app })
    expect(assumptions).to.deep.equal([
      'Nothing is known about step "ask for the rent": flows that need it are held there.',
    ])
    expect(entries.map(({ outcome }) => outcome)).to.deep.equal(['open'])
  })

  it('tells how far it is: through the log, and then through the time to come', async () => {
    const { node } = await signed()
    const far: ForecastProgress[] = []
    const onProgress = (progress: ForecastProgress) => void far.push(progress)
    await forecast(node, until, { app, steps: { 'ask for the rent': 1 }, onProgress })
    const read = far.filter(({ doing }) => doing === 'reading')
    const ran = far.filter(({ doing }) => doing === 'running')
    expect(read.at(-1)?.events).to.equal(node.head.revision + 1)
    expect(ran.map(({ at }) => at)).to.deep.equal(ran.map(({ at }) => at).sort())
    expect(ran.at(-1)?.at).to.equal(until)
  })

  it('is drawn as a timeline, a row for each flow', async () => {
    const future = await forecast((await signed()).node, until, { app, steps: { 'ask for the rent': 1 } })
    const [row, axis] = timeline(future, 60)
    expect(row).to.match(/^rent\/Pay {2}[·▪]{50}$/)
    expect(row?.match(/▪/g)).to.have.length(5)
    expect(axis?.trim()).to.match(/^2026-01-01T00:00 +2026-06-15T00:00$/)
  })

  it('refuses to look back, and to make something of nothing', async () => {
    const { node } = await signed()
    const back: unknown = await forecast(node, instant('2025-01-01T00:00Z'), { app }).catch((error: unknown) => error)
    expect(String(back)).to.include('would end before it begins')
  })
})
