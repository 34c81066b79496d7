/**
 * The first chore: once a week, refresh the voting power of every neuron, one task for each. A neuron that cannot be
 * refreshed is recorded as a failed task, and the conductor goes on with the next.
 */
import { continueIn, defineChore, done, failed, type ChoreDefinition, type ChoreEngine } from './engine/index.js'
import type { Governance } from './governance/Governance.js'

export const refreshVotingPowerId = 'refresh-voting-power'
const pollSeconds = 10
const weekSeconds = 604_800

type Runs = Map<string, { readonly neurons: readonly string[]; index: number }>

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
    return continueIn(pollSeconds)
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
      if (isTaskRunning) return continueIn(pollSeconds)
      const run = runs.get(choreId)
      if (run === undefined) return failed('The list of neurons is lost.')
      run.index += 1
      return startTask(choreId, run)
    },
  })
}
