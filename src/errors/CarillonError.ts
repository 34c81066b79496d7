/**
 * The one error type that leaves Carillon: a stable code, a message that says what, where and what to do,
 * and the consequence of the code. Details are plain data, so that an error can be recorded and shown again.
 */
import { catalogue, type ErrorCode } from './catalogue.js'
import type { Consequence } from './Consequence.js'
import { causesIn, clippedMessageOf, messageOf, reviveCauses, traceOf, type ErrorTrace } from './ErrorTrace.js'

export { messageOf } from './ErrorTrace.js'

/** Plain facts about an error: names, refs, limits. */
export type ErrorDetails = Readonly<Record<string, string | number | boolean | null | readonly string[]>>

/**
 * The code of an error that an app throws in its flows: the app's name, a slash, and what went wrong, as in
 * `swap/rate-not-announced`. The flow ends with it, and whoever asks for its result is given it back.
 */
export type AppErrorCode = `${string}/${string}`

/** Every error that leaves Carillon. Tell errors apart by `code`; `consequence` says whether trying again can help. */
export class CarillonError extends Error {
  override readonly name = 'CarillonError'
  readonly code: ErrorCode | AppErrorCode
  readonly details: ErrorDetails

  constructor(code: ErrorCode | AppErrorCode, message: string, details: ErrorDetails = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.details = details
  }

  /** An error that app code made up a code for counts as a flow's failure. */
  get consequence(): Consequence {
    return isErrorCode(this.code) ? catalogue[this.code].consequence : 'fail'
  }
}

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(catalogue, code)
const isAppErrorCode = (code: string): code is AppErrorCode => code.includes('/')

/** An error as it is written into the log. Stack and causes are for people: a replay never compares them. */
export type RecordedError = ErrorTrace & {
  readonly code: string
  readonly message: string
  readonly details?: ErrorDetails
}

const longestRecordedText = 2_000
const longestRecordedCode = 100
/** Characters of all details together: an error is told, not archived. */
const longestRecordedDetails = 8_000

const clip = (text: string, longest: number): string =>
  (text.length <= longest ? text : `${text.slice(0, longest)}…`).toWellFormed()

/** Details that surely can be recorded: bounded, and of values that have a canonical form. */
const recordDetails = (details: ErrorDetails): ErrorDetails => {
  let room = longestRecordedDetails
  const take = (text: string): string => {
    const taken = clip(text, Math.min(room, longestRecordedText))
    room -= taken.length
    return taken
  }
  const recorded: Record<string, ErrorDetails[string]> = {}
  for (const [key, value] of Object.entries(details)) {
    if (room <= 0) break
    if (value === null || typeof value === 'boolean' || Number.isSafeInteger(value)) recorded[take(key)] = value
    else if (Array.isArray(value)) {
      const texts: string[] = []
      for (const text of value) if (room > 0) texts.push(take(String(text)))
      recorded[take(key)] = texts
    } else recorded[take(key)] = take(messageOf(value))
  }
  return recorded
}

const recordTyped = (thrown: CarillonError): RecordedError => {
  // Code and details are declared as what they should be; app code can put anything there.
  const code: unknown = thrown.code
  const recorded = {
    code: String(code).slice(0, longestRecordedCode).toWellFormed(),
    message: clippedMessageOf(thrown),
  }
  try {
    const details = recordDetails(thrown.details)
    return Object.keys(details).length === 0 ? recorded : { ...recorded, details }
  } catch {
    return recorded
  }
}

const isTyped = (thrown: unknown): thrown is CarillonError => {
  try {
    return thrown instanceof CarillonError
  } catch {
    // Even this question runs code of whatever was thrown, when that is a proxy.
    return false
  }
}

const recordMessage = (thrown: unknown, code: ErrorCode): RecordedError =>
  isTyped(thrown) ? recordTyped(thrown) : { code, message: clippedMessageOf(thrown) }

/** Anything thrown, as plain data for the log, with where it came from. `code` names what an unknown error counts as. */
export const recordError = (thrown: unknown, code: ErrorCode): RecordedError => ({
  ...recordMessage(thrown, code),
  ...traceOf(thrown),
})

/** As {@link recordError}, without the stack: for what Carillon itself answered, and no code of the app threw. */
export const recordRefusal = (thrown: unknown, code: ErrorCode): RecordedError => ({
  ...recordMessage(thrown, code),
  ...causesIn(thrown),
})

/** An error as others are told of it: not where it came from. */
export const withoutTrace = ({ code, message, details }: RecordedError): RecordedError => ({
  code,
  message,
  ...(details === undefined ? {} : { details }),
})

/** A recorded error as a throwable one again. A code that neither this version nor an app knows counts as a flow failure. */
export const reviveError = ({ code, message, details, stack, causes }: RecordedError): CarillonError => {
  const known = isErrorCode(code) || isAppErrorCode(code) ? code : 'flow-threw'
  const error = new CarillonError(known, message, details, reviveCauses(causes))
  if (stack !== undefined) error.stack = stack
  return error
}

/**
 * An error of the node itself: its store, its invariants. Only Carillon makes it, so that app code which throws an
 * error of the same code can never stop the node.
 */
export class NodeFault extends CarillonError {
  readonly isOfNode = true
}

/** Whether an error concerns the node as a whole and must reach the loop unchanged. */
export const concernsNode = (error: unknown): error is NodeFault => isTyped(error) && error instanceof NodeFault

/** Stops the node: called where a broken invariant would otherwise be carried on. */
export const assertInvariant: (holds: boolean, what: string) => asserts holds = (holds, what) => {
  if (!holds)
    throw new NodeFault(
      'invariant-broken',
      `Broken invariant: ${what}. The log is intact up to its last tick; restart the node and report this.`,
    )
}
