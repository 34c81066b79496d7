/** Flows that may go on when the clock is set back: they do, and those that sleep wait for their instants. */
import { expect } from 'chai'
import * as t from 'io-ts'
import { defineApp, defineFlow, defineSignal, NoInputC, type FlowBody, type FlowDefinition, type Node } from 'carillon'
import { VirtualNode } from 'carillon/testing'
import { dyingStore } from '../flow/dyingStore.js'

const Go = defineSignal({ name: 'back/Go', data: t.strict({}) })

const many = function* (io: Parameters<FlowDefinition<object, void>['run']>[0]): FlowBody<void> {
  for (let count = 0; count < 20; count++) yield* io.newId()
}

const Busy = defineFlow({
  name: 'back/Busy',
  input: NoInputC,
  *run(io): FlowBody<string> {
    yield* many(io)
    yield* io.signal(Go)
    yield* many(io)
    return 'done'
  },
})

const Sleeper = defineFlow({
  name: 'back/Sleeper',
  input: NoInputC,
  *run(io): FlowBody<void> {
    yield* io.sleep({ minutes: 30 })
  },
})

const app = defineApp({ name: 'back', states: [], flows: [Busy, Sleeper], signals: [Go] })
const hourMs = 3_600_000
const limits = { engine: { operationsPerTurn: 1, wakesPerTick: 2 } }

const endedOf = async (node: Node): Promise<readonly string[]> =>
  (await node.flows({ status: 'completed' })).items.map(({ name }) => name)

describe('A clock that is set back', () => {
  let virtual: VirtualNode

  beforeEach(async () => {
    virtual = await VirtualNode.start({ app, limits })
  })

  const setBack = async (): Promise<void> => {
    virtual.clock.setTo(virtual.clock.now() - hourMs)
    await virtual.runUntilQuiet()
  }

  it('holds up no flow that is in the middle of its work, and wakes none that sleeps', async () => {
    const sleeper = await virtual.node.start(Sleeper, {})
    const flows = await Promise.all(Array.from({ length: 5 }, () => virtual.node.start(Busy, {})))
    await setBack()
    for (const { id } of flows) expect((await virtual.node.flow(id))?.waiting?.[0].for).to.equal('signal')

    await Promise.all(flows.map(({ id }) => virtual.node.signal(id, Go, {})))
    await setBack()
    expect(await endedOf(virtual.node)).to.deep.equal(flows.map(() => 'back/Busy'))

    await virtual.advanceBy({ hours: 2, minutes: 29 })
    expect((await virtual.node.flow(sleeper.id))?.status).to.equal('running')
    await virtual.advanceBy({ minutes: 1 })
    expect((await virtual.node.flow(sleeper.id))?.status).to.equal('completed')
  })

  it('holds up none that was in the middle of its work when the process was killed', async () => {
    const { id } = await virtual.node.start(Busy, {})
    await virtual.crash()
    virtual.clock.setTo(virtual.clock.now() - hourMs)
    await virtual.restart()
    await virtual.runUntilQuiet()
    expect((await virtual.node.flow(id))?.waiting?.[0].for).to.equal('signal')
  })
  it('holds up none when the process is killed again and again before all have had a turn', async () => {
    let dies = false
    const { store, died } = dyingStore(() => dies)
    const dying = await VirtualNode.start({ app, limits, store })
    const flows = await Promise.all(Array.from({ length: 9 }, () => dying.node.start(Busy, {})))
    await dying.crash()
    dying.clock.setTo(dying.clock.now() - hourMs)
    dies = true
    for (let ticks = 0; ticks < 3; ticks++) {
      await dying.restart()
      expect(died.now).to.equal(true)
      await dying.crash()
      died.now = false
    }
    dies = false
    await dying.restart()
    for (const { id } of flows) expect((await dying.node.flow(id))?.waiting?.[0].for).to.equal('signal')
  })
})
