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
export { choreLimits } from './ChoreDefinition.js'
export { lifecycleOf, type ChoreConfig, type Lifecycle } from './states.js'
export { ChoreEngine, type By } from './ChoreEngine.js'
export { ChoreDesk, choresPermissions, type Caller } from './ChoreDesk.js'
export { ChoreRefused } from './ChoreDefinition.js'
export type { ChoreRuntimeState, ChoreStatus } from './ChoreStatus.js'
export { ControlC, type Control } from './Control.js'
export { pickInterval } from './Control.js'
export { lampOf, lampLimits, worstLamp, type Lamp } from './ChoreStatus.js'
export type { RunLogEntry, RunLogQuery } from './Happening.js'
export { Conductor } from './states.js'
export { Scheduler } from './states.js'
export { Task } from './states.js'
