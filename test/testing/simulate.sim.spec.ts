/** What the simulator promises: it repeats, it finds, it shortens, and it needs nothing but an app. */
import { AssertionError } from 'node:assert'
import { expect } from 'chai'
import * as t from 'io-ts'
import { none, some } from 'fp-ts/lib/Option.js'
import {
  defineApp,
  defineCommand,
  defineFlow,
  defineState,
  InstantC,
  IntegerC,
  PartyC,
  plus,
  StateRefC,
  type FlowBody,
} from 'carillon'
import { assertSimulates, describeFailure, simulate, type Invariant } from 'carillon/testing'
import { app as iou } from '../session/iou.js'

const Go = defineCommand({ type: 'shop/Go' })
const outside = { parcels: new Map<string, number>() }

/** A shop that sends a parcel for each order, once a minute; `isCareful` shops hand on the idempotency key. */
const shop = (isCareful: boolean) => {
  const Order = defineState({
    type: 'shop/Order',
    data: t.strict({ owner: PartyC, number: IntegerC, sendAt: InstantC }),
    participants: ({ owner }) => [owner],
    nextScheduledActivity: ({ sendAt }, order) => some(Send.at(sendAt, { order })),
  })
  const Take = defineFlow({
    name: 'shop/Take',
    input: t.strict({ number: IntegerC }),
    *run(io, { number }): FlowBody<void> {
      const sendAt = plus(yield* io.now(), { seconds: 1 })
      yield* io.finalise((tx) => tx.produce(Order, { owner: io.me, number, sendAt }).command(Go, [io.me]))
    },
  })
  const Send = defineFlow({
    name: 'shop/Send',
    schedulable: true,
    input: t.strict({ order: StateRefC }),
    *run(io, { order }): FlowBody<void> {
      const current = yield* io.load(Order, order)
      yield* io.step('hand over the parcel', async ({ idempotencyKey }) => {
        await Promise.resolve()
        const sent = outside.parcels.get(idempotencyKey) ?? 0
        outside.parcels.set(idempotencyKey, isCareful ? 1 : sent + 1)
      })
      yield* io.finalise((tx) => tx.consume(current).command(Go, [io.me]))
    },
  })
  return defineApp({ name: 'shop', states: [Order], flows: [Take, Send] })
}

const oneParcelEach: Invariant = {
  name: 'every order is sent once',
  violations: () =>
    [...outside.parcels].filter(([, sent]) => sent > 1).map(([key, sent]) => `${sent} parcels went out for ${key}`),
}

const shopSimulation = (isCareful: boolean) => ({
  app: shop(isCareful),
  invariants: [
    {
      name: oneParcelEach.name,
      violations: (world: Parameters<Invariant['violations']>[0]) => {
        const found = oneParcelEach.violations(world)
        outside.parcels.clear()
        return found
      },
    },
  ],
})

