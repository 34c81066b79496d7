/**
 * The chore framework, for any app: define chores, register them with an engine, connect the engine to a node.
 */
export {
  carryOn,
  choreLimits,
  ChoreRefused,
  continueIn,
  defineChore,
  done,
  failed,
  type ChoreDefinition,
  type ChoreOptions,
  type CompletedTask,
  type Conduct,
  type ConductorAction,
  type ConductorContext,
  type TaskAction,
  type TaskFunction,
} from './ChoreDefinition.js'
export { Conductor, lifecycleOf, Scheduler, Task, type ChoreConfig, type Lifecycle } from './states.js'
export { ChoreEngine, type By } from './ChoreEngine.js'
export { lampLimits, lampOf, worstLamp, type ChoreStatus, type Lamp } from './ChoreStatus.js'
export { ControlC, isRandom, pickInterval, type Control, type PlainVerb } from './Control.js'
export type { RunLogEntry, RunLogQuery } from './Happening.js'
