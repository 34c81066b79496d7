/**
 * The three levels on the ledger, and their contract: the scheduler, which is there from registration to deletion;
 * the conductor, a run under way; and its task. What each asks for next is its activity: the next fire, the next
 * tick, the next chunk of work. Only a level's own flow moves its state, and whoever ends it consumes it, so a
 * completion that comes late finds its state gone and is credited to no other.
 */
import { none, some } from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import { activity, allOf, defineContract, defineState, InstantC, IntegerC, PartyC, rule, type Party } from 'carillon'
import { record } from '../../shared/record.js'
import { countings, type CompletedTask } from './ChoreDefinition.js'

export const ChoreConfigC = record('ChoreConfig', {
  /** Whether the scheduler should fire. */
  enabled: t.boolean,
  /** Enabled, but held back until it is resumed. */
  paused: t.boolean,
  /** How often the scheduler fires. */
  intervalSeconds: IntegerC,
  /** The upper end of a random interval; none, or one that is not above the interval, means no randomness. */
  maxIntervalSeconds: t.union([IntegerC, t.null]),
  /** How long a task may run before it counts as dead. */
  taskTimeoutSeconds: IntegerC,
  countFrom: t.keyof(countings),
})
export type ChoreConfig = t.TypeOf<typeof ChoreConfigC>

/** The chore's life as people name it. */
export type Lifecycle = 'Stopped' | 'Running' | 'Paused'

export const lifecycleOf = ({ enabled, paused }: ChoreConfig): Lifecycle =>
  enabled ? (paused ? 'Paused' : 'Running') : 'Stopped'

export const CompletedTaskC = record('CompletedTask', {
  taskId: t.string,
  succeeded: t.boolean,
  error: t.union([t.string, t.null]),
})

export const flowNames = {
  register: 'chores/Register',
  fire: 'chores/Fire',
  conduct: 'chores/Conduct',
  runTask: 'chores/RunTask',
  control: 'chores/Control',
  resume: 'chores/Resume',
} as const

const orNull = <C extends t.Mixed>(codec: C) => t.union([codec, t.null])

export const SchedulerC = record('Scheduler', {
  owner: PartyC,
  choreId: t.string,
  /** The definition it runs; for the default instance the same as its own id. */
  choreType: t.string,
  name: t.string,
  config: ChoreConfigC,
  /**
   * What keeps an enabled chore from firing: `stopped` until it is enabled or triggered, `broken` by the circuit
   * breaker likewise, `cancelled` until timers are resumed.
   */
  timer: t.keyof({ set: null, stopped: null, broken: null, cancelled: null }),
  nextScheduledRunAt: orNull(InstantC),
  /** From which the interval of the present booking was drawn, where there was a choice. */
  bookingSeed: orNull(t.string),
  lastCompletedRunAt: orNull(InstantC),
  conductorActive: t.boolean,
  /** Counts every run that was begun. */
  run: IntegerC,
  totalRunCount: IntegerC,
  totalSuccessCount: IntegerC,
  totalFailureCount: IntegerC,
  lastError: orNull(t.string),
  lastErrorAt: orNull(InstantC),
})
export type SchedulerData = t.TypeOf<typeof SchedulerC>

export const isArmed = ({ config, timer, nextScheduledRunAt }: SchedulerData): boolean =>
  lifecycleOf(config) === 'Running' && timer === 'set' && nextScheduledRunAt !== null

export const ConductorC = record('Conductor', {
  owner: PartyC,
  choreId: t.string,
  choreType: t.string,
  run: IntegerC,
  startedAt: InstantC,
  invocationCount: IntegerC,
  nextTickAt: InstantC,
  /** The node's term in which this run lives; none before its first tick. In another term its closures are lost. */
  life: orNull(IntegerC),
  tasksStarted: IntegerC,
  lastCompletedTask: orNull(CompletedTaskC),
})
export type ConductorData = t.TypeOf<typeof ConductorC>

