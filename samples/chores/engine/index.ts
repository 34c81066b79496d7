/**
 * The chore framework, for any app: define chores, register them with an engine, connect the engine to a node.
 */
export {
  carryOn,
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
export { choreLimits } from './choreLimits.js'
export { lifecycleOf, type ChoreConfig, type Lifecycle } from './ChoreConfig.js'
export { ChoreEngine, type By } from './ChoreEngine.js'
export { ChoreDesk, choresPermissions, type Caller } from './ChoreDesk.js'
export { ChoreRefused } from './ChoreRefused.js'
export type { ChoreRuntimeState, ChoreStatus } from './ChoreStatus.js'
export { ControlC, type Control } from './Control.js'
export { pickInterval } from './book.js'
export { lampOf, lampLimits, worstLamp, type Lamp } from './lamps.js'
export type { RunLogEntry, RunLogQuery } from './RunLog.js'
export { Conductor } from './ConductorState.js'
export { Scheduler } from './SchedulerState.js'
export { Task } from './TaskState.js'
