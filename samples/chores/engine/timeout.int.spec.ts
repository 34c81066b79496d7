import { expect } from 'chai'
import { plus } from 'carillon'
import { Held } from '../test/Held.js'
import { standWith } from '../test/simpleChore.js'
import { continueIn, done, failed, type ConductorContext, type TaskAction } from './index.js'

describe('a task that has had its time', () => {
  it('[SNE-81] has failed at the tick at which the time is used up, and the conductor sees it in that tick', async () => {
    const seen: [string, ConductorContext][] = []
    const stand = await standWith(
      (engine) => (context) => {
        seen.push([stand.now, context])
        if (context.lastCompletedTask !== null) return done
        if (context.invocationCount === 0) engine.setPendingTask('chore', 'slow', () => new Held<TaskAction>().promise)
        return continueIn(10)
      },
      { defaultTaskTimeoutSeconds: 20 },
    )
    const begun = stand.now
    await stand.engine.control('chore', { verb: 'trigger' })
    await stand.advance({ seconds: 19 })
    expect((await stand.engine.getStatus('chore'))?.taskStatus).to.equal('Running')
    await stand.advance({ seconds: 1 })
    expect(
      seen.map(([at, { isTaskRunning, lastCompletedTask }]) => [at, isTaskRunning, lastCompletedTask]),
    ).to.deep.equal([
      [begun, false, null],
      [plus(begun, { seconds: 10 }), true, null],
      [plus(begun, { seconds: 20 }), false, { taskId: 'slow', succeeded: false, error: 'Task timed out' }],
    ])
    expect(await stand.engine.getStatus('chore')).to.include({ lastTaskError: 'Task timed out', totalSuccessCount: 1 })
  })

  it('[SNE-52] is judged by the timeout that is set at the tick', async () => {
    const stand = await standWith((engine) => ({ lastCompletedTask, invocationCount }) => {
      if (lastCompletedTask !== null) return failed(lastCompletedTask.error ?? 'none')
      if (invocationCount === 0) engine.setPendingTask('chore', 'slow', () => new Held<TaskAction>().promise)
      return continueIn(10)
    })
    await stand.engine.control('chore', { verb: 'trigger' })
    await stand.advance({ seconds: 50 })
    expect((await stand.engine.getStatus('chore'))?.taskStatus).to.equal('Running')
    await stand.engine.control('chore', { verb: 'timeout', seconds: 5 })
    expect((await stand.engine.getStatus('chore'))?.taskStatus).to.equal('Running')
    await stand.advance({ seconds: 10 })
    expect(await stand.engine.getStatus('chore')).to.include({ lastError: 'Task timed out', taskStatus: 'Idle' })
  })

  it('[SNE-82] is recovered although it left its flag active, as a task that hangs does', async () => {
    const stand = await standWith((engine) => ({ lastCompletedTask, isTaskRunning }) => {
      if (lastCompletedTask?.succeeded === true) return done
      if (!isTaskRunning)
        engine.setPendingTask('chore', lastCompletedTask === null ? 'hangs' : 'works', () =>
          lastCompletedTask === null ? new Held<TaskAction>().promise : done,
        )
      return continueIn(100)
    })
    await stand.engine.control('chore', { verb: 'trigger' })
    await stand.advance({ seconds: 200 })
    expect(await stand.engine.getStatus('chore')).to.include({ taskStatus: 'Running', currentTaskId: 'hangs' })
    await stand.advance({ seconds: 200 })
    expect(await stand.engine.getStatus('chore')).to.include({ totalSuccessCount: 1, lastCompletedTaskId: 'works' })
  })

  it('[SNE-82] is let go: its flow ends although the callback never returns', async () => {
    const stand = await standWith(
      (engine) =>
        ({ invocationCount }) => {
          if (invocationCount > 0) return continueIn(10)
          engine.setPendingTask('chore', 'hangs', () => new Held<TaskAction>().promise)
          return continueIn(10)
        },
      { defaultTaskTimeoutSeconds: 15 },
    )
    await stand.engine.control('chore', { verb: 'trigger' })
    await stand.advance({ seconds: 10 })
    expect((await stand.node.flows({ status: 'open' })).items.map(({ name }) => name)).to.deep.equal(['chores/RunTask'])
    await stand.advance({ seconds: 10 })
    expect((await stand.node.flows({ status: 'open' })).items).to.deep.equal([])
  })

  const afterFailure = {
    retry: { work: ['work', 'work'], counts: { totalSuccessCount: 1, totalFailureCount: 0 } },
    skip: { work: ['work', 'more'], counts: { totalSuccessCount: 1, totalFailureCount: 0 } },
    abort: { work: ['work'], counts: { totalSuccessCount: 0, totalFailureCount: 1 } },
  } as const

  for (const [choice, { work, counts }] of Object.entries(afterFailure))
    it(`[SNE-83] leaves the choice to the conductor: ${choice}`, async () => {
      const started: string[] = []
      const stand = await standWith((engine) => ({ choreId, isTaskRunning, lastCompletedTask }) => {
        const start = (taskId: string) => {
          const hangs = started.length === 0
          started.push(taskId)
          engine.setPendingTask(choreId, taskId, () => (hangs ? new Held<TaskAction>().promise : done))
          return continueIn(60)
        }
        if (isTaskRunning) return continueIn(60)
        if (lastCompletedTask === null) return start('work')
        if (lastCompletedTask.succeeded) return done
        if (choice === 'abort') return failed(`gave up: ${lastCompletedTask.error ?? ''}`)
        return start(choice === 'retry' ? 'work' : 'more')
      })
      await stand.engine.control('chore', { verb: 'trigger' })
      await stand.advance({ minutes: 10 })
      expect(started).to.deep.equal(work)
      expect(await stand.engine.getStatus('chore')).to.include(counts)
    })

  it('[SNE-84] is not credited to the next task when it completes late', async () => {
    const late = new Held<TaskAction>()
    const next = new Held<TaskAction>()
    const stand = await standWith(
      (engine) =>
        ({ choreId, isTaskRunning, lastCompletedTask }) => {
          if (lastCompletedTask?.taskId === 'next') return lastCompletedTask.succeeded ? done : failed('next failed')
          if (!isTaskRunning)
            engine.setPendingTask(choreId, lastCompletedTask === null ? 'late' : 'next', () =>
              lastCompletedTask === null ? late.promise : next.promise,
            )
          return continueIn(10)
        },
      { defaultTaskTimeoutSeconds: 15 },
    )
    await stand.engine.control('chore', { verb: 'trigger' })
    await stand.advance({ seconds: 20 })
    expect(await stand.engine.getStatus('chore')).to.include({
      currentTaskId: 'next',
      lastCompletedTaskId: 'late',
    })
    late.release(done)
    await stand.quiet()
    expect(await stand.engine.getStatus('chore')).to.include({
      currentTaskId: 'next',
      taskStatus: 'Running',
      lastTaskSucceeded: false,
    })
    next.release(failed('really'))
    await stand.advance({ seconds: 10 })
    expect(await stand.engine.getStatus('chore')).to.include({ lastError: 'next failed', lastTaskError: 'really' })
  })
})
