/**
 * Every chore as it stands, folded from the public events of the log: its unconsumed states, and what the ledger need
 * not carry: how its last run went, and whether an operator or an error keeps its next run from happening.
 */
import { showRef, type Instant, type StateAndRef, type StateRef } from 'carillon'
import { producedStates, type PublicEvent, type TransactionRecordedEvent } from 'carillon/events'
import { defineProjection } from 'carillon/projections'
import type { CompletedTask } from './ChoreDefinition.js'
import {
  completedTaskOf,
  Conductor,
  flowNames,
  Scheduler,
  Task,
  type ConductorData,
  type SchedulerData,
  type TaskData,
} from './states.js'
import { happeningsOf } from './Happening.js'

export type FailedTask = { readonly taskId: string; readonly error: string; readonly run: number; readonly at: Instant }

export type Chore = {
  /** Orders the instances of a type: the revision at which it was registered. */
  readonly since: number
  scheduler: StateAndRef<SchedulerData>
  conductor: StateAndRef<ConductorData> | null
  task: StateAndRef<TaskData> | null
  /** Of the run that ended last: its last task, and how many ticks it had. */
  lastTask: CompletedTask | null
  lastTicks: number
  /** The task that failed last, in whatever run. */
  lastFailedTask: FailedTask | null
  /** Why its next run does not happen although it is booked; null when nothing is in its way. */
  held: string | null
}

type Chores = {
  /** By id, behind a sign that no word of the language begins with. */
  readonly chores: Record<`#${string}`, Chore>
  /** Ids by the refs of unconsumed states, and by the flow that fires a scheduler. */
  readonly ids: Record<string, string>
}

const choreOf = ({ chores, ids }: Chores, of: string): Chore | undefined => {
  const id = ids[of]
  return id === undefined ? undefined : chores[`#${id}`]
}

/** The chore whose next fire is the activity of this state. */
const armedBy = (all: Chores, ref: StateRef): Chore | undefined => {
  const chore = choreOf(all, showRef(ref))
  return chore !== undefined && showRef(chore.scheduler.ref) === showRef(ref) ? chore : undefined
}

const born = (since: number, scheduler: StateAndRef<SchedulerData>): Chore => ({
  ...{ since, scheduler, conductor: null, task: null },
  ...{ lastTask: null, lastTicks: 0, lastFailedTask: null, held: null },
})

const produce = (all: Chores, event: TransactionRecordedEvent, revision: number): void => {
  for (const scheduler of producedStates(event, Scheduler)) {
    const { choreId } = scheduler.data
    const chore = (all.chores[`#${choreId}`] ??= born(revision, scheduler))
    Object.assign(chore, { scheduler, held: null })
    all.ids[showRef(scheduler.ref)] = choreId
  }
  for (const conductor of producedStates(event, Conductor)) {
    const { choreId, invocationCount } = conductor.data
    const chore = all.chores[`#${choreId}`]
    if (chore === undefined) continue
    chore.conductor = conductor
    if (invocationCount === 0) chore.lastTask = null
    all.ids[showRef(conductor.ref)] = choreId
  }
  for (const task of producedStates(event, Task)) {
    const chore = all.chores[`#${task.data.choreId}`]
    if (chore === undefined) continue
    chore.task = task
    all.ids[showRef(task.ref)] = task.data.choreId
  }
}

/** Takes a state away, and gives the chore it belonged to as it was before. */
const consume = (all: Chores, ref: string): Chore | undefined => {
  const chore = choreOf(all, ref)
  if (chore === undefined) return undefined
  const before = { ...chore }
  Reflect.deleteProperty(all.ids, ref)
  if (chore.conductor !== null && showRef(chore.conductor.ref) === ref) chore.conductor = null
  if (chore.task !== null && showRef(chore.task.ref) === ref) chore.task = null
  return before
}

const record = (all: Chores, event: TransactionRecordedEvent, { revision, at }: PublicEvent): void => {
  const before = event.consumed.flatMap((ref) => consume(all, showRef(ref)) ?? [])
  produce(all, event, revision)
  for (const { conductor, scheduler } of before) {
    const chore = all.chores[`#${scheduler.data.choreId}`]
    if (chore === undefined || conductor === null || chore.conductor !== null) continue
    const task = before.find((each) => each.task !== null && each.scheduler === scheduler)?.task
    chore.lastTicks = conductor.data.invocationCount
    chore.lastTask = completedTaskOf(task?.data) ?? conductor.data.lastCompletedTask
  }
  for (const { choreId, kind, run, text, why } of happeningsOf(event.commands)) {
    const chore = all.chores[`#${choreId}`]
    if (chore === undefined) continue
    if (kind === 'deleted') Reflect.deleteProperty(all.chores, `#${choreId}`)
    // The tick that ended the run counts, too.
    if (kind === 'run-completed' || kind === 'run-failed') chore.lastTicks += 1
    if (kind === 'task-failed' || kind === 'task-timed-out')
      chore.lastFailedTask = { taskId: text ?? '', error: why ?? '', run, at }
  }
}

const evolve = (all: Chores, event: PublicEvent): Chores => {
  switch (event.type) {
    case 'TransactionRecorded':
      record(all, event, event)
      break
    case 'ActivityParked':
    case 'ActivityPaused':
    case 'ActivityDismissed': {
      const chore = armedBy(all, event.ref)
      if (chore !== undefined)
        chore.held =
          event.error?.message ??
          `${event.by ?? 'An operator'} holds it back${event.note === undefined ? '' : `: ${event.note}`}.`
      break
    }
    case 'ActivityResumed':
    case 'ActivityRetried':
    case 'ActivityTriggered': {
      const chore = armedBy(all, event.ref)
      if (chore !== undefined) chore.held = null
      break
    }
    case 'FlowStarted': {
      const chore =
        event.name === flowNames.fire && event.origin.kind === 'activity' ? armedBy(all, event.origin.ref) : undefined
      if (chore !== undefined) all.ids[event.flow] = chore.scheduler.data.choreId
      break
    }
    case 'FlowEnded': {
      const chore = choreOf(all, event.flow)
      Reflect.deleteProperty(all.ids, event.flow)
      if (chore !== undefined && event.outcome !== 'completed' && event.outcome !== 'superseded')
        chore.held = event.error?.message ?? `Its fire was ended: ${event.outcome}.`
      break
    }
    default:
  }
  return all
}

export const ChoresProjection = defineProjection<Chores>({
  name: 'chores/Chores',
  types: [
    ...(['TransactionRecorded', 'FlowStarted', 'FlowEnded'] as const),
    ...(['ActivityParked', 'ActivityPaused', 'ActivityDismissed'] as const),
    ...(['ActivityResumed', 'ActivityRetried', 'ActivityTriggered'] as const),
  ],
  init: (): Chores => ({ chores: {}, ids: {} }),
  evolve,
})
