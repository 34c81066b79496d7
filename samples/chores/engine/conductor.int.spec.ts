import { expect } from 'chai'
import { plus } from 'carillon'
import { ChoreStand } from '../test/ChoreStand.js'
import { Held } from '../test/Held.js'
import { simpleChore, standWith } from '../test/simpleChore.js'
import {
  carryOn,
  continueIn,
  done,
  failed,
  type ConductorAction,
  type ConductorContext,
  type TaskAction,
} from './index.js'

describe('the conductor of a chore', () => {
  it('[SNE-21] is called again after as many seconds as it asks for, and at once for none', async () => {
    const waits = [10, 0, 3]
    const ticks: string[] = []
    const stand = await standWith(() => ({ invocationCount }) => {
      ticks.push(stand.now)
      const seconds = waits[invocationCount]
      return seconds === undefined ? done : continueIn(seconds)
    })
    const begun = stand.now
    await stand.engine.control('chore', { verb: 'trigger' })
    await stand.advance({ minutes: 1 })
    expect(ticks).to.deep.equal([0, 10, 10, 13].map((seconds) => plus(begun, { seconds })))
  })

  it('fails the run when it asks for a time that does not exist', async () => {
    const stand = await standWith(() => () => continueIn(-1))
    await stand.engine.control('chore', { verb: 'trigger' })
    await stand.quiet()
    expect((await stand.engine.getStatus('chore'))?.lastError).to.equal(
      'The conductor asked to continue in -1 seconds.',
    )
  })

  it('[SNE-22] has its pending task started once it has returned', async () => {
    const conductor = new Held<ConductorAction>()
    const task = new Held<TaskAction>()
    const stand = await standWith((engine) => ({ choreId }) => {
      engine.setPendingTask(choreId, 'work', () => task.promise)
      return conductor.promise
    })
    await stand.engine.control('chore', { verb: 'trigger' })
    await stand.quiet()
    expect(await stand.engine.getStatus('chore')).to.include({
      conductorStatus: 'Running',
      taskStatus: 'Idle',
      currentTaskId: null,
    })
    await stand.advance({ seconds: 5 })
    conductor.release(continueIn(10))
    await stand.quiet()
    expect(await stand.engine.getStatus('chore')).to.include({
      taskStatus: 'Running',
      currentTaskId: 'work',
      taskStartedAt: stand.now,
    })
    expect(await stand.engine.getStatus('chore')).to.include({ conductorStatus: 'Polling', taskStatus: 'Running' })
  })

  it('[SNE-23] starts only the last task it asked for in a tick', async () => {
    const worked: string[] = []
    const task = (name: string) => () => {
      worked.push(name)
      return done
    }
    const stand = await standWith((engine) => ({ choreId, lastCompletedTask }) => {
      if (lastCompletedTask !== null) return done
      engine.setPendingTask(choreId, 'first', task('first'))
      engine.setPendingTask(choreId, 'second', task('second'))
      return continueIn(10)
    })
    await stand.engine.control('chore', { verb: 'trigger' })
    await stand.advance({ seconds: 30 })
    expect(worked).to.deep.equal(['second'])
    expect(await stand.engine.getStatus('chore')).to.include({ lastCompletedTaskId: 'second', totalSuccessCount: 1 })
  })

  it('[SNE-24] starts its own task although another chore asks for one at the same instant', async () => {
    const worked: string[] = []
    const stand = await ChoreStand.open({
      chores: (engine) => {
        for (const id of ['a', 'b'])
          engine.registerChore(
            simpleChore(id, async ({ choreId, lastCompletedTask }) => {
              if (lastCompletedTask !== null) return done
              await Promise.resolve()
              engine.setPendingTask(choreId, `task of ${id}`, () => {
                worked.push(id)
                return done
              })
              await Promise.resolve()
              return continueIn(10)
            }),
          )
      },
    })
    await Promise.all([stand.engine.control('a', { verb: 'trigger' }), stand.engine.control('b', { verb: 'trigger' })])
    await stand.quiet()
    expect(worked.toSorted()).to.deep.equal(['a', 'b'])
    expect((await stand.engine.getAllStatuses()).map(({ lastCompletedTaskId }) => lastCompletedTaskId)).to.deep.equal([
      'task of a',
      'task of b',
    ])
  })

  it('may not start a task while one runs, and nobody but a conductor may start one', async () => {
    const stand = await standWith((engine) => ({ choreId }) => {
      engine.setPendingTask(choreId, 'work', () => new Held<TaskAction>().promise)
      return continueIn(10)
    })
    await stand.engine.control('chore', { verb: 'trigger' })
    await stand.advance({ seconds: 10 })
    expect(await stand.engine.getStatus('chore')).to.include({ conductorStatus: 'Idle', taskStatus: 'Idle' })
    expect((await stand.engine.getStatus('chore'))?.lastError).to.contain('A task of chore chore is still running')
    expect(() => stand.engine.setPendingTask('chore', 'work', () => done)).to.throw('is not being conducted')
  })

  it('[SNE-26] sees at its next tick how its task ended', async () => {
    const seen: (ConductorContext['lastCompletedTask'] | undefined)[] = []
    const outcomes: TaskAction[] = [done, failed('too bad')]
    const stand = await standWith((engine) => ({ choreId, lastCompletedTask, invocationCount }) => {
      seen.push(lastCompletedTask)
      const outcome = outcomes[invocationCount]
      if (outcome === undefined) return done
      engine.setPendingTask(choreId, `task-${invocationCount}`, () => outcome)
      return continueIn(10)
    })
    await stand.engine.control('chore', { verb: 'trigger' })
    await stand.advance({ seconds: 30 })
    expect(seen).to.deep.equal([
      null,
      { taskId: 'task-0', succeeded: true, error: null },
      { taskId: 'task-1', succeeded: false, error: 'too bad' },
    ])
  })

  it('[SNE-27] ends the run as a success with Done', async () => {
    const stand = await standWith(() => () => done)
    await stand.engine.control('chore', { verb: 'start' })
    await stand.quiet()
    expect(await stand.engine.getStatus('chore')).to.include({
      conductorStatus: 'Idle',
      conductorStartedAt: null,
      lastCompletedRunAt: stand.now,
      totalRunCount: 1,
      totalSuccessCount: 1,
      totalFailureCount: 0,
    })
  })

  it('[SNE-28] ends the run as a failure with Error, and the next run stays booked', async () => {
    let fails = false
    const stand = await standWith(() => () => (fails ? failed('x') : done))
    await stand.engine.control('chore', { verb: 'start' })
    await stand.quiet()
    const succeededAt = stand.now
    fails = true
    await stand.advance({ hours: 1 })
    expect(await stand.engine.getStatus('chore')).to.include({
      conductorStatus: 'Idle',
      totalRunCount: 2,
      totalSuccessCount: 1,
      totalFailureCount: 1,
      lastError: 'x',
      lastErrorAt: stand.now,
      lastCompletedRunAt: succeededAt,
      schedulerStatus: 'Scheduled',
      nextScheduledRunAt: plus(stand.now, { hours: 1 }),
    })
  })

  it('[SNE-29] that throws fails the run, and the error names the conductor', async () => {
    const stand = await standWith(() => () => {
      throw new Error('no more ink')
    })
    await stand.engine.control('chore', { verb: 'trigger' })
    await stand.quiet()
    expect(await stand.engine.getStatus('chore')).to.include({
      conductorStatus: 'Idle',
      totalFailureCount: 1,
      lastError: 'Conductor threw: no more ink',
      lastErrorAt: stand.now,
      lastCompletedRunAt: null,
    })
  })

  it('drops a task that still runs when it says Done, and the late task changes nothing', async () => {
    const task = new Held<TaskAction>()
    const stand = await standWith((engine) => ({ choreId, invocationCount }) => {
      if (invocationCount > 0) return done
      engine.setPendingTask(choreId, 'work', () => task.promise)
      return continueIn(10)
    })
    await stand.engine.control('chore', { verb: 'trigger' })
    await stand.advance({ seconds: 10 })
    const status = await stand.engine.getStatus('chore')
    expect(status).to.include({ taskStatus: 'Idle', conductorStatus: 'Idle', totalSuccessCount: 1 })
    task.release(failed('late'))
    await stand.quiet()
    expect(await stand.engine.getStatus('chore')).to.deep.equal(status)
  })

  it('whose definition is not registered any more fails its run', async () => {
    let registered = true
    const stand = await ChoreStand.open({
      chores: (engine) => {
        if (registered) engine.registerChore(simpleChore('chore', () => continueIn(10)))
      },
    })
    await stand.engine.control('chore', { verb: 'start' })
    await stand.quiet()
    registered = false
    await stand.restart()
    await stand.quiet()
    expect(await stand.engine.getStatus('chore')).to.include({ conductorStatus: 'Idle', totalFailureCount: 1 })
    expect((await stand.engine.getStatus('chore'))?.lastError).to.contain('No chore chore is registered')
  })
})

