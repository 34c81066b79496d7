/**
 * Where an error came from, for people: its stack, and the errors that caused it. It is bounded, whatever was thrown, and
 * nothing is ever compared or decided by it.
 */
import { appPlacesIn, stackOf } from './codePlace.js'

/** An error that caused another one. */
export type RecordedCause = {
  /** The kind of error, such as `TypeError`. */
  readonly name: string
  readonly message: string
  readonly stack?: string
}

/** What is kept of where an error came from. */
export type ErrorTrace = {
  /** Its stack, up to where Carillon called the code of the app; absent when no code of the app is in it. */
  readonly stack?: string
  /** The error that caused it, the one that caused that one, and so on. */
  readonly causes?: readonly RecordedCause[]
}

const longestMessage = 2_000
const longestHeader = 300
/** Characters of one stack. */
const longestStack = 4_000
const longestName = 100
const mostCauses = 5

const clip = (text: string, longest: number): string =>
  (text.length <= longest ? text : `${text.slice(0, longest)}…`).toWellFormed()

/** The message of anything that was thrown, without trusting it to be an Error. */
export const messageOf = (thrown: unknown): string => {
  try {
    // Neither `message` nor `name` need be text: both can be assigned.
    const said: unknown = thrown instanceof Error ? thrown.message || thrown.name : thrown
    return String(said)
  } catch {
    return 'something was thrown that cannot be shown as text'
  }
}

/** What was thrown; another error in its place where it cannot even be looked at, as a proxy can see to. */
export const inspectable = (thrown: unknown): unknown => {
  try {
    return thrown instanceof Error && typeof thrown.message === 'symbol' ? new Error(messageOf(thrown)) : thrown
  } catch {
    return new Error(messageOf(thrown))
  }
}

/** The message, no longer than the log keeps it. */
export const clippedMessageOf = (thrown: unknown): string => clip(messageOf(thrown), longestMessage)

/** Carillon calls all code of an app from this file; what stands below it in a stack is Carillon's own affair. */
const callsApp = /[\\/]ledger[\\/]runningCode\.[jt]s:/

/** The first lines of a stack, each of a call. A message, which comes before them, may have any length. */
const clippedStackOf = (thrown: unknown): string | undefined => {
  const stack = stackOf(thrown)
  if (stack === undefined) return undefined
  const calls = stack.indexOf('\n    at ')
  if (calls < 0) return undefined
  const header = clip(stack.slice(0, calls), longestHeader)
  const lines = stack.slice(calls + 1, calls + 1 + longestStack).split('\n')
  // The last line may have been cut in the middle.
  if (stack.length > calls + 1 + longestStack) lines.pop()
  const boundary = lines.findIndex((line) => callsApp.test(line))
  const above = boundary < 0 ? lines : lines.slice(0, boundary)
  // Below the first call of the app is Carillon alone.
  const first = above.findLastIndex((line) => appPlacesIn(line).length > 0)
  return first < 0 ? undefined : [header, ...above.slice(0, first + 1)].join('\n').toWellFormed()
}

const causeOf = (thrown: unknown): unknown => {
  try {
    return thrown instanceof Error ? thrown.cause : undefined
  } catch {
    return undefined
  }
}

const nameOf = (thrown: unknown): string => {
  try {
    const name: unknown = thrown instanceof Error ? thrown.name : typeof thrown
    return clip(String(name), longestName)
  } catch {
    return 'Error'
  }
}

const causesOf = (thrown: unknown): readonly RecordedCause[] => {
  const causes: RecordedCause[] = []
  const seen = new Set<unknown>([thrown])
  for (let cause = causeOf(thrown); cause !== undefined && cause !== null; cause = causeOf(cause)) {
    if (seen.has(cause) || causes.length === mostCauses) break
    seen.add(cause)
    const stack = clippedStackOf(cause)
    causes.push({
      name: nameOf(cause),
      message: clippedMessageOf(cause),
      ...(stack === undefined ? {} : { stack }),
    })
  }
  return causes
}

/** What caused an error; nothing when nothing did. */
export const causesIn = (thrown: unknown): Pick<ErrorTrace, 'causes'> => {
  const causes = causesOf(thrown)
  return causes.length === 0 ? {} : { causes }
}

/** Where an error came from. */
export const traceOf = (thrown: unknown): ErrorTrace => {
  const stack = clippedStackOf(thrown)
  return { ...(stack === undefined ? {} : { stack }), ...causesIn(thrown) }
}

/** The recorded causes as errors again, each the cause of the one before it. */
export const reviveCauses = (causes: readonly RecordedCause[] | undefined): Error | undefined => {
  let revived: Error | undefined
  for (const { name, message, stack } of [...(causes ?? [])].reverse()) {
    const error = new Error(message, revived === undefined ? undefined : { cause: revived })
    Object.defineProperty(error, 'name', { value: name, configurable: true, writable: true })
    error.stack = stack ?? `${name}: ${message}`
    revived = error
  }
  return revived
}

/** Stack and causes as one text; undefined where nothing is known of them. */
export const showTrace = ({ stack, causes = [] }: ErrorTrace): string | undefined => {
  const parts = [
    ...(stack === undefined ? [] : [stack]),
    ...causes.map((cause) => `Caused by: ${cause.stack ?? `${cause.name}: ${cause.message}`}`),
  ]
  return parts.length === 0 ? undefined : parts.join('\n')
}