export const TaskC = record('Task', {
  owner: PartyC,
  choreId: t.string,
  taskId: t.string,
  run: IntegerC,
  /** Counts the tasks of the run. */
  serial: IntegerC,
  life: IntegerC,
  startedAt: InstantC,
  nextTickAt: InstantC,
  /** Chunks done by earlier flows of this task. */
  ticks: IntegerC,
  outcome: orNull(t.readonly(t.strict({ succeeded: t.boolean, error: orNull(t.string) }))),
})
export type TaskData = t.TypeOf<typeof TaskC>

type Ended = TaskData & { readonly outcome: NonNullable<TaskData['outcome']> }

/** Whether a task has come to an outcome, which then waits for the conductor to see it. */
export const hasOutcome = (task: TaskData | undefined): task is Ended => task !== undefined && task.outcome !== null

/** What a conductor is told of a task that has ended. */
export const completedTaskOf = (task: TaskData | undefined): CompletedTask | null =>
  hasOutcome(task) ? { taskId: task.taskId, ...task.outcome } : null

const SchedulerKind = { type: 'chores/Scheduler', data: SchedulerC } as const
const ConductorKind = { type: 'chores/Conductor', data: ConductorC } as const
const TaskKind = { type: 'chores/Task', data: TaskC } as const

export const choreContract = defineContract({
  name: 'chores/Chore',
  verify: (transaction) => {
    const { participants, signers } = transaction
    const schedulers = transaction.outputsOf(SchedulerKind)
    const conductors = transaction.outputsOf(ConductorKind)
    const tasks = transaction.outputsOf(TaskKind)
    return allOf([
      rule(
        'the owner of a chore signs whatever happens to it',
        participants.every(({ key }) => signers.has(key)),
      ),
      rule(
        'a conductor is born beside its scheduler, or succeeds itself',
        conductors.length <= transaction.inputsOf(ConductorKind).length + schedulers.length,
      ),
      rule(
        'a task is born beside its conductor, or succeeds itself',
        tasks.length <= transaction.inputsOf(TaskKind).length + conductors.length,
      ),
      ...schedulers.map(({ data }) =>
        rule(
          'every run that was counted either succeeded or failed',
          data.totalRunCount === data.totalSuccessCount + data.totalFailureCount,
        ),
      ),
    ])
  },
})

/** What holds of all three levels: each is known by the id of its chore. */
const ofChore = {
  contract: choreContract,
  participants: ({ owner }: { readonly owner: Party }): readonly Party[] => [owner],
  key: ({ choreId }: { readonly choreId: string }): string => choreId,
}

/**
 * Level 1: when the chore runs next, how it is set, and what became of its runs. While it is armed its activity is the
 * next fire.
 */
export const Scheduler = defineState({
  ...SchedulerKind,
  ...ofChore,
  nextScheduledActivity: (scheduler, ref) =>
    isArmed(scheduler) && scheduler.nextScheduledRunAt !== null
      ? some(activity(scheduler.nextScheduledRunAt, { name: flowNames.fire, input: { scheduler: ref } }))
      : none,
})

/**
 * Level 2: a run under way. Its activity is the next tick. Only its own tick moves it; whoever ends the run consumes
 * it.
 */
export const Conductor = defineState({
  ...ConductorKind,
  ...ofChore,
  nextScheduledActivity: ({ nextTickAt }, ref) =>
    some(activity(nextTickAt, { name: flowNames.conduct, input: { conductor: ref } })),
})

/**
 * Level 3: one task of a run. While it is active its activity is the next chunk; once it has an outcome it waits for
 * the conductor to see it. Its ref is its generation: a completion consumes exactly the state it was started from.
 */
export const Task = defineState({
  ...TaskKind,
  ...ofChore,
  nextScheduledActivity: ({ nextTickAt, outcome }, ref) =>
    outcome === null ? some(activity(nextTickAt, { name: flowNames.runTask, input: { task: ref } })) : none,
})
