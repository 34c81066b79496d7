/**
 * What an app writes to have a chore: its names, its defaults, and the conductor that directs its tasks; and what
 * a chore may ask for. The framework never looks inside a conductor or a task; it only acts on what they return.
 */
import { CarillonError } from 'carillon'

export class ChoreRefused extends CarillonError {
  constructor(message: string) {
    super('chores/refused', message)
  }
}

export const choreLimits = {
  shortestSeconds: 1,
  /** A hundred years, in seconds. */
  longestSeconds: 36_525 * 86_400,
  /** Characters of an id or a name. */
  nameLength: 200,
  /** Characters that are kept of an error. */
  errorLength: 2_000,
  /** A conductor decides and returns. One that has not after so long has failed its run. */
  conductorSeconds: 3_600,
} as const

/** Why a span cannot be an interval or a timeout; undefined when it can. */
export const faultOfSeconds = (what: string, seconds: unknown): string | undefined =>
  Number.isSafeInteger(seconds) &&
  Number(seconds) >= choreLimits.shortestSeconds &&
  Number(seconds) <= choreLimits.longestSeconds
    ? undefined
    : `${what} is a whole number of seconds, at least 1 and at most ${choreLimits.longestSeconds} (100 years).`

/** Why a text cannot be an id or a name; undefined when it can. */
export const faultOfName = (what: string, text: unknown): string | undefined => {
  if (typeof text !== 'string' || text.trim() === '') return `${what} is not empty.`
  if (text.length > choreLimits.nameLength) return `${what} has at most ${choreLimits.nameLength} characters.`
  if (text !== text.trim() || /\p{Cc}/u.test(text)) return `${what} is one line, without space at its ends.`
  return text.isWellFormed() ? undefined : `${what} is not well-formed text.`
}

/** An error as it is kept: never empty, never longer than it may be. */
export const errorText = (text: unknown): string => {
  if (typeof text !== 'string' || text.trim() === '') return 'It did not say why.'
  const whole = text.toWellFormed()
  const { errorLength } = choreLimits
  // A little more is left alone, so that what was cut is not cut again.
  return whole.length <= errorLength + 50
    ? whole
    : `${whole.slice(0, errorLength).toWellFormed()}… (${whole.length} characters)`
}

/** What was thrown, in words, whatever it was: it may refuse even to be turned into text. */
export const thrownText = (thrown: unknown): string => {
  try {
    if (thrown instanceof Error)
      return errorText(thrown.message.trim() === '' ? `${thrown.name} without a message` : thrown.message)
    return errorText(String(thrown))
  } catch {
    return errorText(undefined)
  }
}

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

/** Whether the next run is counted from the moment of the fire, or from the instant it was due. */
export const countings = { fire: null, due: null } as const

export type ChoreDefinition = {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly defaultIntervalSeconds: number
  readonly defaultTaskTimeoutSeconds: number
  /** With a maximum above the interval, each booking picks its interval at random between the two. */
  readonly defaultMaxIntervalSeconds: number | null
  readonly countFrom: keyof typeof countings
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
    faultOfSeconds('A task timeout', definition.defaultTaskTimeoutSeconds) ??
    (definition.countFrom in countings ? undefined : 'Runs are counted from "fire" or from "due".') ??
    (typeof definition.conduct === 'function' ? undefined : 'The conductor of a chore is a function, conduct.')
  )
}

export const continueIn = (seconds: number): ConductorAction => ({ kind: 'ContinueIn', seconds })
export const done = { kind: 'Done' } as const
export const carryOn = { kind: 'Continue' } as const
export const failed = (text: string) => ({ kind: 'Error', text }) as const
