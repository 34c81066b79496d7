import { expect } from 'chai'
import * as t from 'io-ts'
import { defineFlow, NoInputC, type FlowBody } from 'carillon'
import { commands } from '../contract.js'
import { calledWith, root, signed } from '../model/Origin.js'
import { defaultSettings } from '../model/Settings.js'
import { taskIdOf, type Task as TaskData } from '../model/Task.js'
import { tasksPanel } from '../panel.js'
import { Registry, Task, TaskQueue, theRegistry, theTaskQueue, TimeSlot } from '../states.js'
import { budgetFor, mock, notify, refusalOf, S, Scene, start, T } from './Scene.js'

const hour = 3_600
const hours = (count: number) => Array.from({ length: count }, (_, index) => start + (2 + index) * hour)
const id = (name: string): string => taskIdOf('alice', name)

/** Stores tasks as they were accepted before messages had a limit. */
const StoreOld = defineFlow({
  name: 'test/StoreOld',
  input: t.strict({ name: t.string, bytes: t.number, times: t.readonlyArray(t.number) }),
  *run(io, { name, bytes, times }): FlowBody<void> {
    const registry = yield* io.find(Registry, theRegistry)
    const slots = yield* io.query(TimeSlot, {})
    if (registry === undefined) return
    const task: TaskData = {
      ...{ operator: io.me, id: id(name), owner: 'alice', providedId: name, incarnation: '', weight: 1_000 },
      schedule: { kind: 'fixed', times, executionsLeft: times.length },
      action: notify('m'.repeat(bytes)),
      ...{ abortErrors: [], calling: 0, counts: { executed: 0, failed: 0, missed: 0 } },
    }
    yield* io.finalise((tx) => {
      tx.reference(registry).produce(Task, task).command(commands.schedule, [io.me], { events: [] })
      for (const at of times) {
        const slot = slots.find(({ data }) => data.at === at)
        if (slot !== undefined) tx.consume(slot)
        tx.produce(TimeSlot, { operator: io.me, at, tasks: [...(slot?.data.tasks ?? []), task.id], weight: 9_000 })
      }
      return tx
    })
  },
})

/** Holds a state for so long, as any flow of the node may. */
const Hold = defineFlow({
  name: 'test/Hold',
  input: t.strict({ what: t.string, minutes: t.number }),
  *run(io, { what, minutes }): FlowBody<void> {
    const held = what === 'queue' ? yield* io.find(TaskQueue, theTaskQueue) : yield* io.find(Task, what)
    if (held !== undefined) yield* io.lock(held)
    yield* io.sleep({ minutes })
  },
})

const flows = [StoreOld, Hold]

