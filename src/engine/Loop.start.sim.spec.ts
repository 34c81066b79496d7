import { expect } from 'chai'
import { none, some } from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
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
  startNode,
  StateRefC,
  type FlowBody,
} from '../index.js'
import { decodeEvent, EmbeddedStore } from '../entries/logs.js'
import { generateKeyPair } from '../entries/keys.js'
import { VirtualClock, VirtualNode } from '../testing/index.js'

/** A state that is due every minute, and a flow that tells an outside system in whose term it acts. */
const tellingApp = (tell: (term: number) => void) => {
  const Act = defineCommand({ type: 'loop/Act' })
  const Due = defineState({
    type: 'loop/Due',
    data: t.strict({ owner: PartyC, count: IntegerC, dueAt: InstantC }),
    participants: ({ owner }) => [owner],
    nextScheduledActivity: ({ count, dueAt }, ref) => (count > 20 ? none : some(Tell.at(dueAt, { state: ref }))),
  })
  const Tell = defineFlow({
    name: 'loop/Tell',
    schedulable: true,
    input: t.strict({ state: StateRefC }),
    *run(io, { state }): FlowBody<void> {
      const current = yield* io.load(Due, state)
      const { data } = current
      yield* io.step('tell', ({ term }) => {
        tell(term)
      })
      yield* io.finalise((tx) =>
        tx
          .consume(current)
          .produce(Due, { ...data, count: data.count + 1, dueAt: plus(data.dueAt, { minutes: 1 }) })
          .command(Act, [data.owner]),
      )
    },
  })
  const Begin = defineFlow({
    name: 'loop/Begin',
    input: t.strict({}),
    *run(io): FlowBody<void> {
      const now = yield* io.now()
      yield* io.finalise((tx) =>
        tx.produce(Due, { owner: io.me, count: 0, dueAt: plus(now, { minutes: 1 }) }).command(Act, [io.me]),
      )
    },
  })
  return { app: defineApp({ name: 'loop', states: [Due], flows: [Tell, Begin] }), Begin }
}

describe('a node that starts with work overdue', () => {
  const restarts = 7
  const told: { readonly restart: number; readonly term: number }[] = []
  let restart = 0
  let virtual: VirtualNode

  before(async () => {
    const { app, Begin } = tellingApp((term) => told.push({ restart, term }))
    virtual = await VirtualNode.start({ app })
    await virtual.node.run(Begin, {})
    // The phases of a tick take turns by its number, so several restarts are needed to meet each order.
    while (restart < restarts) {
      await virtual.crash()
      restart += 1
      virtual.clock.setTo(virtual.clock.now() + 60_000)
      await virtual.restart()
    }
  })

  it('records its start before anything else it does', async () => {
    const places: number[] = []
    for await (const tick of virtual.store.read(0))
      tick.events.forEach((line, place) => {
        if (decodeEvent(line, tick.firstRevision + place).type === 'NodeStarted') places.push(place)
      })
    expect(places).to.deep.equal(Array.from({ length: restarts + 1 }, () => 0))
  })

  it('gives its steps its own term, never that of the process before it', () => {
    expect(told).to.deep.equal(
      Array.from({ length: restarts }, (_, index) => ({ restart: index + 1, term: index + 2 })),
    )
  })
})

describe('a node that starts with more overdue than it can catch up with', () => {
  it('attempts again what has ended before it all the same', async () => {
    const Act = defineCommand({ type: 'loop/Act' })
    const dueState = (type: string, flow: () => typeof Again) =>
      defineState({
        type: `loop/${type}`,
        data: t.strict({ owner: PartyC, dueAt: InstantC }),
        participants: ({ owner }) => [owner],
        nextScheduledActivity: ({ dueAt }, ref) => some(flow().at(dueAt, { state: ref })),
      })
    const Vain = dueState('Vain', () => TryInVain)
    const Endless = dueState('Endless', () => Again)
    const TryInVain = defineFlow({
      name: 'loop/TryInVain',
      schedulable: true,
      input: t.strict({ state: StateRefC }),
      *run(): FlowBody<void> {},
    })
    /** Due again at once: there is always more to do than one tick has room for. */
    const Again = defineFlow({
      name: 'loop/Again',
      schedulable: true,
      input: t.strict({ state: StateRefC }),
      *run(io, { state }): FlowBody<void> {
        const current = yield* io.load(Endless, state)
        yield* io.finalise((tx) => tx.consume(current).produce(Endless, current.data).command(Act, [io.me]))
      },
    })
    const Begin = defineFlow({
      name: 'loop/Begin',
      input: t.strict({}),
      *run(io): FlowBody<void> {
        const dueAt = plus(yield* io.now(), { minutes: 1 })
        yield* io.finalise((tx) => tx.produce(Vain, { owner: io.me, dueAt }).command(Act, [io.me]))
        yield* io.finalise((tx) =>
          tx.produce(Endless, { owner: io.me, dueAt: plus(dueAt, { minutes: 1 }) }).command(Act, [io.me]),
        )
      },
    })
    const app = defineApp({ name: 'loop', states: [Vain, Endless], flows: [TryInVain, Again, Begin] })
    const store = EmbeddedStore.inMemory()
    const clock = new VirtualClock(instant('2026-01-01T00:00:00.000Z'))
    const options = { app, store, clock, key: generateKeyPair() }
    const before = await startNode(options)
    await before.run(Begin, {})
    clock.setTo(clock.now() + 60_000)
    await new Promise((resolve) => setTimeout(resolve, 20))
    await before.crash()
    clock.setTo(clock.now() + 60_000)
    const node = await startNode({ ...options, limits: { engine: { tickBytes: 1_000 } } })
    let ticks = 0
    const attempts: number[] = []
    await new Promise<void>((resolve) => {
      node.follow(({ events }) => {
        ticks += 1
        for (const event of events)
          if (event.type === 'FlowStarted' && event.name === TryInVain.name && event.origin.kind === 'activity')
            attempts.push(event.origin.attempt)
        if (ticks > 20 || attempts.length > 0) resolve()
      })
    })
    await node.crash()
    expect(attempts).to.deep.equal([2])
  })
})

describe('a node that has stopped while a tick was to come', () => {
  it('keeps nobody waiting for it to be idle', async () => {
    const { app, Begin } = tellingApp(() => undefined)
    const virtual = await VirtualNode.start({ app })
    const { node } = virtual
    const refused = node.start(Begin, {}).catch(() => 'refused')
    const crashed = virtual.crash()
    await node.idle()
    await crashed
    expect(await refused).to.equal('refused')
  })
})
