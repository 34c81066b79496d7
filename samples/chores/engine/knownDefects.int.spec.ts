import { expect } from 'chai'
import { plus } from 'carillon'
import { ChoreStand } from '../test/ChoreStand.js'
import { Held } from '../test/Held.js'
import { conductOne, simpleChore, standWith } from '../test/simpleChore.js'
import { continueIn, done, pickInterval, Scheduler, type ConductorAction, type TaskAction } from './index.js'

/** Each of these was a defect of the engine this one is modelled on. */
describe('what went wrong in an earlier chore engine', () => {
  it('1: a stop left the scheduler armed, and the next fire was swallowed for ever', async () => {
    const stand = await standWith(() => () => done)
    await stand.engine.control('chore', { verb: 'enable' })
    await stand.engine.control('chore', { verb: 'stop-chore' })
    expect((await stand.node.agenda()).items).to.deep.equal([])
    await stand.advance({ hours: 3 })
    await stand.engine.control('chore', { verb: 'enable' })
    await stand.advance({ hours: 2 })
    expect((await stand.engine.getStatus('chore'))?.totalRunCount).to.equal(3)
  })

  it('2: disabling and enabling again did not clear the stop', async () => {
    const stand = await standWith(() => () => done)
    await stand.engine.control('chore', { verb: 'enable' })
    await stand.engine.control('chore', { verb: 'stop-chore' })
    await stand.engine.control('chore', { verb: 'disable' })
    await stand.engine.control('chore', { verb: 'enable' })
    expect(await stand.engine.getStatus('chore')).to.include({ schedulerStatus: 'Scheduled', stopRequested: false })
    await stand.advance({ hours: 2 })
    expect((await stand.engine.getStatus('chore'))?.totalRunCount).to.equal(2)
  })

  it('3: a disabled chore that was run once and interrupted stayed active, and could never be triggered again', async () => {
    const stand = await standWith(
      () =>
        ({ invocationCount }) =>
          invocationCount > 0 ? done : continueIn(10),
    )
    await stand.engine.control('chore', { verb: 'trigger' })
    await stand.advance({ seconds: 1 })
    await stand.restart({ days: 1 })
    await stand.advance({ seconds: 10 })
    expect(await stand.engine.getStatus('chore')).to.include({ conductorStatus: 'Idle', totalRunCount: 1 })
    await stand.engine.control('chore', { verb: 'trigger' })
    await stand.advance({ seconds: 10 })
    expect((await stand.engine.getStatus('chore'))?.totalRunCount).to.equal(2)
  })

  it('4: a task that completed after its timeout was credited to the task that had taken its place', async () => {
    const first = new Held<TaskAction>()
    const second = new Held<TaskAction>()
    const stand = await standWith(
      (engine) =>
        ({ choreId, isTaskRunning, lastCompletedTask }) => {
          const taskId = lastCompletedTask === null ? 'first' : 'second'
          if (!isTaskRunning)
            engine.setPendingTask(choreId, taskId, () => (taskId === 'first' ? first.promise : second.promise))
          return continueIn(10)
        },
      { defaultTaskTimeoutSeconds: 10 },
    )
    await stand.engine.control('chore', { verb: 'trigger' })
    await stand.advance({ seconds: 12 })
    first.release(done)
    await stand.quiet()
    expect(await stand.engine.getStatus('chore')).to.include({
      currentTaskId: 'second',
      lastCompletedTaskId: 'first',
    })
    expect((await stand.engine.getStatus('chore'))?.lastTaskError).to.equal('Task timed out')
  })

  it('5: starting a chore that was running booked a second timer beside the first', async () => {
    const runs: string[] = []
    const stand = await standWith(() => () => {
      runs.push(stand.now)
      return done
    })
    await stand.engine.control('chore', { verb: 'start' })
    await stand.advance({ minutes: 20 })
    await stand.engine.control('chore', { verb: 'start' })
    const startedAt = stand.now
    await stand.quiet()
    expect((await stand.node.agenda()).items).to.have.length(1)
    runs.length = 0
    await stand.advance({ hours: 2 })
    expect(runs).to.deep.equal([plus(startedAt, { hours: 1 }), plus(startedAt, { hours: 2 })])
  })

  it('6: resuming timers from two places booked everything twice', async () => {
    const runs: string[] = []
    const stand = await standWith(() => () => {
      runs.push(stand.now)
      return done
    })
    await stand.engine.control('chore', { verb: 'enable' })
    await stand.crash()
    await stand.boot({ resume: false })
    await Promise.all([stand.engine.resumeTimers(), stand.engine.resumeTimers(), stand.engine.resumeTimers()])
    expect((await stand.node.agenda()).items).to.have.length(1)
    await stand.advance({ hours: 1 })
    expect(runs).to.deep.equal([stand.now])
  })

  it('7: stopping an active chore left the flag set until the next start', async () => {
    const tick = new Held<ConductorAction>()
    const stand = await standWith(() => () => tick.promise)
    await stand.engine.control('chore', { verb: 'start' })
    await stand.quiet()
    await stand.engine.control('chore', { verb: 'stop' })
    expect((await stand.engine.getStatus('chore'))?.stopRequested).to.equal(true)
    tick.release(done)
    await stand.quiet()
    expect(await stand.engine.getStatus('chore')).to.include({ stopRequested: false, totalRunCount: 0 })
    const polling = await standWith(() => () => continueIn(60))
    await polling.engine.control('chore', { verb: 'start' })
    await polling.quiet()
    await polling.engine.control('chore', { verb: 'stop' })
    expect((await polling.engine.getStatus('chore'))?.stopRequested).to.equal(false)
  })

  it('8: a fixed heartbeat ignored the delay the conductor asked for', async () => {
    const ticks: string[] = []
    const stand = await standWith((engine) => (context) => {
      ticks.push(stand.now)
      return conductOne(engine, 'work', () => new Held<TaskAction>().promise)(context)
    })
    const begun = stand.now
    await stand.engine.control('chore', { verb: 'trigger' })
    await stand.advance({ seconds: 29 })
    expect(ticks).to.deep.equal([0, 10, 20].map((seconds) => plus(begun, { seconds })))
  })

  it('9: random intervals came from the clock, and could be neither trusted nor repeated', async () => {
    const stand = await ChoreStand.open({
      chores: (engine) => {
        for (const id of ['one', 'two'])
          engine.registerChore(
            simpleChore(id, () => done, { defaultIntervalSeconds: 100, defaultMaxIntervalSeconds: 100_000 }),
          )
      },
    })
    await Promise.all([
      stand.engine.control('one', { verb: 'enable' }),
      stand.engine.control('two', { verb: 'enable' }),
    ])
    const [one, two] = await stand.node.states(Scheduler)
    expect(one!.data.bookingSeed).not.to.equal(two!.data.bookingSeed)
    expect(one!.data.nextScheduledRunAt).not.to.equal(two!.data.nextScheduledRunAt)
    for (const { data } of [one!, two!])
      expect(plus(stand.now, { seconds: pickInterval(data.config, data.bookingSeed) })).to.equal(
        data.nextScheduledRunAt,
      )
  })
})
