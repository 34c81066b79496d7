/**
 * A whole number of 64 bits, as wide as the seed's network has it: a number as far as those are exact, or else its
 * digits as text, which is how such numbers are written in JSON.
 */
import * as t from 'io-ts'
import { IntegerC } from 'carillon'

const largest = 2n ** 63n - 1n
const digits = /^-?(0|[1-9]\d{0,18})$/

const isInt64 = (text: string): boolean => {
  if (!digits.test(text)) return false
  const value = BigInt(text)
  return value <= largest && value >= -largest - 1n
}

export const Int64C = t.union([IntegerC, t.refinement(t.string, isInt64, 'Digits')], 'Int64')
export type Int64 = t.TypeOf<typeof Int64C>
