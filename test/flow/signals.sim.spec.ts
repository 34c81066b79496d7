import { expect } from 'chai'
import { isSome } from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import {
  defineApp,
  defineFlow,
  defineSignal,
  FlowIdC,
  NoInputC,
  type FlowBody,
  type FlowId,
  type FlowIo,
} from '../../src/index.js'
import type { SignalTarget } from '../../src/entries/types.js'
import { flowLimits } from '../../src/flow/limits.js'
import type { VirtualNode } from '../../src/testing/index.js'
import {
  crashAndRestart,
  eventsOf,
  expectAlive,
  flowOf,
  Note,
  refusal,
  startVirtual,
  statusOf,
  WriteNote,
} from './ledgerOfNotes.js'
import { tickStoreOf } from '../../src/storage/OpenStore.js'

const Approve = defineSignal({ name: 'orders/Approve', data: t.strict({ level: t.number }) })
const Cancel = defineSignal({ name: 'orders/Cancel', data: t.strict({ why: t.string }) })

const Order = flowOf(function* (io): FlowBody<string> {
  const { data, by } = yield* io.signal(Approve)
  return `level ${data.level} by ${by}`
}, 'orders/Order')

/** Takes three signals of one name, and sleeps before the first. */
const Patient = flowOf(function* (io): FlowBody<readonly number[]> {
  yield* io.sleep({ hours: 1 })
  const levels: number[] = []
  for (let time = 0; time < 3; time++) levels.push((yield* io.signal(Approve)).data.level)
  return levels
}, 'orders/Patient')

const Timely = flowOf(function* (io): FlowBody<string> {
  const told = yield* io.signal(Approve, { within: { hours: 2 } })
  return isSome(told) ? `level ${told.value.data.level}` : `none at ${yield* io.now()}`
}, 'orders/Timely')

/** Of two parts that wait for the same signal one gets it; a part that has lost takes nothing with it. */
const Racing = flowOf(function* (io): FlowBody<unknown> {
  const { winner } = yield* io.race({ told: io.signal(Approve), late: io.sleep({ hours: 1 }) })
  const both = yield* io.all({ one: io.signal(Approve), two: io.signal(Approve) })
  return [winner, both.one.data.level, both.two.data.level]
}, 'orders/Racing')

const Teller = defineFlow({
  name: 'orders/Teller',
  input: t.strict({ to: FlowIdC, level: t.number }),
  *run(io: FlowIo, { to, level }): FlowBody<void> {
    yield* io.sendSignal(to, Approve, { level })
  },
})

const Undeclared = defineFlow({
  name: 'orders/Undeclared',
  input: NoInputC,
  *run(io): FlowBody<void> {
    yield* io.signal(defineSignal({ name: 'orders/Aprove', data: t.string }))
  },
})

const app = defineApp({
  name: 'orders',
  states: [Note],
  flows: [Order, Patient, Timely, Racing, Teller, Undeclared, WriteNote],
  signals: [Approve, Cancel],
})

const start = (): Promise<VirtualNode> => startVirtual(app, { development: false })

