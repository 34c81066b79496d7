/** Flows that refuse: an outcome that is not a failure, for those who call them, join them, watch them and replay them. */
import { expect } from 'chai'
import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import {
  CarillonError,
  defineFlow,
  FlowRefused,
  NoInputC,
  Refusal,
  refuseWith,
  type FlowBody,
} from '../../src/index.js'
import type { PublicEvent } from '../../src/entries/events.js'
import { replay } from '../../src/testing/index.js'
import {
  appOf,
  crashAndRestart,
  eventsOf,
  expectAlive,
  flowOf,
  refusal,
  startVirtual,
  textsOf,
  writeNote,
} from './ledgerOfNotes.js'

const WhyC = t.strict({ reason: t.union([t.literal('too much'), t.literal('too late')]), most: t.number })

/** Refuses what is too much, after it has written a note. */
const Order = defineFlow({
  name: 'shop/Order',
  input: t.strict({ amount: t.number }),
  refusals: WhyC,
  *run(io, { amount }) {
    yield* writeNote(io, `asked for ${amount}`)
    if (amount > 10) return refuseWith({ reason: 'too much', most: 10 })
    return `ordered ${amount}`
  },
})

/** As Order, after a night. */
const SlowOrder = defineFlow({
  name: 'shop/SlowOrder',
  input: t.strict({ amount: t.number }),
  refusals: WhyC,
  *run(io, { amount }) {
    yield* io.sleep({ hours: 8 })
    return yield* io.subFlow(Order, { amount })
  },
})

const tooMuch = { reason: 'too much', most: 10 } as const

describe('A flow that refuses', () => {
  it('rejects node.run with its refusal, gives it as a value to tryRun and outcome, and keeps what it has done', async () => {
    const virtual = await startVirtual(appOf([Order]))
    const { node } = virtual
    const result: string = await node.run(Order, { amount: 3 })
    expect(result).to.equal('ordered 3')

    const thrown = await refusal(node.run(Order, { amount: 11 }), 'flow-refused')
    expect(thrown).to.be.instanceOf(FlowRefused)
    expect(thrown instanceof FlowRefused && thrown.refusal).to.deep.equal(tooMuch)
    expect(thrown.message).to.include('"too much"')

    const tried = await node.tryRun(Order, { amount: 12 })()
    if (!isLeft(tried) || !(tried.left instanceof Refusal)) throw new Error('It did not refuse.')
    const most: number = tried.left.refusal.most
    expect(most).to.equal(10)
    expect(isRight(await node.tryRun(Order, { amount: 1 })())).to.equal(true)

    const handle = await node.start(Order, { amount: 13 })
    const outcome = await handle.outcome()
    if (outcome.kind !== 'refused') throw new Error('It did not refuse.')
    const reason: 'too much' | 'too late' = outcome.refusal.reason
    expect(reason).to.equal('too much')
    await refusal(handle.result(), 'flow-refused')
    await refusal(node.resultOf(handle.id), 'flow-refused')
    expect(await node.outcomeOf(handle.id)).to.deep.equal({ kind: 'refused', refusal: tooMuch })
    expect(await (await node.start(Order, { amount: 4 })).outcome()).to.deep.equal({
      kind: 'returned',
      result: 'ordered 4',
    })
    expect(await textsOf(node)).to.include.members(['asked for 11', 'asked for 12', 'asked for 13'])
  })

  it('is recorded as completed with a refusal, and shown as refused', async () => {
    const virtual = await startVirtual(appOf([Order]))
    const { node } = virtual
    const told: PublicEvent[] = []
    const { id } = await node.start(Order, { amount: 11 })
    const [ended] = (await eventsOf(node)).filter((event) => event.type === 'FlowEnded')
    expect(ended).to.deep.equal({ type: 'FlowEnded', flow: id, outcome: 'completed', refusal: tooMuch })
    for await (const event of node.subscribe({ from: 0, types: ['FlowEnded'] })) {
      told.push(event)
      break
    }
    expect(told[0]).to.deep.include({ outcome: 'completed', refusal: tooMuch })
    const flow = await node.flow(id)
    expect(flow).to.deep.include({ status: 'refused', refusal: tooMuch })
    expect(flow).not.to.have.any.keys('result', 'error')
    expect((await node.flows({ status: 'refused' })).items.map((each) => each.id)).to.deep.equal([id])
    expect((await node.flows({ status: 'completed' })).items).to.deep.equal([])
  })

  it('refuses after a sleep and a restart as it would without, for those who wait and those who come later', async () => {
    const virtual = await startVirtual(appOf([Order, SlowOrder]))
    const { id } = await virtual.node.start(SlowOrder, { amount: 11 })
    await virtual.advanceBy({ hours: 1 })
    await crashAndRestart(virtual)
    const waiting = refusal(virtual.node.resultOf(id), 'flow-refused')
    await virtual.advanceBy({ hours: 8 })
    await waiting
    await crashAndRestart(virtual)
    expect(await virtual.node.outcomeOf(id)).to.deep.equal({ kind: 'refused', refusal: tooMuch })
    expect((await replay(virtual.node, { app: appOf([Order, SlowOrder]) })).problems).to.deep.equal([])
  })

  it('is the same under the same client id', async () => {
    const virtual = await startVirtual(appOf([Order]))
    const first = await virtual.node.start(Order, { amount: 11 }, { clientId: 'order-17' })
    const again = await virtual.node.start(Order, { amount: 11 }, { clientId: 'order-17' })
    expect(again.id).to.equal(first.id)
    expect(await again.outcome()).to.deep.equal({ kind: 'refused', refusal: tooMuch })
  })

  it('may refuse with null, and with what its codec encodes', async () => {
    const Null = defineFlow({
      name: 'shop/Null',
      input: NoInputC,
      refusals: t.null,
      *run(io) {
        yield* io.now()
        return refuseWith(null)
      },
    })
    const date = new t.Type<Date, string>(
      'date',
      (value) => value instanceof Date,
      (value, context) => (typeof value === 'string' ? t.success(new Date(value)) : t.failure(value, context)),
      (value) => value.toISOString(),
    )
    const Later = defineFlow({
      name: 'shop/Later',
      input: NoInputC,
      refusals: t.strict({ notBefore: date }),
      *run(io) {
        return refuseWith({ notBefore: new Date(yield* io.now()) })
      },
    })
    const virtual = await startVirtual(appOf([Null, Later]))
    expect(await (await virtual.node.start(Null, {})).outcome()).to.deep.equal({ kind: 'refused', refusal: null })
    const later = await virtual.node.start(Later, {})
    const outcome = await later.outcome()
    expect(outcome.kind === 'refused' && outcome.refusal.notBefore.getUTCFullYear()).to.equal(2026)
    expect(await virtual.node.flow(later.id)).to.have.nested.property('refusal.notBefore', '2026-01-01T00:00:00.000Z')
  })
})

