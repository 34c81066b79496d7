/**
 * The one error type that leaves Carillon: a stable code, a message that says what, where and what to do,
 * and the consequence of the code. Details are plain data, so that an error can be recorded and shown again.
 */
import { catalogue, type ErrorCode } from './catalogue.js'
import type { Consequence } from './Consequence.js'

/** Plain facts about an error: names, refs, limits. */
export type ErrorDetails = Readonly<Record<string, string | number | boolean | null | readonly string[]>>

/** Every error that leaves Carillon. Tell errors apart by `code`; `consequence` says whether trying again can help. */
export class CarillonError extends Error {
  override readonly name = 'CarillonError'
  readonly code: ErrorCode
  readonly details: ErrorDetails

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.details = details
  }

  get consequence(): Consequence {
    return catalogue[this.code].consequence
  }
}

/** An error as it is written into the log. */
export type RecordedError = {
  readonly code: string
  readonly message: string
  readonly details?: ErrorDetails
}

const longestRecordedMessage = 2_000

const clip = (text: string): string =>
  text.length <= longestRecordedMessage ? text : `${text.slice(0, longestRecordedMessage)}…`

/** The message of anything that was thrown, without trusting it to be an Error. */
export const messageOf = (thrown: unknown): string => {
  try {
    return thrown instanceof Error ? thrown.message || thrown.name : String(thrown)
  } catch {
    return 'something was thrown that cannot be shown as text'
  }
}

/** Anything thrown, as plain data for the log. `code` names what an unknown error counts as. */
export const recordError = (thrown: unknown, code: ErrorCode): RecordedError =>
  thrown instanceof CarillonError
    ? {
        code: thrown.code,
        message: clip(thrown.message).toWellFormed(),
        ...(Object.keys(thrown.details).length === 0 ? {} : { details: thrown.details }),
      }
    : { code, message: clip(messageOf(thrown)).toWellFormed() }

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(catalogue, code)

/** A recorded error as a throwable one again. A code this version does not know counts as a flow failure. */
export const reviveError = (recorded: RecordedError): CarillonError =>
  new CarillonError(isErrorCode(recorded.code) ? recorded.code : 'flow-threw', recorded.message, recorded.details)

/** Whether an error concerns the node as a whole (its store, its invariants) and must reach the loop unchanged. */
export const concernsNode = (error: unknown): boolean =>
  error instanceof CarillonError && (error.consequence === 'stop' || error.consequence === 'retry')

/** Stops the node: called where a broken invariant would otherwise be carried on. */
export const assertInvariant: (holds: boolean, what: string) => asserts holds = (holds, what) => {
  if (!holds)
    throw new CarillonError(
      'invariant-broken',
      `Broken invariant: ${what}. The log is intact up to its last tick; restart the node and report this.`,
    )
}
