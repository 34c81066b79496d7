/**
 * Every chore as it stands, folded from the public events of the log: its unconsumed states, and what the ledger need
 * not carry: how its last run went, and whether an operator or an error keeps its next run from happening.
 */
import { sameRef, showRef, type Instant, type StateAndRef } from 'carillon'
import { producedStates, type PublicEvent, type PublicEventOf } from 'carillon/events'
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
  readonly scheduler: StateAndRef<SchedulerData>
  readonly conductor: StateAndRef<ConductorData> | null
  readonly task: StateAndRef<TaskData> | null
  /** Of the run that ended last: its last task, and how many ticks it had. */
  readonly lastTask: CompletedTask | null
  readonly lastTicks: number
  /** The task that failed last, in whatever run. */
  readonly lastFailedTask: FailedTask | null
  /** Why its next run does not happen although it is booked; null when nothing is in its way. */
  readonly held: string | null
}

const unheard = { conductor: null, task: null, lastTask: null, lastTicks: 0, lastFailedTask: null }

type Chores = {
  /** By id, behind a sign that no word of the language begins with. */
  readonly chores: Record<`#${string}`, Chore>
  /** Ids of chores: by the ref of their scheduler, and by the flow that fires it. */
  readonly ids: Record<string, string>
}

/** Whatever a transaction did to a chore it says of it, so no other has to be looked at. */
const record = ({ chores, ids }: Chores, event: PublicEventOf<'TransactionRecorded'>): void => {
  const happenings = happeningsOf(event.commands)
  if (happenings.length === 0) return
  const schedulers = producedStates(event, Scheduler)
  const conductors = producedStates(event, Conductor)
  const tasks = producedStates(event, Task)
  for (const choreId of new Set(happenings.map((each) => each.choreId))) {
    const before = chores[`#${choreId}`]
    /** The state of the chore after the transaction; null when it was consumed. */
    const now = <A extends { readonly choreId: string }>(
      produced: readonly StateAndRef<A>[],
      known: StateAndRef<A> | null = null,
    ): StateAndRef<A> | null => {
      const isConsumed = known !== null && event.consumed.some((ref) => sameRef(ref, known.ref))
      return produced.find(({ data }) => data.choreId === choreId) ?? (isConsumed ? null : known)
    }
    const scheduler = now(schedulers, before?.scheduler)
    if (before !== undefined && scheduler !== before.scheduler)
      Reflect.deleteProperty(ids, showRef(before.scheduler.ref))
    if (scheduler === null) {
      Reflect.deleteProperty(chores, `#${choreId}`)
      continue
    }
    ids[showRef(scheduler.ref)] = choreId
    const chore = {
      ...(before ?? { ...unheard, since: event.revision, held: null }),
      ...{ scheduler, conductor: now(conductors, before?.conductor), task: now(tasks, before?.task) },
      ...(scheduler === before?.scheduler ? {} : { held: null }),
    }
    if (chore.conductor?.data.invocationCount === 0) chore.lastTask = null
    if (chore.conductor === null && before?.conductor) {
      const { invocationCount, lastCompletedTask } = before.conductor.data
      // The tick that ends a run counts, too.
      const isOver = happenings.some(({ kind }) => kind === 'run-completed' || kind === 'run-failed')
      chore.lastTicks = invocationCount + (isOver ? 1 : 0)
      chore.lastTask = completedTaskOf(before.task?.data) ?? lastCompletedTask
    }
    const failed = happenings.find(({ kind }) => kind === 'task-failed' || kind === 'task-timed-out')
    if (failed !== undefined)
      chore.lastFailedTask = { taskId: failed.text ?? '', error: failed.why ?? '', run: failed.run, at: event.at }
    chores[`#${choreId}`] = chore
  }
}

const evolve = (all: Chores, event: PublicEvent): Chores => {
  const { chores, ids } = all
  /** What keeps a chore from firing, said of its scheduler's ref or of the flow that fires it. */
  const hold = (of: string, held: string | null): void => {
    const key = `#${ids[of] ?? ''}` as const
    const chore = chores[key]
    if (chore !== undefined) chores[key] = { ...chore, held }
  }
  switch (event.type) {
    case 'TransactionRecorded':
      record(all, event)
      break
    case 'ActivityParked':
    case 'ActivityPaused':
    case 'ActivityDismissed': {
      const note = event.note === undefined ? '' : `: ${event.note}`
      hold(showRef(event.ref), event.error?.message ?? `${event.by ?? 'An operator'} holds it back${note}.`)
      break
    }
    case 'ActivityResumed':
    case 'ActivityRetried':
    case 'ActivityTriggered':
      hold(showRef(event.ref), null)
      break
    case 'FlowStarted': {
      const id =
        event.name === flowNames.fire && event.origin.kind === 'activity' ? ids[showRef(event.origin.ref)] : undefined
      if (id !== undefined) ids[event.flow] = id
      break
    }
    case 'FlowEnded':
      if (event.outcome !== 'completed' && event.outcome !== 'superseded')
        hold(event.flow, event.error?.message ?? `Its fire was ended: ${event.outcome}.`)
      Reflect.deleteProperty(ids, event.flow)
      break
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