describe('A refusal that cannot be recorded', () => {
  const refusing = (value: unknown, refusals?: t.Type<unknown, unknown>) =>
    defineFlow({
      name: 'shop/Wrong',
      input: NoInputC,
      ...(refusals === undefined ? {} : { refusals }),
      *run(io): FlowBody<unknown> {
        yield* io.now()
        return new Refusal(value)
      },
    })
  const hostile = new t.Type<unknown, unknown>('hostile', t.unknown.is, t.unknown.validate, () => {
    throw new TypeError('cannot be encoded')
  })
  const cases: Readonly<Record<string, [value: unknown, codec: t.Type<unknown, unknown> | undefined, says: RegExp]>> = {
    'one that does not fit': [{ reason: 'no idea' }, WhyC as t.Type<unknown, unknown>, /does not fit the codec/],
    'one of a flow that declares none': [{ reason: 'too much' }, undefined, /has no codec refusals/],
    'one whose codec throws': ['x', hostile, /cannot be encoded by hostile/],
    'one that is no plain data': [() => 1, t.unknown, /cannot be recorded/],
    'none at all': [undefined, t.unknown, /cannot be recorded/],
    'one that is too large': ['x'.repeat(2_000_000), t.unknown, /bytes/],
    'a refusal of a refusal': [refuseWith(1), t.unknown, /cannot be recorded/],
  }
  for (const [name, [value, codec, says]] of Object.entries(cases))
    it(`fails the flow: ${name}`, async () => {
      const virtual = await startVirtual(appOf([refusing(value, codec)]))
      const error = await refusal(virtual.node.run(refusing(value, codec), {}), 'flow-result-invalid')
      expect(error.message).to.match(says)
      await expectAlive(virtual)
    })

  it('does not mislead a caller whose definition has another codec by now', async () => {
    const virtual = await startVirtual(appOf([Order]))
    const Changed = { ...Order, refusals: t.strict({ because: t.string }) as unknown as typeof WhyC }
    const handle = await virtual.node.start(Changed, { amount: 11 })
    await refusal(handle.outcome(), 'flow-result-invalid')
  })
})

