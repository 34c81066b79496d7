/**
 * Any JSON value. What it guards has come out of a JSON parser or goes through the canonical encoder, and
 * both refuse everything else.
 */
import * as t from 'io-ts'
import type { Json } from './canonical.js'
import { declarePlain } from './plainForm.js'

/** Codec of any JSON value. */
export const JsonC: t.Type<Json> = declarePlain(
  new t.Type(
    'Json',
    (value): value is Json => value !== undefined,
    (value, context) => (value === undefined ? t.failure(value, context) : t.success(value as Json)),
    t.identity,
  ),
  (value) => value !== undefined,
  true,
)
