/**
 * The third chore, which needs more than one node: every thirty days, ask each party that is followed whether it still
 * votes. A task asks one party; the answer comes when that party's node is there, so the conductor looks for answers on
 * the ledger and gives up after a while. An answer that comes later than that is recorded all the same.
 */
import { continueIn, defineChore, done, failed, type ChoreDefinition, type ChoreEngine } from './engine/index.js'
import type { Governance } from './governance/Governance.js'

export const confirmFollowingId = 'confirm-following'
const pollSeconds = 60
/** Looks for answers before the run fails: an hour's worth. */
const patience = 60

type Run = { readonly day: string; readonly followees: readonly string[]; asked: number; looked: number }

export const confirmFollowing = (
  engine: Pick<ChoreEngine, 'setPendingTask'>,
  governance: Pick<Governance, 'today' | 'listFollowees' | 'askFollowee' | 'answersSince'>,
): ChoreDefinition => {
  // Lost with the process, as in any conductor: the run then starts again from tick 0, and asks nobody twice a day.
  const runs = new Map<string, Run>()

  const look = async ({ day, followees, looked }: Run) => {
    const answers = await governance.answersSince(day)
    const silent = followees.filter((name) => !answers.has(name))
    if (silent.length > 0)
      return looked < patience ? continueIn(pollSeconds) : failed(`No answer from ${silent.join(', ')}.`)
    const idle = followees.filter((name) => answers.get(name) === 0)
    return idle.length === 0 ? done : failed(`No vote is left to follow at ${idle.join(', ')}.`)
  }

  return defineChore({
    id: confirmFollowingId,
    name: 'Confirm following',
    description: 'Asks every party that is followed whether it still votes.',
    defaultIntervalSeconds: 30 * 86_400,
    defaultTaskTimeoutSeconds: 600,
    conduct: async ({ choreId, invocationCount, isTaskRunning, lastCompletedTask }) => {
      if (invocationCount === 0)
        runs.set(choreId, {
          day: governance.today(),
          followees: await governance.listFollowees(),
          asked: 0,
          looked: 0,
        })
      const run = runs.get(choreId)
      if (run === undefined) return failed('The list of followees is lost.')
      if (isTaskRunning) return continueIn(1)
      if (lastCompletedTask?.succeeded === false) return failed(lastCompletedTask.error ?? 'A followee was not asked.')
      const next = run.followees[run.asked]
      if (next !== undefined) {
        engine.setPendingTask(choreId, `ask-${next}`, async () => {
          await governance.askFollowee(next, run.day)
          return done
        })
        run.asked += 1
        return continueIn(1)
      }
      run.looked += 1
      return look(run)
    },
  })
}
