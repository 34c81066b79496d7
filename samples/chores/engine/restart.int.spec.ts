import { expect } from 'chai'
import * as t from 'io-ts'
import { defineFlow, plus, showRef, StateRefC, type FlowBody } from 'carillon'
import { ChoreStand } from '../test/ChoreStand.js'
import { Held } from '../test/Held.js'
import { conductOne, simpleChore, standWith } from '../test/simpleChore.js'
import { tell } from './Happening.js'
import {
  carryOn,
  Conductor,
  continueIn,
  done,
  Scheduler,
  Task,
  type ConductorAction,
  type ConductorContext,
  type TaskAction,
} from './index.js'

describe('a restart', () => {
  it('[SNE-61] runs at once what fell due meanwhile, exactly once, and counts the next interval from that fire', async () => {
    const runs: string[] = []
    const stand = await standWith(() => () => {
      runs.push(stand.now)
      return done
    })
    await stand.engine.control('chore', { verb: 'enable' })
    await stand.restart({ minutes: 90 })
    expect(runs).to.deep.equal([stand.now])
    expect((await stand.engine.getStatus('chore'))?.nextScheduledRunAt).to.equal(plus(stand.now, { hours: 1 }))
    await stand.engine.resumeTimers()
    await stand.quiet()
    expect(runs).to.have.length(1)
    await stand.advance({ hours: 1 })
    expect(runs).to.have.length(2)
  })

  it('[SNE-61] keeps a run that is still to come at its time', async () => {
    const stand = await standWith(() => () => done)
    await stand.engine.control('chore', { verb: 'enable' })
    const next = (await stand.engine.getStatus('chore'))?.nextScheduledRunAt
    await stand.restart({ minutes: 30 })
    expect(await stand.engine.getStatus('chore')).to.include({ nextScheduledRunAt: next, totalRunCount: 0 })
  })

  it('[SNE-62] books one interval from now for an enabled chore that has no next run', async () => {
    const Forget = defineFlow({
      name: 'spec/Forget',
      input: t.strict({ scheduler: StateRefC }),
      *run(io, { scheduler }): FlowBody<void> {
        const current = yield* io.load(Scheduler, scheduler)
        yield* io.finalise((tx) => tell(tx.replace(current, { nextScheduledRunAt: null }), current.data, 'control'))
      },
    })
    const stand = await standWith(() => () => done, { app: { flows: [Forget] } })
    await stand.engine.control('chore', { verb: 'enable' })
    const [scheduler] = await stand.node.states(Scheduler)
    await stand.node.run(Forget, { scheduler: scheduler!.ref })
    expect(await stand.engine.getStatus('chore')).to.include({ schedulerStatus: 'Idle', nextScheduledRunAt: null })
    await stand.restart({ minutes: 10 })
    expect(await stand.engine.getStatus('chore')).to.include({
      schedulerStatus: 'Scheduled',
      nextScheduledRunAt: plus(stand.now, { hours: 1 }),
    })
  })

  it('[SNE-63] arms nothing for a disabled chore', async () => {
    const stand = await standWith(() => () => done)
    await stand.engine.control('chore', { verb: 'enable' })
    await stand.engine.control('chore', { verb: 'disable' })
    await stand.restart({ hours: 5 })
    expect((await stand.node.agenda()).items).to.deep.equal([])
    expect(await stand.engine.getStatus('chore')).to.include({ schedulerStatus: 'Idle', totalRunCount: 0 })
  })

  const contexts = async (crash: (stand: ChoreStand) => Promise<void>): Promise<readonly ConductorContext[]> => {
    const seen: ConductorContext[] = []
    const stand = await standWith((engine) => (context) => {
      seen.push(context)
      if (context.invocationCount === 3) return done
      if (context.invocationCount === 0) engine.setPendingTask('chore', 'work', () => done)
      return continueIn(10)
    })
    await stand.engine.control('chore', { verb: 'start' })
    await stand.advance({ seconds: 15 })
    seen.length = 0
    await crash(stand)
    const [first] = seen
    expect(first).to.deep.include({ invocationCount: 0, lastCompletedTask: null, isTaskRunning: false })
    expect((await stand.engine.getStatus('chore'))?.conductorStartedAt).to.equal(stand.now)
    await stand.advance({ seconds: 30 })
    expect(await stand.engine.getStatus('chore')).to.include({ totalRunCount: 1, conductorStatus: 'Idle' })
    return seen
  }

  it('[SNE-64] starts an active conductor again from its beginning', async () => {
    const seen = await contexts((stand) => stand.restart({ seconds: 2 }))
    expect(seen.map(({ invocationCount }) => invocationCount)).to.deep.equal([0, 1, 2, 3])
  })

  it('[SNE-64] starts it again also when its next tick has fallen due before anyone resumed it', async () => {
    const seen = await contexts((stand) => stand.restart({ minutes: 2 }))
    expect(seen.map(({ invocationCount }) => invocationCount)).to.deep.equal([0, 1, 2, 3])
  })

  it('[SNE-64] begins again a conductor that was being executed, at its first tick or later', async () => {
    for (const interrupted of [0, 1]) {
      let held: Held<ConductorAction> | undefined = new Held<ConductorAction>()
      const ticks: number[] = []
      const stand = await standWith(() => ({ invocationCount }) => {
        ticks.push(invocationCount)
        return invocationCount === interrupted && held !== undefined ? held.promise : continueIn(10)
      })
      await stand.engine.control('chore', { verb: 'trigger' })
      await stand.advance({ seconds: 10 })
      expect((await stand.engine.getStatus('chore'))?.conductorStatus).to.equal('Running')
      const late = held
      held = undefined
      ticks.length = 0
      await stand.restart({ minutes: 5 })
      expect(ticks).to.deep.equal([0])
      expect(await stand.engine.getStatus('chore')).to.include({
        conductorStatus: 'Polling',
        conductorInvocationCount: 1,
        conductorStartedAt: stand.now,
      })
      late.release(done)
      await stand.quiet()
      expect(await stand.engine.getStatus('chore')).to.include({ conductorStatus: 'Polling', totalRunCount: 0 })
    }
  })

  it('[SNE-64] drops the task of the life before, whose closure is lost, and lets the conductor start it anew', async () => {
    const tasks: Held<TaskAction>[] = []
    const stand = await standWith((engine) =>
      conductOne(engine, 'work', () => {
        const held = new Held<TaskAction>()
        tasks.push(held)
        return held.promise
      }),
    )
    await stand.engine.control('chore', { verb: 'trigger' })
    await stand.advance({ seconds: 5 })
    await stand.restart({ seconds: 1 })
    expect(tasks).to.have.length(2)
    expect(await stand.engine.getStatus('chore')).to.include({ taskStatus: 'Running', taskStartedAt: stand.now })
    tasks[0]!.release(done)
    await stand.advance({ seconds: 10 })
    expect(await stand.engine.getStatus('chore')).to.include({ taskStatus: 'Running', totalRunCount: 0 })
    tasks[1]!.release(done)
    await stand.advance({ seconds: 10 })
    expect(await stand.engine.getStatus('chore')).to.include({ taskStatus: 'Idle', totalSuccessCount: 1 })
  })

  it('in the middle of a task of many chunks runs no chunk of the old task again', async () => {
    let life = 0
    const chunks: string[] = []
    let held = new Held<TaskAction>()
    const stand = await ChoreStand.open({
      chores: (engine) => {
        life += 1
        const mine = life
        let count = 0
        engine.registerChore(
          simpleChore(
            'chore',
            conductOne(engine, 'work', () => {
              chunks.push(`${mine}.${count}`)
              count += 1
              if (count === 3) return mine === 1 ? held.promise : done
              return carryOn
            }),
          ),
        )
      },
    })
    await stand.engine.control('chore', { verb: 'trigger' })
    await stand.quiet()
    const late = held
    held = new Held()
    await stand.restart()
    await stand.advance({ seconds: 10 })
    late.release(done)
    await stand.quiet()
    expect(chunks).to.deep.equal(['1.0', '1.1', '1.2', '2.0', '2.1', '2.2'])
    expect(await stand.engine.getStatus('chore')).to.include({ totalSuccessCount: 1, totalRunCount: 1 })
  })

  it('[SNE-66] leaves no timer that is not on the agenda', async () => {
    const stand = await standWith((engine) => conductOne(engine, 'work', () => new Held<TaskAction>().promise))
    await stand.engine.control('chore', { verb: 'start' })
    await stand.advance({ seconds: 5 })
    const timers = async () =>
      Promise.all(
        [Scheduler, Conductor, Task].map(async ({ type }) => {
          const { items } = await stand.node.queryVault({ type })
          return items.map(({ ref }) => showRef(ref)).join()
        }),
      )
    const [, conductor, task] = await timers()
    await stand.crash()
    await stand.boot()
    const after = await timers()
    expect(after[1]).not.to.equal(conductor)
    expect(after[2]).not.to.equal(task)
    const scheduled = (await stand.node.agenda()).items
    const started = (await stand.node.agenda({ show: 'started' })).items
    expect([...scheduled, ...started].map(({ ref }) => showRef(ref))).to.have.members(after)
  })

  it('[SNE-67] resumes the same whether timers are resumed once or many times', async () => {
    const ticks: string[] = []
    const stand = await standWith(() => ({ invocationCount }) => {
      ticks.push(`${stand.now} ${invocationCount}`)
      return invocationCount === 2 ? done : continueIn(10)
    })
    await stand.engine.control('chore', { verb: 'start' })
    await stand.advance({ seconds: 5 })
    ticks.length = 0
    await stand.crash()
    await stand.boot({ resume: false })
    await Promise.all([stand.engine.resumeTimers(), stand.engine.resumeTimers()])
    await stand.quiet()
    await stand.engine.resumeTimers()
    await stand.quiet()
    expect(ticks).to.deep.equal([`${stand.now} 0`])
    expect(await stand.engine.getAllStatuses()).to.have.length(1)
    const scheduled = (await stand.node.agenda()).items.map(({ type }) => type)
    expect(scheduled).to.have.members(['chores/Scheduler', 'chores/Conductor'])
    await stand.advance({ seconds: 20 })
    expect(ticks).to.have.length(3)
    expect((await stand.engine.getStatus('chore'))?.totalRunCount).to.equal(1)
  })

  it('[SNE-68] finishes a single run of a disabled chore that it interrupted, and leaves the chore idle', async () => {
    const stand = await standWith(
      () =>
        ({ invocationCount }) =>
          invocationCount === 1 ? done : continueIn(10),
    )
    await stand.engine.control('chore', { verb: 'trigger' })
    await stand.advance({ seconds: 5 })
    expect((await stand.engine.getStatus('chore'))?.conductorStatus).to.equal('Polling')
    await stand.restart({ seconds: 1 })
    expect(await stand.engine.getStatus('chore')).to.include({
      conductorStatus: 'Polling',
      conductorInvocationCount: 1,
    })
    await stand.advance({ seconds: 10 })
    expect(await stand.engine.getStatus('chore')).to.include({
      conductorStatus: 'Idle',
      lifecycle: 'Stopped',
      totalSuccessCount: 1,
      nextScheduledRunAt: null,
    })
    await stand.engine.control('chore', { verb: 'trigger' })
    await stand.advance({ seconds: 10 })
    expect((await stand.engine.getStatus('chore'))?.totalSuccessCount).to.equal(2)
  })

  for (const countFrom of ['fire', 'due'] as const)
    it(`[SNE-69] makes good for several missed intervals with one run, counting from the ${countFrom}`, async () => {
      let runs = 0
      const stand = await standWith(
        () => () => {
          runs += 1
          return done
        },
        { countFrom },
      )
      await stand.engine.control('chore', { verb: 'enable' })
      const enabledAt = stand.now
      await stand.restart({ hours: 7, minutes: 20 })
      expect(runs).to.equal(1)
      expect((await stand.engine.getStatus('chore'))?.nextScheduledRunAt).to.equal(
        plus(enabledAt, countFrom === 'fire' ? { hours: 8, minutes: 20 } : { hours: 8 }),
      )
    })

  it('[SNE-108] leaves a paused chore paused, with its time kept', async () => {
    const stand = await standWith(() => () => done)
    await stand.engine.control('chore', { verb: 'enable' })
    const next = (await stand.engine.getStatus('chore'))?.nextScheduledRunAt
    await stand.engine.control('chore', { verb: 'pause' })
    await stand.restart({ hours: 5 })
    await stand.advance({ hours: 1 })
    expect(await stand.engine.getStatus('chore')).to.include({
      lifecycle: 'Paused',
      schedulerStatus: 'Idle',
      nextScheduledRunAt: next,
      totalRunCount: 0,
    })
  })
})
