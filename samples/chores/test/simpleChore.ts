/**
 * A chore in one line, for specs that care about the engine and not about the work.
 */
import { ChoreStand, type StandOptions } from './ChoreStand.js'
import {
  continueIn,
  defineChore,
  done,
  type ChoreDefinition,
  type ChoreEngine,
  type ChoreOptions,
  type Conduct,
  type TaskFunction,
} from '../engine/index.js'

export const simpleChore = (
  id: string,
  conduct: Conduct = () => done,
  options: Partial<ChoreOptions> = {},
): ChoreDefinition =>
  defineChore({
    id,
    name: `The ${id}`,
    description: `A chore called ${id}`,
    defaultIntervalSeconds: 3_600,
    conduct,
    ...options,
  })

/** A conductor that starts one task, polls it every ten seconds, and is done when the task is. */
export const conductOne =
  (engine: ChoreEngine, taskId: string, task: TaskFunction): Conduct =>
  ({ choreId, isTaskRunning, lastCompletedTask }) => {
    if (lastCompletedTask !== null) return done
    if (!isTaskRunning) engine.setPendingTask(choreId, taskId, task)
    return continueIn(10)
  }

/** A stand whose engine has one chore, named `chore`. */
export const standWith = (
  conduct: (engine: ChoreEngine) => Conduct,
  options: Partial<ChoreOptions> & Partial<Pick<StandOptions, 'app'>> = {},
): Promise<ChoreStand> => {
  const { app, ...chore } = options
  return ChoreStand.open({
    ...(app === undefined ? {} : { app }),
    chores: (engine) => {
      engine.registerChore(simpleChore('chore', conduct(engine), chore))
    },
  })
}
