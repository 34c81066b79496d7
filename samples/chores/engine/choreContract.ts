/**
 * The rules of a chore's three states: their owner signs, a level is born only beside the level above it or as
 * its own successor, and every run that was counted either succeeded or failed.
 */
import { allOf, defineContract, rule, type LedgerTransaction } from 'carillon'

export const schedulerType = 'chores/Scheduler'
export const conductorType = 'chores/Conductor'
export const taskType = 'chores/Task'

const count = (states: LedgerTransaction['inputs'], type: string): number =>
  states.filter((state) => state.type === type).length

type Counted = {
  readonly totalRunCount: number
  readonly totalSuccessCount: number
  readonly totalFailureCount: number
}

const isCounted = (data: unknown): data is Counted =>
  typeof data === 'object' && data !== null && 'totalRunCount' in data

export const choreContract = defineContract({
  name: 'chores/Chore',
  verify: ({ inputs, outputs, participants, signers }) =>
    allOf([
      rule(
        'the owner of a chore signs whatever happens to it',
        participants.every(({ key }) => signers.has(key)),
      ),
      rule(
        'a conductor is born beside its scheduler, or succeeds itself',
        count(outputs, conductorType) <= count(inputs, conductorType) + count(outputs, schedulerType),
      ),
      rule(
        'a task is born beside its conductor, or succeeds itself',
        count(outputs, taskType) <= count(inputs, taskType) + count(outputs, conductorType),
      ),
      ...outputs
        .filter(({ type }) => type === schedulerType)
        .map(({ data }) =>
          rule(
            'every run that was counted either succeeded or failed',
            isCounted(data) && data.totalRunCount === data.totalSuccessCount + data.totalFailureCount,
          ),
        ),
    ]),
})
