/**
 * The second chore: once a day, move settled proposals into the archive, in one task of many small chunks. How far it
 * has come is on the ledger and not in the task, so a chunk that is repeated after a crash does no harm.
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
import type { Governance } from './governance/Governance.js'

export const archiveProposalsId = 'archive-proposals'
const pollSeconds = 5

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
      if (isTaskRunning) return continueIn(pollSeconds)
      if (lastCompletedTask !== null)
        return lastCompletedTask.succeeded ? done : failed(lastCompletedTask.error ?? 'The archive task failed.')
      engine.setPendingTask(choreId, 'archive', async () => {
        const { archived, settled } = await governance.progress()
        if (archived >= settled) return done
        const after = await governance.archiveFrom(archived)
        return after.archived >= after.settled ? done : carryOn
      })
      return continueIn(pollSeconds)
    },
  })