describe('A simulation', function () {
  beforeEach(() => outside.parcels.clear())

  it('of the same seed is the same history, to the last word', async () => {
    const never: Invariant = {
      name: 'never holds',
      violations: ({ parties }) => parties.map(({ replayed }) => replayed.head.hash),
    }
    const once = async () => (await simulate({ app: iou, seeds: [3], invariants: [never], shrinkTries: 0 })).failures
    const first = await once()
    expect(first[0]?.violations.length).to.be.greaterThan(3)
    expect(await once()).to.deep.equal(first)
  })

  it('needs nothing but an app, and finds nothing wrong with one that is right', async () => {
    const report = await assertSimulates({ app: iou, seeds: 4 })
    expect(report).to.include({ seeds: 4 })
    expect(report.transactions).to.be.greaterThan(4)
    await assertSimulates({ ...shopSimulation(true), seeds: 10 })
  })

  it("finds where an app's own invariant is broken by a crash, and shows a short history of it", async () => {
    const { failures } = await simulate({ ...shopSimulation(false), seeds: 40, stopAtFirst: true })
    const [failure] = failures
    expect(failure?.violations[0]?.invariant).to.equal('every order is sent once')
    expect(failure?.shrunk.actions).to.be.lessThan(6)
    const text = describeFailure(failure!, 'again').join('\n')
    expect(text)
      .to.match(/asks for shop\/Take \{"number":\d+\}/)
      .and.to.match(/killed|power|takes over/)
      .and.to.include('Repeat it: again')
    const again = await simulate({ ...shopSimulation(false), seeds: [failure!.seed], shrinkTries: 0 })
    expect(again.failures[0]?.violations).to.deep.equal(failure?.violations)
  })

  it('leaves out of a beginning, too, what the failure does not need', async () => {
    const never: Invariant = { name: 'never holds', violations: () => ['as always'] }
    const seeds = [0, 1]
    const { failures } = await simulate({ app: iou, seeds, invariants: [never], actions: 1, shrinkTries: 2 })
    const raw = await simulate({ app: iou, seeds, invariants: [never], actions: 1, shrinkTries: 0 })
    const difficult = /[1-9] % are lost|one step in|log elsewhere|it is 2026-(?!01-01)/
    const beginnings = ({ failures: all }: typeof raw): string =>
      all.flatMap(({ shrunk }) => shrunk.trace.map(({ what }) => what)).join('\n')
    expect(beginnings(raw)).to.match(difficult)
    expect(beginnings({ ...raw, failures })).not.to.match(difficult)
  })

  it('finds a flow that is not deterministic', async () => {
    let runs = 0
    const Fickle = defineFlow({
      name: 'fickle/Run',
      input: t.strict({}),
      *run(io): FlowBody<void> {
        runs += 1
        yield* io.step(`run ${runs}`, () => undefined)
        yield* io.sleep({ seconds: 5 })
      },
    })
    const Nothing = defineState({ type: 'fickle/Nothing', data: t.strict({}), participants: () => [] })
    const fickle = defineApp({ name: 'fickle', states: [Nothing], flows: [Fickle] })
    const error: unknown = await assertSimulates({ app: fickle, seeds: 20, shrinkTries: 5 }).catch((e: unknown) => e)
    expect(error).to.be.instanceOf(AssertionError)
    expect(String(error)).to.include('step "run')
  })

  it('finds nothing wrong with an app that is always behind its own schedule', async () => {
    const Lap = defineState({
      type: 'race/Lap',
      data: t.strict({ owner: PartyC, lap: IntegerC, dueAt: InstantC }),
      participants: ({ owner }) => [owner],
      nextScheduledActivity: ({ dueAt, lap }, ref) => (lap > 3 ? none : some(Run.at(dueAt, { lap: ref }))),
    })
    const Enter = defineFlow({
      name: 'race/Enter',
      input: t.strict({}),
      *run(io): FlowBody<void> {
        const dueAt = plus(yield* io.now(), { minutes: 5 })
        yield* io.finalise((tx) => tx.produce(Lap, { owner: io.me, lap: 0, dueAt }).command(Go, [io.me]))
      },
    })
    const Run = defineFlow({
      name: 'race/Run',
      schedulable: true,
      input: t.strict({ lap: StateRefC }),
      *run(io, { lap }): FlowBody<void> {
        const current = yield* io.load(Lap, lap)
        yield* io.sleep({ seconds: 3 })
        const next = { ...current.data, lap: current.data.lap + 1, dueAt: plus(current.data.dueAt, { seconds: 2 }) }
        yield* io.finalise((tx) => tx.consume(current).produce(Lap, next).command(Go, [io.me]))
      },
    })
    await assertSimulates({ app: defineApp({ name: 'race', states: [Lap], flows: [Enter, Run] }), seeds: 3 })
  })

  it('says so when there is nothing it could do', async () => {
    const empty = defineApp({ name: 'empty', states: [], flows: [] })
    const error: unknown = await simulate({ app: empty }).catch((thrown: unknown) => thrown)
    expect(String(error)).to.include('has no flow that could be started. Give a workload.')
  })
})
