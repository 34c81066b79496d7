/**
 * The start of a flow as it was asked for: its input at that moment, and the line of code that asked.
 */
import { canonicalText, type Json } from '../encoding/canonical.js'
import { CarillonError, concernsNode } from '../errors/CarillonError.js'
import { atPlace, codePlaceIn } from '../errors/codePlace.js'

/** The input as it is now: what the caller does to it later must not reach the flow. What has no copy is refused later. */
export const copyOf = (input: Json): Json => {
  try {
    return JSON.parse(canonicalText(input)) as Json
  } catch {
    return input
  }
}

/**
 * A refused start names the line that asked for it. Where that was not kept, whoever awaits the start is named: after the
 * wait he is on the stack again.
 */
export const refusedStart = (error: unknown, asked = new Error('asked here')): unknown => {
  if (!(error instanceof CarillonError) || concernsNode(error) || error.consequence !== 'refuse') return error
  const place = codePlaceIn(asked)
  if (place === undefined) return error
  const told = new CarillonError(error.code, `${error.message}${atPlace(place)}`, error.details, error)
  told.stack = asked.stack?.replace(/^Error: asked here/, () => `CarillonError: ${told.message}`) ?? ''
  return told
}