describe('the task of a chore', () => {
  const endsWith = async (action: TaskAction | Error): Promise<ChoreStand> => {
    const stand = await standWith((engine) => ({ choreId }) => {
      engine.setPendingTask(choreId, 'work', () => {
        if (action instanceof Error) throw action
        return action
      })
      return continueIn(10)
    })
    await stand.engine.control('chore', { verb: 'trigger' })
    await stand.quiet()
    return stand
  }

  it('[SNE-36] is over with Done and with Error, and the difference is recorded', async () => {
    const succeeded = await endsWith(done)
    expect(await succeeded.engine.getStatus('chore')).to.include({
      taskStatus: 'Idle',
      lastCompletedTaskId: 'work',
      lastTaskSucceeded: true,
      lastTaskError: null,
    })
    const bad = await endsWith(failed('e'))
    expect(await bad.engine.getStatus('chore')).to.include({
      taskStatus: 'Idle',
      lastCompletedTaskId: 'work',
      lastTaskSucceeded: false,
      lastTaskError: 'e',
    })
  })

  it('[SNE-37] that throws has failed, and the error names the task', async () => {
    const stand = await endsWith(new Error('no more paper'))
    expect(await stand.engine.getStatus('chore')).to.include({
      taskStatus: 'Idle',
      lastTaskSucceeded: false,
      lastTaskError: 'Task threw: no more paper',
    })
  })

  for (const chunks of [0, 1, 7, 110])
    it(`[SNE-38] that continues ${chunks} times is called exactly ${chunks + 1} times`, async () => {
      let calls = 0
      const stand = await standWith((engine) => ({ choreId, lastCompletedTask }) => {
        if (lastCompletedTask !== null) return done
        engine.setPendingTask(choreId, 'work', () => {
          calls += 1
          return calls > chunks ? done : carryOn
        })
        return continueIn(10)
      })
      await stand.engine.control('chore', { verb: 'trigger' })
      await stand.advance({ seconds: 10 })
      expect(calls).to.equal(chunks + 1)
      expect(await stand.engine.getStatus('chore')).to.include({ totalSuccessCount: 1, lastTaskSucceeded: true })
    })

  it('[SNE-39] tells the conductor nothing when it ends: the conductor learns of it at its next poll', async () => {
    const ticks: string[] = []
    const stand = await standWith((engine) => ({ choreId, lastCompletedTask }) => {
      ticks.push(`${stand.now} ${lastCompletedTask?.taskId ?? 'none'}`)
      if (lastCompletedTask !== null) return done
      engine.setPendingTask(choreId, 'work', () => done)
      return continueIn(10)
    })
    await stand.engine.control('chore', { verb: 'trigger' })
    const begun = stand.now
    await stand.advance({ seconds: 9 })
    expect(await stand.engine.getStatus('chore')).to.include({ taskStatus: 'Idle', lastCompletedTaskId: 'work' })
    expect(ticks).to.deep.equal([`${begun} none`])
    await stand.advance({ seconds: 1 })
    expect(ticks).to.deep.equal([`${begun} none`, `${stand.now} work`])
  })
})
