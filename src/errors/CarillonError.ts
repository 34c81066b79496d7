/**
 * The one error type that leaves Carillon: a stable code, a message that says what, where and what to do,
 * and the consequence of the code. Details are plain data, so that an error can be recorded and shown again.
 */
import { catalogue, type ErrorCode } from './catalogue.js'
import type { Consequence } from './Consequence.js'

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

/** An error as it is written into the log. */
export type RecordedError = {
  readonly code: string
  readonly message: string
  readonly details?: ErrorDetails
}

const longestRecordedMessage = 2_000
/** Characters of all details together: an error is told, not archived. */
const longestRecordedDetails = 8_000

const clip = (text: string, longest = longestRecordedMessage): string =>
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

/** Details that surely can be recorded: bounded, and of values that have a canonical form. */
const recordDetails = (details: ErrorDetails): ErrorDetails => {
  let room = longestRecordedDetails
  const take = (text: string): string => {
    const taken = clip(text, Math.min(room, longestRecordedMessage))
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

/** Anything thrown, as plain data for the log. `code` names what an unknown error counts as. */
export const recordError = (thrown: unknown, code: ErrorCode): RecordedError =>
  thrown instanceof CarillonError
    ? {
        code: thrown.code,
        message: clip(messageOf(thrown)),
        ...(Object.keys(thrown.details).length === 0 ? {} : { details: recordDetails(thrown.details) }),
      }
    : { code, message: clip(messageOf(thrown)) }

/** A recorded error as a throwable one again. A code that neither this version nor an app knows counts as a flow failure. */
export const reviveError = ({ code, message, details }: RecordedError): CarillonError =>
  new CarillonError(isErrorCode(code) || isAppErrorCode(code) ? code : 'flow-threw', message, details)

/**
 * An error of the node itself: its store, its invariants. Only Carillon makes it, so that app code which throws an
 * error of the same code can never stop the node.
 */
export class NodeFault extends CarillonError {
  readonly isOfNode = true
}

/** Whether an error concerns the node as a whole and must reach the loop unchanged. */
export const concernsNode = (error: unknown): error is NodeFault => error instanceof NodeFault

/** Stops the node: called where a broken invariant would otherwise be carried on. */
export const assertInvariant: (holds: boolean, what: string) => asserts holds = (holds, what) => {
  if (!holds)
    throw new NodeFault(
      'invariant-broken',
      `Broken invariant: ${what}. The log is intact up to its last tick; restart the node and report this.`,
    )
}
