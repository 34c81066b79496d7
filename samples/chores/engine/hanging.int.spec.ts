import { expect } from 'chai'
import { ChoreStand } from '../testing/ChoreStand.js'
import { Held } from '../testing/Held.js'
import { simpleChore } from '../testing/simpleChore.js'
import { continueIn, done, failed, type TaskAction } from './index.js'

/** More where there is time: HANGING_TASKS=10000 npx mocha <this file>. */
const hangingTasks = Number(process.env['HANGING_TASKS'] ?? 300)

describe(`${hangingTasks} tasks that hang`, () => {
  it('stop no other chore, and time out as promised', async () => {
    const ran: string[] = []
    const ids = Array.from({ length: hangingTasks }, (_, place) => `hanging-${place}`)
    const stand = await ChoreStand.open({
      development: false,
      chores: (engine) => {
        for (const id of ids)
          engine.registerChore(
            simpleChore(
              id,
              ({ choreId, isTaskRunning, lastCompletedTask }) => {
                if (lastCompletedTask !== null) return failed(lastCompletedTask.error ?? '')
                if (!isTaskRunning) engine.setPendingTask(choreId, 'hang', () => new Held<TaskAction>().promise)
                return continueIn(60)
              },
              { defaultTaskTimeoutSeconds: 120 },
            ),
          )
        engine.registerChore(
          simpleChore(
            'other',
            () => {
              ran.push(stand.now)
              return done
            },
            { defaultIntervalSeconds: 60 },
          ),
        )
      },
    })
    const begun = stand.now
    await Promise.all(ids.map((id) => stand.engine.trigger(id)))
    await stand.engine.start('other')
    await stand.advance({ minutes: 5 })
    expect(ran.length).to.be.within(5, 6)
    const statuses = await stand.engine.getAllStatuses()
    const wrong = statuses.filter(
      (status) =>
        status.choreId !== 'other' && (status.totalFailureCount !== 1 || status.lastError !== 'Task timed out'),
    )
    expect(wrong).to.deep.equal([])
    const latest =
      statuses
        .map(({ lastErrorAt }) => lastErrorAt ?? begun)
        .toSorted()
        .at(-1) ?? begun
    // Two minutes, the poll after them, and for each 256 tasks a second until the last had begun to hang, twice.
    expect((Date.parse(latest) - Date.parse(begun)) / 1000).to.be.at.most(180 + 2 * Math.ceil(hangingTasks / 256))
    await stand.stop()
  }).timeout(600_000)
})
