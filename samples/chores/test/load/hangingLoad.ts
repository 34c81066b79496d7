/**
 * Many tasks that begin to hang at one moment, beside a chore that runs every minute: they stop no other chore, and each
 * has timed out when it should.
 */
import { millisBetween } from 'carillon'
import { continueIn, done, failed, type TaskAction } from '../../engine/index.js'
import { ChoreStand } from '../ChoreStand.js'
import { Held } from '../Held.js'
import { simpleChore } from '../simpleChore.js'

const pollSeconds = 60
const timeoutSeconds = 120
const runsFor = { minutes: 5 }
/** So many callbacks execute at one time; each gives its place to one that waits, after a second. */
const places = 256

export type HangingReport = {
  /** How often the other chore ran in five minutes. It begins at once and runs every minute. */
  readonly otherRuns: number
  /** Chores whose task did not time out, or whose run did not fail of it. */
  readonly wrong: readonly string[]
  /** When the last run failed, in seconds from the beginning, and by when it should have. */
  readonly lastFailedAfter: number
  readonly promisedWithin: number
  readonly seconds: number
}

export const runHangingLoad = async (count: number): Promise<HangingReport> => {
  const startedMs = performance.now()
  const ids = Array.from({ length: count }, (_, place) => `hanging-${place}`)
  let otherRuns = 0
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
              return continueIn(pollSeconds)
            },
            { defaultTaskTimeoutSeconds: timeoutSeconds },
          ),
        )
      const conduct = () => {
        otherRuns += 1
        return done
      }
      engine.registerChore(simpleChore('other', conduct, { defaultIntervalSeconds: 60 }))
    },
  })
  const begun = stand.now
  await Promise.all(ids.map((id) => stand.engine.control(id, { verb: 'trigger' })))
  await stand.engine.control('other', { verb: 'start' })
  await stand.advance(runsFor)
  const hanging = (await stand.engine.getAllStatuses()).filter(({ choreId }) => choreId !== 'other')
  const wrong = hanging
    .filter(({ totalFailureCount, lastError }) => totalFailureCount !== 1 || lastError !== 'Task timed out')
    .map(({ choreId }) => choreId)
  const failures = hanging.map(({ lastErrorAt }) => millisBetween(begun, lastErrorAt ?? begun) / 1_000)
  await stand.stop()
  return {
    otherRuns,
    wrong,
    lastFailedAfter: Math.max(...failures),
    // The timeout, the poll after it, and a second for each so many tasks until the last had begun to hang, twice.
    promisedWithin: timeoutSeconds + pollSeconds + 2 * Math.ceil(count / places),
    seconds: (performance.now() - startedMs) / 1_000,
  }
}
