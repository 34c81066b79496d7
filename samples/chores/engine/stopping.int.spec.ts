import { expect } from 'chai'
import { plus } from 'carillon'
import { ChoreStand } from '../test/ChoreStand.js'
import { Held } from '../test/Held.js'
import { conductOne, simpleChore, standWith } from '../test/simpleChore.js'
import { Conductor } from './states.js'
import { carryOn, continueIn, done, type ChoreEngine, type ConductorAction, type TaskAction } from './index.js'

/** Enough turns of the event loop for an endless loop to have gone round several times. */
const aWhile = async (): Promise<void> => {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
}

const idle = { conductorStatus: 'Idle', taskStatus: 'Idle', schedulerStatus: 'Idle' } as const

describe('stopping a chore', () => {
  it('[SNE-71] lets the task chunk under way finish, asks for no other, and clears the flag when it is over', async () => {
    const chunk = new Held<TaskAction>()
    let calls = 0
    const stand = await standWith((engine) =>
      conductOne(engine, 'work', () => {
        calls += 1
        return chunk.promise
      }),
    )
    await stand.engine.control('chore', { verb: 'start' })
    await stand.quiet()
    await stand.engine.control('chore', { verb: 'stop-chore' })
    expect(await stand.engine.getStatus('chore')).to.include({ ...idle, stopRequested: true, enabled: true })
    chunk.release(carryOn)
    await stand.quiet()
    expect(calls).to.equal(1)
    expect(await stand.engine.getStatus('chore')).to.include({ ...idle, stopRequested: false, totalRunCount: 0 })
  })

  it('[SNE-71] lets the conductor under way finish, starts nothing it asked for, and clears the flag', async () => {
    const tick = new Held<ConductorAction>()
    let worked = 0
    const stand = await standWith((engine) => ({ choreId }) => {
      engine.setPendingTask(choreId, 'work', () => {
        worked += 1
        return done
      })
      return tick.promise
    })
    await stand.engine.control('chore', { verb: 'start' })
    await stand.quiet()
    expect((await stand.engine.getStatus('chore'))?.conductorStatus).to.equal('Running')
    await stand.engine.control('chore', { verb: 'stop-chore' })
    expect(await stand.engine.getStatus('chore')).to.include({ ...idle, stopRequested: true })
    tick.release(continueIn(0))
    await stand.advance({ hours: 3 })
    expect(worked).to.equal(0)
    expect(await stand.engine.getStatus('chore')).to.include({ ...idle, stopRequested: false, totalRunCount: 0 })
  })

  it('[SNE-72] keeps a callback that was about to start from starting', async () => {
    let calls = 0
    const stand = await standWith(() => () => {
      calls += 1
      return continueIn(10)
    })
    await stand.engine.control('chore', { verb: 'trigger' })
    await stand.quiet()
    // The clock reaches the tick and the stop arrives before the node has had a turn.
    stand.jumpTo(plus(stand.now, { seconds: 10 }))
    await stand.engine.control('chore', { verb: 'stop-chore' })
    await stand.quiet()
    expect(calls).to.equal(1)
    expect(await stand.engine.getStatus('chore')).to.include({ ...idle, stopRequested: false })
  })

  it('ends the run that is under way, however often the chore has changed since it began', async () => {
    const stand = await standWith(() => () => continueIn(10))
    await stand.engine.control('chore', { verb: 'rename', name: 'renamed' })
    await stand.engine.control('chore', { verb: 'trigger' })
    await stand.advance({ seconds: 15 })
    await stand.engine.control('chore', { verb: 'rename', name: 'renamed again' })
    await stand.engine.control('chore', { verb: 'stop-chore' })
    await stand.quiet()
    expect(await stand.engine.getStatus('chore')).to.include(idle)
    expect(await stand.node.states(Conductor)).to.deep.equal([])
  })

  const endless: Readonly<Record<string, (called: () => void) => Parameters<typeof standWith>[0]>> = {
    '[SNE-73] ends a task that always continues within one tick': (called) => (engine) =>
      conductOne(engine, 'endless', () => {
        called()
        return carryOn
      }),
    '[SNE-74] ends a conductor that always continues at once within one tick': (called) => () => () => {
      called()
      return continueIn(0)
    },
  }
  for (const [promise, conduct] of Object.entries(endless))
    it(promise, async () => {
      let calls = 0
      const stand = await standWith(conduct(() => (calls += 1)))
      await stand.engine.control('chore', { verb: 'trigger' })
      await aWhile()
      expect(calls).to.be.greaterThan(2)
      await stand.engine.control('chore', { verb: 'stop-chore' })
      const before = calls
      await stand.advance({ hours: 3 })
      expect(calls - before).to.be.at.most(1)
      expect(await stand.engine.getStatus('chore')).to.include({ ...idle, stopRequested: false })
    })

  it('leaves it enabled but disarmed, also across restarts, until it is triggered', async () => {
    const stand = await standWith(() => () => done)
    await stand.engine.control('chore', { verb: 'enable' })
    await stand.engine.control('chore', { verb: 'stop-chore' })
    await stand.restart({ hours: 5 })
    await stand.advance({ days: 1 })
    expect(await stand.engine.getStatus('chore')).to.include({ ...idle, enabled: true, totalRunCount: 0 })
    await stand.engine.control('chore', { verb: 'trigger' })
    await stand.advance({ hours: 1 })
    expect(await stand.engine.getStatus('chore')).to.include({ schedulerStatus: 'Scheduled', totalRunCount: 2 })
  })

  it('[SNE-56] and all others leaves every one idle, its flag set, its counts as they were, its pending task discarded', async () => {
    const held = new Held<ConductorAction>()
    let worked = 0
    const conduct =
      (engine: ChoreEngine) =>
      ({ choreId }: { readonly choreId: string }) => {
        engine.setPendingTask(choreId, 'work', () => {
          worked += 1
          return done
        })
        return held.promise
      }
    const stand = await ChoreStand.open({
      chores: (engine) => {
        for (const id of ['a', 'b', 'c']) engine.registerChore(simpleChore(id, conduct(engine)))
      },
    })
    await Promise.all(['a', 'b', 'c'].map((id) => stand.engine.control(id, { verb: 'trigger' })))
    await stand.quiet()
    const counts = (await stand.engine.getAllStatuses()).map(({ totalRunCount }) => totalRunCount)
    await stand.engine.stopAllChores()
    for (const status of await stand.engine.getAllStatuses())
      expect(status).to.include({ ...idle, stopRequested: true })
    expect((await stand.engine.getAllStatuses()).map(({ totalRunCount }) => totalRunCount)).to.deep.equal(counts)
    held.release(continueIn(1))
    await stand.advance({ minutes: 1 })
    expect(worked).to.equal(0)
    for (const status of await stand.engine.getAllStatuses())
      expect(status).to.include({ ...idle, stopRequested: false })
  })

  it('[SNE-57] does not keep it from being triggered: the flag is cleared and it runs', async () => {
    const held = [new Held<ConductorAction>()]
    const stand = await standWith(() => () => held.shift()?.promise ?? done)
    const [first] = held
    await stand.engine.control('chore', { verb: 'trigger' })
    await stand.quiet()
    await stand.engine.control('chore', { verb: 'stop-chore' })
    expect((await stand.engine.getStatus('chore'))?.stopRequested).to.equal(true)
    await stand.engine.control('chore', { verb: 'trigger' })
    await stand.quiet()
    expect(await stand.engine.getStatus('chore')).to.include({ stopRequested: false, totalSuccessCount: 1 })
    first!.release(continueIn(0))
    await stand.quiet()
    expect(await stand.engine.getStatus('chore')).to.include({ conductorStatus: 'Idle', totalSuccessCount: 1 })
  })

  it('keeps what a late conductor asks for from reaching the run that came after it', async () => {
    const late = new Held<undefined>()
    const worked: string[] = []
    let runs = 0
    const stand = await standWith((engine) => async ({ choreId, lastCompletedTask }) => {
      if (lastCompletedTask !== null) return done
      runs += 1
      const run = runs
      if (run === 1) await late.promise
      if (run === 2) {
        late.release(undefined)
        for (let turn = 0; turn < 5; turn++) await Promise.resolve()
      }
      engine.setPendingTask(choreId, `task of run ${run}`, () => {
        worked.push(`run ${run}`)
        return done
      })
      if (run === 2) await new Promise((resolve) => setImmediate(resolve))
      return continueIn(10)
    })
    await stand.engine.control('chore', { verb: 'trigger' })
    await stand.quiet()
    await stand.engine.control('chore', { verb: 'stop-chore' })
    await stand.engine.control('chore', { verb: 'trigger' })
    await stand.advance({ seconds: 20 })
    expect(worked).to.deep.equal(['run 2'])
    expect(await stand.engine.getStatus('chore')).to.include({
      lastCompletedTaskId: 'task of run 2',
      totalSuccessCount: 1,
    })
  })

  it('[SNE-58] and enabling it again lets the next scheduled fire run and book the one after it', async () => {
    const stand = await standWith(() => () => done)
    await stand.engine.control('chore', { verb: 'enable' })
    const next = (await stand.engine.getStatus('chore'))!.nextScheduledRunAt!
    await stand.engine.control('chore', { verb: 'stop-chore' })
    expect(await stand.engine.getStatus('chore')).to.include({ ...idle, enabled: true, nextScheduledRunAt: next })
    await stand.engine.control('chore', { verb: 'enable' })
    await stand.advanceTo(next)
    expect(await stand.engine.getStatus('chore')).to.include({
      totalRunCount: 1,
      schedulerStatus: 'Scheduled',
      nextScheduledRunAt: plus(next, { hours: 1 }),
    })
  })
})

describe('cancelling all timers', () => {
  it('ends every run and arms nothing, but keeps each schedule for when timers are resumed', async () => {
    const stand = await standWith(() => () => continueIn(10))
    await stand.engine.control('chore', { verb: 'start' })
    await stand.quiet()
    const next = (await stand.engine.getStatus('chore'))!.nextScheduledRunAt
    await stand.engine.cancelAllTimers()
    expect(await stand.engine.getStatus('chore')).to.include({
      ...idle,
      nextScheduledRunAt: next,
      stopRequested: false,
    })
    expect((await stand.node.agenda()).items).to.deep.equal([])
    await stand.engine.resumeTimers()
    expect(await stand.engine.getStatus('chore')).to.include({ schedulerStatus: 'Scheduled', nextScheduledRunAt: next })
  })
})