describe('A signal to a flow', () => {
  it('is what the flow goes on with, with who sent it', async () => {
    const virtual = await start()
    const { id } = await virtual.node.start(Order, {})
    await virtual.node.signal(id, Approve, { level: 2 }, { by: 'cli:ann' })
    expect(await virtual.node.resultOf(id)).to.equal('level 2 by cli:ann')
    expect((await eventsOf(virtual.node)).find((event) => event.type === 'SignalReceived')).to.deep.equal({
      ...{ type: 'SignalReceived', flow: id, seq: 1, signal: 'orders/Approve', data: { level: 2 }, by: 'cli:ann' },
    })
  })

  it('leaves a flow its place among those that may go on, however often it is told more', async () => {
    const virtual = await startVirtual(app, { development: false, limits: { engine: { wakesPerTick: 1 } } })
    const { node, clock } = virtual
    const ids = await Promise.all(Array.from({ length: 10 }, async () => (await node.start(Order, {})).id))
    await Promise.all(ids.map((id) => node.signal(id, Approve, { level: 1 })))
    const asked = ids[5]!
    for (const level of [2, 3]) {
      clock.setTo(clock.now() + 1)
      await node.signal(asked, Approve, { level })
    }
    await virtual.runUntilQuiet()
    const taken = (await eventsOf(node)).flatMap((event) => (event.type === 'SignalTaken' ? [event.flow] : []))
    expect(taken).to.deep.equal(ids)
  })

  it('is kept when it comes before the flow waits, and those that come are taken in order, each once', async () => {
    const virtual = await start()
    const { id } = await virtual.node.start(Patient, {})
    await virtual.node.signal(id, Approve, { level: 1 })
    await virtual.node.signal(id, Cancel, { why: 'for no reason' })
    await virtual.node.signal(id, Approve, { level: 2 })
    expect((await virtual.node.flow(id))?.signals.map(({ signal }) => signal)).to.deep.equal([
      'orders/Approve',
      'orders/Cancel',
      'orders/Approve',
    ])
    await crashAndRestart(virtual)
    await virtual.advanceBy({ hours: 2 })
    expect(await statusOf(virtual.node, id)).to.equal('running')
    expect((await virtual.node.flow(id))?.waiting?.[0]).to.include({ for: 'signal', signal: 'orders/Approve' })
    await crashAndRestart(virtual)
    await virtual.node.signal(id, Approve, { level: 3 })
    expect(await virtual.node.resultOf(id)).to.deep.equal([1, 2, 3])
  })

  it('with an id counts once, however often it is sent', async () => {
    const virtual = await start()
    const { id } = await virtual.node.start(Patient, {})
    await virtual.node.signal(id, Approve, { level: 1 }, { id: 'first' })
    await virtual.node.signal(id, Approve, { level: 1 }, { id: 'first' })
    await virtual.advanceBy({ hours: 2 })
    await virtual.node.signal(id, Approve, { level: 9 }, { id: 'first' })
    await virtual.node.signal(id, Approve, { level: 2 }, { id: 'second' })
    await virtual.node.signal(id, Approve, { level: 3 }, { id: 'third' })
    expect(await virtual.node.resultOf(id)).to.deep.equal([1, 2, 3])
  })

  it('with an id is answered as the first time when it is sent again after the end of its flow', async () => {
    const virtual = await start()
    const { id } = await virtual.node.start(Order, {})
    await Promise.all(
      ['first', 'too late'].map((name, index) => virtual.node.signal(id, Approve, { level: index + 1 }, { id: name })),
    )
    expect(await virtual.node.resultOf(id)).to.include('level 1')
    const events = (await eventsOf(virtual.node)).length
    for (const again of ['first', 'too late']) await virtual.node.signal(id, Approve, { level: 1 }, { id: again })
    expect((await eventsOf(virtual.node)).length).to.equal(events)
    expect((await virtual.node.flow(id))?.signals).to.deep.equal([])
    await refusal(virtual.node.signal(id, Approve, { level: 1 }, { id: 'another' }), 'flow-ended')
    await crashAndRestart(virtual)
    await virtual.node.signal(id, Approve, { level: 1 }, { id: 'first' })
    await refusal(virtual.node.signal(id, Approve, { level: 1 }), 'flow-ended')
  })

  it('reaches a flow by the client id it was started with', async () => {
    const virtual = await start()
    const { id } = await virtual.node.start(Order, {}, { clientId: 'order-7', by: 'cli:ben' })
    await refusal(virtual.node.signal({ clientId: 'order-7', by: 'cli:ann' }, Approve, { level: 1 }), 'flow-not-found')
    await virtual.node.signal({ clientId: 'order-7', by: 'cli:ben' }, Approve, { level: 4 }, { by: 'cli:ann' })
    expect(await virtual.node.resultOf(id)).to.equal('level 4 by cli:ann')
  })

  it('may come from another flow, in its name', async () => {
    const virtual = await start()
    const { id } = await virtual.node.start(Order, {})
    const teller = await virtual.node.start(Teller, { to: id, level: 5 })
    expect(await virtual.node.resultOf(id)).to.equal(`level 5 by flow:${teller.id}`)
  })

  it('that does not come in time is none', async () => {
    const virtual = await start()
    const late = await virtual.node.start(Timely, {})
    const early = await virtual.node.start(Timely, {})
    await virtual.advanceBy({ hours: 1 })
    await virtual.node.signal(early.id, Approve, { level: 1 })
    await virtual.node.signal(late.id, Cancel, { why: 'another name' })
    await virtual.advanceBy({ hours: 4 })
    expect(await virtual.node.resultOf(late.id)).to.equal('none at 2026-01-01T02:00:00.000Z')
    expect(await virtual.node.resultOf(early.id)).to.equal('level 1')
  })

  it('is taken once by parts that wait for it, and by none that was cancelled', async () => {
    const virtual = await start()
    const { id } = await virtual.node.start(Racing, {})
    await virtual.advanceBy({ hours: 2 })
    await virtual.node.signal(id, Approve, { level: 1 })
    await crashAndRestart(virtual)
    expect(await statusOf(virtual.node, id)).to.equal('running')
    await virtual.node.signal(id, Approve, { level: 2 })
    await virtual.runUntilQuiet()
    expect(await statusOf(virtual.node, id)).to.equal('completed')
    expect(await virtual.node.resultOf(id)).to.deep.equal(['late', 1, 2])
  })

  it('waits for a flow that is paused, and is taken when it goes on', async () => {
    const virtual = await start()
    const { id } = await virtual.node.start(Order, {})
    await virtual.node.pauseFlow(id)
    await virtual.node.signal(id, Approve, { level: 1 }, { by: 'cli:ann' })
    await virtual.runUntilQuiet()
    expect(await statusOf(virtual.node, id)).to.equal('paused')
    await virtual.node.resumeFlow(id)
    expect(await virtual.node.resultOf(id)).to.equal('level 1 by cli:ann')
  })
})

