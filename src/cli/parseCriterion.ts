/**
 * A criterion as it is typed on a command line: `currency=EUR`, `amount>=100`, or JSON for everything else.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import { InvalidArgumentError } from 'commander'
import { decodeWith } from '../encoding/decode.js'
import type { IndexedValue } from '../ledger/IndexedValue.js'
import { CriterionC, type Criterion } from '../vault/query/Criterion.js'

const comparison = /^([A-Za-z][A-Za-z0-9_]*)\s*(>=|<|!=|=)\s*(.*)$/s

/** A number, true, false or quoted text as JSON has them; anything else is text as it stands. */
const valueOf = (text: string): IndexedValue => {
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed === 'string' || typeof parsed === 'number' || typeof parsed === 'boolean') return parsed
  } catch {
    // Not JSON, so it is plain text.
  }
  return text
}

const ofJson = (text: string): Criterion => {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (error) {
    throw new InvalidArgumentError(`It is not JSON: ${error instanceof Error ? error.message : 'unreadable'}.`)
  }
  const decoded = decodeWith(CriterionC, parsed)
  if (isLeft(decoded)) throw new InvalidArgumentError(`It is not a criterion: ${decoded.left.slice(0, 3).join('; ')}.`)
  return decoded.right
}

export const parseCriterion = (text: string): Criterion => {
  if (text.trimStart().startsWith('{')) return ofJson(text)
  const [, field, sign, right] = comparison.exec(text) ?? []
  if (field === undefined || right === undefined)
    throw new InvalidArgumentError(
      'Write a field, a sign and a value: currency=EUR, amount>=100, amount<200, paid!=true.',
    )
  const value = valueOf(right)
  switch (sign) {
    case '>=':
      return { field, from: value }
    case '<':
      return { field, until: value }
    case '!=':
      return { not: { field, is: value } }
    default:
      return { field, is: value }
  }
}