describe('the registry, whatever its tasks hold', () => {
  it('runs 99 notifications of 700 characters in one slot', async () => {
    const scene = await Scene.open({ settings: { ...defaultSettings, sweepWeight: 10_000_000 } })
    await scene.tasks.endow('alice', 1_000_000_000)
    for (let task = 0; task < 99; task++)
      await scene.scheduled(`t${task}`, hours(24), { action: notify('m'.repeat(700)) })
    await scene.to(start + 2 * hour)
    const ran = (await scene.events()).filter(({ event }) => event === 'TaskExecuted')
    expect(ran).to.have.length(99)
  })

  it('runs tasks with messages of 120,000 characters, which were accepted before there was a limit', async () => {
    const scene = await Scene.open({ settings: { ...mock, tasksPerSlot: 9 }, flows })
    for (const name of ['a', 'b', 'c'])
      await scene.virtual.node.run(StoreOld, { name, bytes: 110_000, times: [T, T + S] })
    await scene.scheduled('d', [T])
    await scene.to(T)
    expect(await scene.told('TaskTriggered', 'Notify')).to.deep.equal([
      ...['TaskExecuted a 0', 'TaskExecuted b 0', 'TaskExecuted c 0', 'TaskExecuted d 0', 'TaskCompleted d'],
    ])
  })

  it('fails the one execution that cannot be recorded, and runs the others of its slot in their slot', async () => {
    const scene = await Scene.open({ settings: { ...mock, tasksPerSlot: 9 }, flows })
    await scene.scheduled('a', [T])
    await scene.virtual.node.run(StoreOld, { name: 'b', bytes: 200_000, times: [T, T + S] })
    await scene.scheduled('c', [T])
    await scene.to(T)
    expect(await scene.told('TaskTriggered', 'Notify', 'TaskCompleted')).to.deep.equal([
      ...['TaskExecuted a 0', 'TaskExecutionFailed b 0 fact-too-large', 'TaskExecuted c 0'],
    ])
    await scene.to(T + S)
    expect((await scene.told()).slice(-2)).to.deep.equal(['TaskExecuted b 1', 'TaskCompleted b'])
  })

  it('refuses a message that is too long, and takes a fee by its length', async () => {
    const scene = await Scene.open()
    expect(await refusalOf(scene.schedule('a', [T], { action: notify('m'.repeat(1_001)) }))).to.equal('MessageTooLong')
    expect(await refusalOf(scene.schedule('a', [T], { action: notify('ü'.repeat(501)) }))).to.equal('MessageTooLong')
    const call = { kind: 'call' as const, flow: 'x', input: { text: 'm'.repeat(1_000) } }
    expect(await refusalOf(scene.schedule('a', [T], { action: call }))).to.equal('MessageTooLong')
    expect(await refusalOf(scene.schedule('a'.repeat(101), [T]))).to.equal('NameTooLong')
    expect(await refusalOf(scene.schedule('a', [T], { abortErrors: ['e'.repeat(101)] }))).to.equal('NameTooLong')
    expect(await scene.schedule('a', [T], { action: notify('m'.repeat(1_000)) })).to.include({
      fee: (1_000 + 10 * 100) * 12,
    })
  })

  it('puts off a task that another flow holds, and runs the others', async () => {
    const scene = await Scene.open({ settings: { ...mock, tasksPerSlot: 9 }, flows })
    for (const name of ['a', 'b', 'c']) await scene.scheduled(name, [T])
    await scene.virtual.node.start(Hold, { what: id('a'), minutes: 22 })
    await scene.to(T + 60)
    const but = ['TaskTriggered', 'Notify', 'TaskCompleted'] as const
    expect(await scene.told(...but)).to.deep.equal(['TaskExecuted b 0', 'TaskExecuted c 0'])
    await scene.to(T + S - 1)
    expect((await scene.told(...but)).at(-1)).to.equal('TaskExecuted a 0')
  })

  it('tells of a sweep that failed, shows it, and sweeps again within the slot', async () => {
    const scene = await Scene.open({ settings: budgetFor(1), flows })
    await scene.scheduled('a', [T])
    await scene.scheduled('b', [T])
    await scene.to(T)
    await scene.virtual.node.start(Hold, { what: 'queue', minutes: 2 })
    await scene.to(T + 90)
    expect((await scene.tasks.sweeper()).failure?.error).to.match(/^state-locked/)
    expect((await scene.told()).at(-1)).to.match(/^SweepFailed state-locked/)
    const [facts] = await tasksPanel.read(scene.virtual.node)
    expect(JSON.stringify(facts)).to.match(/Since then failed.*red.*state-locked/)
    await scene.to(T + S - 1)
    expect((await scene.tasks.sweeper()).failure).to.equal(null)
    expect(await scene.told('SweepFailed', 'TaskTriggered', 'Notify', 'TaskCompleted')).to.deep.equal([
      ...['TaskExecuted a 0', 'TaskExecuted b 0'],
    ])
  })
})

describe('limits that are lowered below what is stored', () => {
  const lower = { ...mock, executionsPerTask: 1, tasksPerSlot: 1, weightPerSlot: 1 }

  it('break neither a sweep nor a cancellation', async () => {
    const scene = await Scene.open()
    for (const name of ['a', 'b']) await scene.scheduled(name, [T, T + S, T + 2 * S])
    expect(await scene.tasks.reconfigure(lower, root)).to.include({ ok: true })
    await scene.to(T)
    expect(await scene.tasks.cancel(signed('alice'), id('a'))).to.include({ ok: true, unused: 2 })
    await scene.to(T + 2 * S)
    expect(await scene.told('TaskTriggered', 'Notify')).to.deep.equal([
      ...['TaskExecuted a 0', 'TaskExecuted b 0', 'TaskCancelled a', 'TaskExecuted b 1', 'TaskExecuted b 2'],
      'TaskCompleted b',
    ])
  })

  it('let nothing become negative when weights were raised', async () => {
    const scene = await Scene.open()
    for (const name of ['a', 'b']) await scene.scheduled(name, [T])
    const actionWeight = { notify: 100_000, transfer: 200_000, call: 300_000 }
    expect(await scene.tasks.reconfigure({ ...mock, actionWeight }, root)).to.include({ ok: true })
    await scene.tasks.cancel(signed('alice'), id('a'))
    expect(await scene.tasks.slot(T)).to.deep.include({ weight: 1_000 })
    await scene.to(T)
    expect(await scene.told('TaskTriggered', 'Notify')).to.include('TaskExecuted b 0')
  })

  it('let what is too heavy for a whole sweep run when it comes first', async () => {
    const scene = await Scene.open()
    for (const name of ['a', 'b']) await scene.scheduled(name, [T])
    await scene.downUntil(T - S)
    expect(await scene.tasks.reconfigure({ ...mock, sweepWeight: 500, weightPerSlot: 100 }, root)).to.include({
      ok: true,
    })
    await scene.to(T + mock.sweepSeconds)
    expect(await scene.told('TaskTriggered', 'Notify', 'TaskCompleted')).to.deep.equal([
      ...['TaskExecuted a 0', 'TaskExecuted b 0'],
    ])
  })

  it('refuse settings below zero, and slots that no transaction could book', async () => {
    const scene = await Scene.open()
    for (const wrong of [{ feePerWeight: -1 }, { missedWeight: -1 }, { horizonSeconds: -S }, { tasksPerSlot: 1_000 }])
      expect(await scene.tasks.reconfigure({ ...mock, ...wrong }, root)).to.include({ error: 'InvalidSettings' })
  })
})