describe('A signal that cannot be delivered', () => {
  const send = async (virtual: VirtualNode, to: SignalTarget, signal: string, data: unknown) =>
    (await refusal(virtual.node.operate({ on: 'signal', to, signal, data: data as never }))).code

  it('is refused with a typed error, and the flow waits on', async () => {
    const virtual = await start()
    const { id } = await virtual.node.start(Order, {})
    const revision = virtual.node.head.revision
    expect(await send(virtual, id, 'orders/Approve', { level: 'high' })).to.equal('signal-data-invalid')
    expect(await send(virtual, id, 'orders/Approve', {})).to.equal('signal-data-invalid')
    expect(await send(virtual, id, 'orders/Cancel', { why: 'x'.repeat(flowLimits.signalBytes) })).to.equal(
      'signal-data-invalid',
    )
    expect(await send(virtual, id, 'orders/Nothing', {})).to.equal('signal-unknown')
    expect(await send(virtual, 'f'.repeat(32) as FlowId, 'orders/Approve', { level: 1 })).to.equal('flow-not-found')
    expect(await send(virtual, { clientId: 'nobody' }, 'orders/Approve', { level: 1 })).to.equal('flow-not-found')
    expect(await send(virtual, 'not an id' as FlowId, 'orders/Approve', { level: 1 })).to.equal('request-invalid')
    expect(virtual.node.head.revision, 'nothing was recorded').to.equal(revision)
    await virtual.node.signal(id, Approve, { level: 1 }, { by: 'cli:ann' })
    expect(await virtual.node.resultOf(id)).to.equal('level 1 by cli:ann')
    expect(await send(virtual, id, 'orders/Approve', { level: 1 })).to.equal('flow-ended')
    await expectAlive(virtual)
  })

  it('is refused when the flow has more than it takes, until it has taken some', async () => {
    const virtual = await start()
    const { id } = await virtual.node.start(Patient, {})
    await Promise.all(
      Array.from({ length: flowLimits.signalsKept }, (_, level) => virtual.node.signal(id, Approve, { level })),
    )
    await refusal(virtual.node.signal(id, Approve, { level: -1 }), 'signals-full')
    await virtual.advanceBy({ hours: 1 })
    expect(await virtual.node.resultOf(id)).to.deep.equal([0, 1, 2])
    expect(tickStoreOf(virtual.store).views.signals.next(1, 'orders/Approve')).to.equal(undefined)
  })

  it('is refused in the flow that waits for one the app does not list', async () => {
    const virtual = await start()
    const error = await refusal(virtual.node.run(Undeclared, {}), 'signal-unknown')
    expect(error.message).to.include('orders/Approve')
    await expectAlive(virtual)
  })
})