describe('Other flows', () => {
  it('meet the refusal of a child as a typed error with the refusal, which they may catch', async () => {
    const large = 'x'.repeat(20_000)
    const Verbose = defineFlow({
      name: 'shop/Verbose',
      input: NoInputC,
      refusals: t.string,
      *run(io) {
        yield* io.sleep({ hours: 1 })
        return refuseWith(large)
      },
    })
    const Parent = flowOf(function* (io): FlowBody<readonly unknown[]> {
      const child = yield* io.start(Verbose, {})
      const none = yield* io.join(child, { within: { minutes: 1 } })
      try {
        yield* io.join(child)
        return []
      } catch (error) {
        if (!(error instanceof FlowRefused)) throw error
        yield* io.sleep({ hours: 1 })
        return [none._tag, error.code, error.refusal === large, error.details['flow'] === child.id]
      }
    }, 'shop/Parent')
    const Careless = flowOf(function* (io): FlowBody<string> {
      return yield* io.join(yield* io.start(Order, { amount: 11 }))
    }, 'shop/Careless')
    const app = appOf([Order, Verbose, Parent, Careless])
    const virtual = await startVirtual(app)
    const { id } = await virtual.node.start(Parent, {})
    await virtual.advanceBy({ minutes: 90 })
    await crashAndRestart(virtual)
    await virtual.advanceBy({ hours: 2 })
    expect(await virtual.node.resultOf(id)).to.deep.equal(['None', 'flow-refused', true, true])
    const careless = await virtual.node.start(Careless, {})
    await virtual.runUntilQuiet()
    const error = await refusal(careless.outcome(), 'flow-refused')
    expect(error.details['flow']).not.to.equal(careless.id)
    expect((await virtual.node.flow(careless.id))?.status, 'one that does not catch it fails').to.equal('failed')
    expect((await replay(virtual.node, { app })).problems).to.deep.equal([])
  })

  it('get the refusal of a sub-flow as a value: no try and no io.attempt catches it', async () => {
    const Outer = flowOf(function* (io): FlowBody<string> {
      const tried = yield* io.attempt(io.subFlow(Order, { amount: 11 }))
      if (isLeft(tried)) return 'caught'
      return tried.right instanceof Refusal ? `refused: ${tried.right.refusal.reason}` : tried.right
    }, 'shop/Outer')
    const virtual = await startVirtual(appOf([Order, Outer]))
    expect(await virtual.node.run(Outer, {})).to.equal('refused: too much')
  })
})

describe('The replay of a flow that refused', () => {
  const versions = {
    'returns instead': [
      function* (): FlowBody<string> {
        return 'ordered'
      },
      /the refusal .*too much.*ordered/,
    ],
    'refuses for another reason': [
      function* () {
        return refuseWith({ reason: 'too late', most: 10 } as const)
      },
      /too much.*too late/,
    ],
    fails: [
      function* (): FlowBody<never> {
        throw new CarillonError('shop/closed', 'Closed.')
      },
      /too much.*Closed/,
    ],
  } as const
  const orderOf = (end: () => FlowBody<string | Refusal<t.TypeOf<typeof WhyC>>>, sleeps: boolean) =>
    defineFlow({
      name: 'shop/Changed',
      input: NoInputC,
      refusals: WhyC,
      *run(io) {
        if (sleeps) yield* io.sleep({ hours: 1 })
        return yield* end()
      },
    })
  for (const sleeps of [false, true])
    for (const [name, [end, says]] of Object.entries(versions))
      it(`finds code that ${name}, ${sleeps ? 'after a sleep' : 'in one tick'}`, async () => {
        const Then = orderOf(function* () {
          return refuseWith(tooMuch)
        }, sleeps)
        const virtual = await startVirtual(appOf([Then]))
        await virtual.node.start(Then, {})
        await virtual.advanceBy({ hours: 2 })
        expect((await replay(virtual.node, { app: appOf([Then]) })).problems).to.deep.equal([])
        const { problems } = await replay(virtual.node, { app: appOf([orderOf(end, sleeps)]) })
        expect(problems.map(({ what }) => what).join()).to.match(says)
      })
})
