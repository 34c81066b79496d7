/**
 * Whole numbers that survive JSON. Unlike io-ts' `Int` it carries no brand, so `count + 1` is one as well.
 */
import * as t from 'io-ts'

/** Codec of a whole number that JSON carries without loss. */
export const IntegerC: t.Type<number> = new t.Type(
  'Integer',
  (value): value is number => Number.isSafeInteger(value) && !Object.is(value, -0),
  (value, context) =>
    Number.isSafeInteger(value) && !Object.is(value, -0) ? t.success(value as number) : t.failure(value, context),
  t.identity,
)
