/**
 * The three chores of the sample: one task for each of many things, one task of many small chunks, and one that
 * waits for the nodes of others. What a conductor captures is lost with the process, and its run then starts again
 * from tick 0.
 */
import {
  carryOn,
  continueIn,
  defineChore,
  done,
  failed,
  type ChoreDefinition,
  type ChoreEngine,
} from './engine/index.js'
import type { Governance } from './governance.js'

export const refreshVotingPowerId = 'refresh-voting-power'
const weekSeconds = 604_800

type Runs = Map<string, { readonly neurons: readonly string[]; index: number }>

/**
 * Once a week, refreshes the voting power of every neuron, one task for each. A neuron that cannot be refreshed is
 * recorded as a failed task, and the conductor goes on with the next.
 */
export const refreshVotingPower = (
  engine: Pick<ChoreEngine, 'setPendingTask'>,
  governance: Pick<Governance, 'listNeurons' | 'refreshVotingPower'>,
): ChoreDefinition => {
  // Captured state, as in any conductor: it is lost with the process, and then the run starts again from tick 0.
  const runs: Runs = new Map()

  const startTask = (choreId: string, { neurons, index }: { neurons: readonly string[]; index: number }) => {
    const neuronId = neurons[index]
    if (neuronId === undefined) return done
    engine.setPendingTask(choreId, `refresh-${index}`, async () => {
      try {
        // Safe to repeat: refreshing a neuron twice on one day is the same as once.
        await governance.refreshVotingPower(neuronId)
        return done
      } catch (error) {
        return failed(error instanceof Error ? error.message : String(error))
      }
    })
    return continueIn(10)
  }

  return defineChore({
    id: refreshVotingPowerId,
    name: 'Refresh voting power',
    description: 'Refreshes the voting power of every neuron, so that none of it fades.',
    defaultIntervalSeconds: weekSeconds,
    conduct: async ({ choreId, invocationCount, isTaskRunning }) => {
      if (invocationCount === 0) {
        const run = { neurons: await governance.listNeurons(), index: 0 }
        runs.set(choreId, run)
        return startTask(choreId, run)
      }
      if (isTaskRunning) return continueIn(10)
      const run = runs.get(choreId)
      if (run === undefined) return failed('The list of neurons is lost.')
      run.index += 1
      return startTask(choreId, run)
    },
  })
}

export const archiveProposalsId = 'archive-proposals'

/**
 * Once a day, moves settled proposals into the archive, in one task of many small chunks. How far it has come is on
 * the ledger and not in the task, so a chunk that is repeated after a crash does no harm.
 */
export const archiveProposals = (
  engine: Pick<ChoreEngine, 'setPendingTask'>,
  governance: Pick<Governance, 'progress' | 'archiveFrom'>,
): ChoreDefinition =>
  defineChore({
    id: archiveProposalsId,
    name: 'Archive proposals',
    description: 'Moves settled proposals into the archive, ten at a time.',
    defaultIntervalSeconds: 86_400,
    defaultTaskTimeoutSeconds: 600,
    countFrom: 'due',
    conduct: ({ choreId, isTaskRunning, lastCompletedTask }) => {
      if (isTaskRunning) return continueIn(5)
      if (lastCompletedTask !== null)
        return lastCompletedTask.succeeded ? done : failed(lastCompletedTask.error ?? 'The archive task failed.')
      engine.setPendingTask(choreId, 'archive', async () => {
        const { archived, settled } = await governance.progress()
        if (archived >= settled) return done
        const after = await governance.archiveFrom(archived)
        return after.archived >= after.settled ? done : carryOn
      })
      return continueIn(5)
    },
  })

export const confirmFollowingId = 'confirm-following'
/** Looks for answers before the run fails: an hour's worth. */
const patience = 60

type Run = { readonly day: string; readonly followees: readonly string[]; asked: number; looked: number }

/**
 * Every thirty days, asks each party that is followed whether it still votes. A task asks one party; the answer comes
 * when that party's node is there, so the conductor looks for answers on the ledger and gives up after a while.
 */
export const confirmFollowing = (
  engine: Pick<ChoreEngine, 'setPendingTask'>,
  governance: Pick<Governance, 'today' | 'listFollowees' | 'askFollowee' | 'answersSince'>,
): ChoreDefinition => {
  // Lost with the process, as in any conductor: the run then starts again from tick 0, and asks nobody twice a day.
  const runs = new Map<string, Run>()

  const look = async ({ day, followees, looked }: Run) => {
    const answers = await governance.answersSince(day)
    const silent = followees.filter((name) => !answers.has(name))
    if (silent.length > 0) return looked < patience ? continueIn(60) : failed(`No answer from ${silent.join(', ')}.`)
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
