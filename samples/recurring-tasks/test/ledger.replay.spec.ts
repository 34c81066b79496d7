import { expect } from 'chai'
import * as t from 'io-ts'
import { defineApp, defineFlow, defineState, IntegerC, PartyC, type FlowBody } from 'carillon'
import { LogBackedStore } from 'carillon/logs'
import { VirtualNode } from 'carillon/testing'
import { recurringTasks } from '../app.js'
import { commands, contract } from '../contract.js'
import { Open } from '../flows/requests.js'
import { Sweep } from '../flows/Sweep.js'
import { ActionC, CountsC, taskIdOf } from '../model/Task.js'
import { root, signed } from '../model/Origin.js'
import { instantOf } from '../model/slots.js'
import { MissedPage, Registry, Sweeper, Task, TaskQueue, theRegistry, TimeSlot } from '../states.js'
import { TaskRegistry } from '../TaskRegistry.js'
import { budgetFor, mock, S, Scene, start, T } from './Scene.js'

describe('the ledger of the registry', () => {
  it('[OAK-158] gives byte-equal slots, queues and last slots when the log is replayed', async () => {
    const scene = await Scene.open({ settings: budgetFor(1, 2) })
    for (const [index, name] of ['a', 'b', 'c', 'd', 'e', 'f'].entries())
      await scene.scheduled(name, [T + (index >> 1) * S, T + 5 * S + (index >> 1) * S])
    await scene.to(T)
    await scene.tasks.cancel(signed('alice'), taskIdOf('alice', 'f'))
    await scene.downUntil(T + 4 * S)

    const kinds = [TimeSlot, TaskQueue, MissedPage, Sweeper, Task]
    const read = async (node: VirtualNode['node']): Promise<string> => {
      const rows = await Promise.all(kinds.map(({ type }) => node.queryVault({ type, limit: 1_000 })))
      return JSON.stringify(rows.map(({ items }) => items))
    }
    const live = await read(scene.virtual.node)
    expect(live).to.include('missedNext')
    expect((await scene.tasks.missedQueue()).length).to.be.above(0)

    const replayed = await LogBackedStore.open(scene.log)
    expect(replayed.head()).to.deep.equal(scene.virtual.node.head)
    await scene.virtual.crash()
    const again = await VirtualNode.start({
      app: recurringTasks(),
      start: instantOf(T + 4 * S),
      store: replayed,
    })
    expect(await read(again.node)).to.equal(live)
  })

  it('[OAK-122] reads tasks that were stored with one time as lists of one, with one execution left', async () => {
    const id = taskIdOf('alice', 'a')
    const OldTask = defineState({
      type: Task.type,
      data: t.strict({
        operator: PartyC,
        id: t.string,
        owner: t.string,
        providedId: t.string,
        time: IntegerC,
        action: ActionC,
        abortErrors: t.readonlyArray(t.string),
        counts: CountsC,
        calling: IntegerC,
      }),
      contract,
      participants: ({ operator }) => [operator],
      key: (task) => task.id,
    })
    const Store = defineFlow({
      name: 'old/Store',
      input: t.strict({}),
      *run(io): FlowBody<void> {
        const registry = yield* io.find(Registry, theRegistry)
        if (registry === undefined) return
        const task = { operator: io.me, id, owner: 'alice', providedId: 'a', time: T, abortErrors: [], calling: 0 }
        const counts = { executed: 0, failed: 0, missed: 0 }
        yield* io.finalise((tx) =>
          tx
            .reference(registry)
            .produce(OldTask, { ...task, counts, action: { kind: 'notify', message: 'from before' } })
            .produce(TimeSlot, { operator: io.me, at: T, tasks: [id], weight: 1_000 })
            .command(commands.schedule, [io.me], { events: [] }),
        )
      },
    })
    const old = defineApp({
      name: 'recurring-tasks',
      states: [Registry, Sweeper, TimeSlot, OldTask],
      flows: [Open, Store, Sweep],
    })
    const virtual = await VirtualNode.start({ app: old, start: instantOf(start) })
    await virtual.node.run(Open, { settings: mock, committee: [], callable: [] })
    await virtual.node.run(Store, {})
    await virtual.stop()

    const tasks = await TaskRegistry.open(await virtual.restart({ app: recurringTasks() }))
    expect((await tasks.task(id))?.schedule).to.deep.equal({ kind: 'fixed', times: [T], executionsLeft: 1 })
    await virtual.advanceTo(instantOf(T))
    expect(await tasks.task(id)).to.equal(undefined)
    expect(await tasks.slot(T)).to.equal(undefined)
  })

  it('refuses, by its contract, slots and tasks beyond the settings, and money from nowhere', async () => {
    const Cheat = defineFlow({
      name: 'test/Cheat',
      input: t.strict({ what: t.string }),
      *run(io, { what }): FlowBody<void> {
        const registry = yield* io.find(Registry, theRegistry)
        const slot = yield* io.find(TimeSlot, String(T))
        if (registry === undefined || slot === undefined) return
        yield* io.finalise((tx) => {
          tx.reference(registry).command(commands.sweep, [io.me], { events: [] })
          if (what === 'crowd') tx.consume(slot).produce(TimeSlot, { ...slot.data, tasks: ['x', 'y', 'z'] })
          if (what === 'empty') tx.consume(slot).produce(TimeSlot, { ...slot.data, tasks: [] })
          if (what === 'grid') tx.consume(slot).produce(TimeSlot, { ...slot.data, at: T + 1 })
          return tx
        })
      },
    })
    const scene = await Scene.open({ flows: [Cheat] })
    await scene.scheduled('a', [T])
    for (const [what, sentence] of Object.entries({
      crowd: 'no more tasks',
      empty: 'has tasks',
      grid: 'on the grid',
    })) {
      const error = await scene.virtual.node.run(Cheat, { what }).then(
        () => 'nothing was refused',
        (thrown: unknown) => String(thrown),
      )
      expect(error).to.include(sentence)
    }
    expect(await scene.tasks.reconfigure({ ...mock, slotSeconds: 60 }, root)).to.include({ error: 'InvalidSettings' })
  })
})
