/**
 * The task of a run, wherever it has got to since the conductor last saw it.
 */
import type { FlowBody, FlowIo, StateAndRef, StateRef } from 'carillon'
import type { ConductorData } from './ConductorState.js'
import { beside, latest } from './latest.js'
import { Task, type TaskData } from './TaskState.js'

export const taskRefOf = ({ ref, data }: StateAndRef<ConductorData>): StateRef | null =>
  data.task === 'beside' ? beside(ref) : data.task

export const taskOf = function* (
  io: FlowIo,
  conductor: StateAndRef<ConductorData>,
): FlowBody<StateAndRef<TaskData> | undefined> {
  const ref = taskRefOf(conductor)
  return ref === null ? undefined : yield* latest(io, Task, ref)
}
