/**
 * Whole numbers that survive JSON. Unlike io-ts' `Int` it carries no brand, so `count + 1` is one as well.
 */
import * as t from 'io-ts'
import { declarePlain } from './plainForm.js'

const isInteger = (value: unknown): value is number => Number.isSafeInteger(value) && !Object.is(value, -0)

/** Codec of a whole number that JSON carries without loss. */
export const IntegerC: t.Type<number> = declarePlain(
  new t.Type<number>(
    'Integer',
    isInteger,
    (value, context) => (isInteger(value) ? t.success(value) : t.failure(value, context)),
    t.identity,
  ),
  isInteger,
  false,
)
