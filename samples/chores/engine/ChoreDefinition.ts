/**
 * What an app writes to have a chore: its names, its defaults, and the conductor that directs its tasks. The
 * framework never looks inside a conductor or a task; it only acts on what they return.
 */
import { faultOfName, faultOfSeconds } from './choreLimits.js'

export type ConductorAction =
  /** Call the conductor again in so many seconds; 0 means at once. */
  | { readonly kind: 'ContinueIn'; readonly seconds: number }
  /** The run is complete. */
  | { readonly kind: 'Done' }
  /** The run has failed. */
  | { readonly kind: 'Error'; readonly text: string }

export type TaskAction =
  /** More to do: call the task again at once. */
  { readonly kind: 'Continue' } | { readonly kind: 'Done' } | { readonly kind: 'Error'; readonly text: string }

/** How the task that ended last in this run went. */
export type CompletedTask = {
  readonly taskId: string
  readonly succeeded: boolean
  readonly error: string | null
}

/** What a conductor is told at each tick: plain data, no functions. */
export type ConductorContext = {
  readonly choreId: string
  /** Ticks of this run before this one. */
  readonly invocationCount: number
  readonly isTaskRunning: boolean
  /** None until a task of this run has ended. */
  readonly lastCompletedTask: CompletedTask | null
}

export type Conduct = (context: ConductorContext) => ConductorAction | Promise<ConductorAction>

/** One chunk of a task. It may be called again after a crash with the same work, so it must be idempotent. */
export type TaskFunction = () => TaskAction | Promise<TaskAction>

export type ChoreDefinition = {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly defaultIntervalSeconds: number
  readonly defaultTaskTimeoutSeconds: number
  /** With a maximum above the interval, each booking picks its interval at random between the two. */
  readonly defaultMaxIntervalSeconds: number | null
  /** Whether the next run is counted from the moment of the fire, or from the instant it was due. */
  readonly countFrom: 'fire' | 'due'
  readonly conduct: Conduct
}

export type ChoreOptions = Pick<ChoreDefinition, 'id' | 'name' | 'description' | 'defaultIntervalSeconds' | 'conduct'> &
  Partial<Pick<ChoreDefinition, 'defaultTaskTimeoutSeconds' | 'defaultMaxIntervalSeconds' | 'countFrom'>>

export const defaultTaskTimeoutSeconds = 300

export const defineChore = (options: ChoreOptions): ChoreDefinition => ({
  defaultTaskTimeoutSeconds,
  defaultMaxIntervalSeconds: null,
  countFrom: 'fire',
  ...options,
})

/** Why a definition cannot be registered; undefined when it can. */
export const faultOfDefinition = (definition: ChoreDefinition): string | undefined => {
  const { id, name, defaultIntervalSeconds, defaultMaxIntervalSeconds: max } = definition
  return (
    faultOfName('The id of a chore', id) ??
    faultOfName('The name of a chore', name) ??
    faultOfSeconds('An interval', defaultIntervalSeconds) ??
    (max === null ? undefined : faultOfSeconds('A maximum', max)) ??
    faultOfSeconds('A task timeout', definition.defaultTaskTimeoutSeconds)
  )
}

export const continueIn = (seconds: number): ConductorAction => ({ kind: 'ContinueIn', seconds })
export const done = { kind: 'Done' } as const
export const carryOn = { kind: 'Continue' } as const
export const failed = (text: string) => ({ kind: 'Error', text }) as const
