import { expect } from 'chai'
import { defineFlow, NoInputC, type FlowBody } from 'carillon'
import { commands } from '../contract.js'
import { root, signed, unsigned } from '../model/Origin.js'
import { taskIdOf } from '../model/Task.js'
import { Registry, Task, theRegistry, TimeSlot } from '../states.js'
import { budgetFor, S, Scene, T } from './Scene.js'

const alice = signed('alice')
const id = (name: string): string => taskIdOf('alice', name)

/** Damages the books, as a defect might: the slot of T is gone, or the task in it. */
const losing = (name: string, kind: typeof TimeSlot | typeof Task, key: string) =>
  defineFlow({
    name,
    input: NoInputC,
    *run(io): FlowBody<void> {
      const lost = kind === Task ? yield* io.find(Task, key) : yield* io.find(TimeSlot, key)
      const registry = yield* io.find(Registry, theRegistry)
      if (lost !== undefined && registry !== undefined)
        yield* io.finalise((tx) =>
          tx.consume(lost).reference(registry).command(commands.cancel, [io.me], { events: [] }),
        )
    },
  })
const LoseSlot = losing('test/LoseSlot', TimeSlot, String(T))
const LoseTask = losing('test/LoseTask', Task, id('a'))

describe('cancelling a task', () => {
  it('[OAK-071] takes it out of all its slots', async () => {
    const scene = await Scene.open()
    await scene.scheduled('a', [T, T + S, T + 2 * S])
    expect(await scene.tasks.cancel(alice, id('a'))).to.include({ ok: true, unused: 3 })
    for (const slot of [T, T + S, T + 2 * S]) expect(await scene.tasks.slot(slot)).to.equal(undefined)
    expect(await scene.tasks.task(id('a'))).to.equal(undefined)
  })

  it('[OAK-072] takes a recurring task out of its next slot', async () => {
    const scene = await Scene.open()
    await scene.recurring('a', T, S)
    await scene.to(T)
    await scene.tasks.cancel(alice, id('a'))
    expect(await scene.tasks.slot(T + S)).to.equal(undefined)
    expect((await scene.told()).at(-1)).to.equal('TaskCancelled a')
  })

  it('[OAK-073] of a task that ran once takes it out of the slot that is left', async () => {
    const scene = await Scene.open()
    await scene.scheduled('a', [T, T + S])
    await scene.to(T)
    await scene.tasks.cancel(alice, id('a'))
    expect(await scene.tasks.slot(T + S)).to.equal(undefined)
    expect(await scene.told('TaskTriggered', 'Notify', 'TaskExecuted')).to.deep.equal(['TaskCancelled a'])
  })

  it('[OAK-074] takes it out of the task queue', async () => {
    const scene = await Scene.open({ settings: budgetFor(0) })
    await scene.scheduled('a', [T])
    await scene.to(T)
    expect((await scene.tasks.taskQueue())?.tasks).to.deep.equal([id('a')])
    await scene.tasks.cancel(alice, id('a'))
    expect(await scene.tasks.taskQueue()).to.equal(undefined)
    expect(await scene.told()).to.deep.equal(['TaskCancelled a'])
  })

  it('[OAK-076] of a task that is in the map only is told as not found and cancelled; a second time there is none', async () => {
    const scene = await Scene.open({ flows: [LoseSlot] })
    await scene.scheduled('a', [T])
    await scene.virtual.node.run(LoseSlot, {})
    await scene.tasks.cancel(alice, id('a'))
    expect(await scene.told()).to.deep.equal(['TaskNotFound a', 'TaskCancelled a'])
    expect(await scene.tasks.cancel(alice, id('a'))).to.include({ error: 'TaskDoesNotExist' })
  })

  it('[OAK-096] a queued id without a task is told as not found', async () => {
    const scene = await Scene.open({ flows: [LoseTask] })
    await scene.scheduled('a', [T])
    await scene.virtual.node.run(LoseTask, {})
    await scene.to(T)
    expect(await scene.told()).to.deep.equal(['TaskNotFound a'])
    expect(await scene.tasks.taskQueue()).to.equal(undefined)
  })

  it('[OAK-077] is refused to others as NotTaskOwner, and the owner still can', async () => {
    const scene = await Scene.open()
    await scene.scheduled('a', [T])
    expect(await scene.tasks.cancel(signed('bob'), id('a'))).to.include({ error: 'NotTaskOwner' })
    expect(await scene.tasks.cancel(unsigned, id('a'))).to.include({ error: 'NotSigned' })
    expect((await scene.tasks.slot(T))?.tasks).to.deep.equal([id('a')])
    expect(await scene.tasks.cancel(alice, id('a'))).to.include({ ok: true })
  })

  it('[OAK-078] is open to root, and names the owner', async () => {
    const scene = await Scene.open()
    await scene.scheduled('a', [T])
    expect(await scene.tasks.cancel(root, id('a'))).to.include({ ok: true })
    expect((await scene.events()).at(-1)).to.deep.equal({
      event: 'TaskCancelled',
      id: id('a'),
      who: 'alice',
      unused: 1,
    })
  })

  it('refunds nothing and records what was left unused (D13)', async () => {
    const scene = await Scene.open()
    await scene.scheduled('a', [T, T + S])
    const paid = await scene.tasks.balance('alice')
    expect(await scene.tasks.cancel(alice, id('a'))).to.include({ unused: 2 })
    expect(await scene.tasks.balance('alice')).to.equal(paid)
  })

  it('[OAK-156] takes it out of the missed queue, and nothing is told of it later', async () => {
    const scene = await Scene.open({ settings: budgetFor(0) })
    await scene.scheduled('a', [T - S])
    await scene.scheduled('b', [T - S])
    await scene.to(T)
    await scene.virtual.node.idle()
    await scene.tasks.stop(root)
    await scene.tasks.start(root)
    await scene.to(T + 60)
    expect((await scene.tasks.missedQueue()).flatMap(({ tasks }) => tasks)).to.deep.equal([id('a'), id('b')])
    await scene.tasks.cancel(alice, id('a'))
    expect((await scene.tasks.missedQueue()).flatMap(({ tasks }) => tasks)).to.deep.equal([id('b')])
    await scene.tasks.reconfigure(budgetFor(10))
    await scene.to(T + S)
    expect(await scene.told('ScheduledTasksStopped', 'ScheduledTasksResumed')).to.deep.equal([
      ...['TaskCancelled a', 'TaskMissed b -1', 'TaskCompleted b'],
    ])
  })

  it('takes it out of the missed queue wherever it stands there, however many slots were missed', async () => {
    const scene = await Scene.open({ settings: budgetFor(0, 50) })
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    await scene.scheduled('x', [T])
    for (const [index, name] of names.entries()) await scene.scheduled(name, [T + 2 * index * S])
    await scene.scheduled('y', [T + 4 * S, T + 6 * S])
    await scene.downUntil(T + 20 * S)
    await scene.tasks.stop(root)
    await scene.tasks.reconfigure(budgetFor(1, 50))
    await scene.tasks.start(root)
    // One sweep has made the pages, and reported one task.
    await scene.to(T + 20 * S + 1)
    expect(await scene.told('ScheduledTasksStopped', 'ScheduledTasksResumed')).to.include('TaskMissed x 0')
    const missed = async () => (await scene.tasks.missedQueue()).flatMap(({ tasks }) => tasks)
    for (const name of ['a', 'd', 'g', 'y']) {
      expect(await missed(), name).to.include(id(name))
      expect(await scene.tasks.cancel(alice, id(name))).to.include({ ok: true })
      expect(await missed(), name).to.not.include(id(name))
    }
    expect((await scene.events()).map(({ event }) => event)).to.not.include('TaskNotFound')
  })

  it('[OAK-159] of the last id in a slot removes the slot, and of another leaves the rest in order', async () => {
    const scene = await Scene.open()
    await scene.scheduled('a', [T])
    await scene.scheduled('b', [T])
    await scene.tasks.cancel(alice, id('a'))
    expect(await scene.tasks.slot(T)).to.deep.include({ tasks: [id('b')], weight: 1_000 })
    await scene.tasks.cancel(alice, id('b'))
    expect(await scene.tasks.slot(T)).to.equal(undefined)
  })
})
