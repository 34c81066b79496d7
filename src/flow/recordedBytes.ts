/**
 * About how many bytes a result takes in a flow's record. It is called for every operation, so small results cost nothing.
 */
import { canonicalText, utf8Length, type Json } from '../encoding/canonical.js'

/** A ref or a transaction id, with quotes and comma. */
const bytesOfId = 70

/** Of a list of refs or ids. */
export const bytesOfIds = (result: Json | undefined): number => (Array.isArray(result) ? result.length * bytesOfId : 0)

/** Of any value, by writing it. */
export const bytesOfValue = (result: Json | undefined): number =>
  result === undefined ? 0 : utf8Length(canonicalText(result))

/** Of what a transaction came to: a proposal is recorded whole, a recorded transaction by its id. */
export const bytesOfTransaction = (result: Json | undefined): number =>
  typeof result === 'object' && result !== null && 'proposal' in result ? bytesOfValue(result) : 0