describe('a task that has had an id before', () => {
  const Late = defineFlow({
    name: 'test/Late',
    clients: false,
    input: calledWith(NoInputC),
    *run(io): FlowBody<void> {
      yield* io.sleep({ minutes: 25 })
      throw new Error('Late')
    },
  })
  const call = { kind: 'call' as const, flow: 'test/Late', input: {} }
  const settings = { ...mock, tasksPerSlot: 9 }

  it('pays once and runs once when the old one was a call that ended by an abort error', async () => {
    const scene = await Scene.open({ settings, flows: [Late], callable: [Late] })
    await scene.recurring('a', T, 6 * S, { action: call, abortErrors: ['Late'] })
    await scene.to(T + 3 * S)
    expect((await scene.told()).at(-1)).to.equal('TaskNotRescheduled a Late')
    expect(await scene.tasks.slot(T + 6 * S)).to.equal(undefined)
    const before = await scene.tasks.balance('alice')
    await scene.scheduled('a', [T + 6 * S])
    await scene.to(T + 7 * S)
    expect(before - (await scene.tasks.balance('alice'))).to.equal(12_000)
    expect((await scene.told()).filter((line) => line === 'TaskExecuted a 6')).to.have.length(1)
  })

  it('is never credited with a call of the old one', async () => {
    const scene = await Scene.open({ settings, flows: [Late], callable: [Late] })
    await scene.scheduled('a', [T], { action: call })
    await scene.to(T)
    await scene.tasks.cancel(signed('alice'), id('a'))
    await scene.scheduled('a', [T + 6 * S])
    await scene.to(T + 4 * S)
    expect(await scene.tasks.task(id('a'))).to.deep.include({
      calling: 0,
      counts: { executed: 0, failed: 0, missed: 0 },
    })
    await scene.to(T + 6 * S)
    expect(await scene.tasks.task(id('a'))).to.equal(undefined)
    expect((await scene.told()).slice(-2)).to.deep.equal(['TaskExecuted a 6', 'TaskCompleted a'])
  })
})

describe('time', () => {
  it('that went back opens no slot that has been swept', async () => {
    const scene = await Scene.open()
    await scene.scheduled('a', [T + 3 * S])
    await scene.to(T + 3 * S)
    await scene.downUntil(T - S)
    expect(await refusalOf(scene.schedule('b', [T + 3 * S]))).to.equal('PastTime')
    expect(await refusalOf(scene.schedule('b', [T + S]))).to.equal('PastTime')
    expect(await scene.tasks.nextFreeSlots(1, scene.now)).to.deep.equal([T + 4 * S])
    await scene.scheduled('b', [T + 4 * S])
    await scene.to(T + 4 * S)
    expect((await scene.told()).slice(-2)).to.deep.equal(['TaskExecuted b 4', 'TaskCompleted b'])
  })

  it('is skipped by a recurring task where a slot is kept open', async () => {
    const scene = await Scene.open({ settings: { ...mock, reservedEvery: 3 } })
    const free = [T, T + S, T + 2 * S].filter((at) => (at / S) % 3 !== 0)
    const [first = T] = free
    await scene.recurring('a', first, S)
    await scene.to(T + 6 * S)
    const ran = (await scene.events()).flatMap(({ event, at = 0 }) => (event === 'TaskExecuted' ? [(at / S) % 3] : []))
    expect(ran.length).to.be.at.least(4)
    expect(ran).to.not.include(0)
    expect(await scene.tasks.task(id('a'))).to.not.equal(undefined)
  })

  it('reports what was missed oldest first, also when a slot ends during a catch-up', async () => {
    const settings = { ...budgetFor(1, 1), tasksPerSlot: 2, sweepSeconds: 600, weightPerSlot: 90_000 }
    const scene = await Scene.open({ settings })
    const names = ['a', 'b', 'c', 'd', 'e', 'f']
    for (const [index, name] of names.entries()) await scene.scheduled(name, [T + index * S])
    for (const name of ['v', 'w']) await scene.scheduled(name, [T + 8 * S])
    await scene.scheduled('y', [T + 9 * S])
    await scene.downUntil(T + 8 * S + 299)
    await scene.to(T + 30 * S)
    const missed = (await scene.events()).flatMap(({ event, at = 0 }) => (event === 'TaskMissed' ? [(at - T) / S] : []))
    expect(missed).to.include(8)
    expect(missed).to.deep.equal([...missed].sort((a, b) => a - b))
  })
})
