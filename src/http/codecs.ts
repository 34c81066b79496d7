/**
 * Codecs for what stands in a path or a query, where everything comes as text.
 */
import * as t from 'io-ts'
import { expecting } from '../encoding/expecting.js'

export interface RefTextBrand {
  readonly RefText: unique symbol
}

/** A state ref as people give it: whole, or its first digits. */
export const RefTextC = expecting(
  'a state ref, or at least 4 of its hex digits',
  t.brand(
    t.string,
    (text): text is t.Branded<string, RefTextBrand> => /^[0-9a-f]{4,64}(:\d{1,4})?$/.test(text),
    'RefText',
  ),
)

export interface FlowTextBrand {
  readonly FlowText: unique symbol
}

/** A flow id as people give it: whole, or its first digits. */
export const FlowTextC = expecting(
  'a flow id, or at least 4 of its hex digits',
  t.brand(t.string, (text): text is t.Branded<string, FlowTextBrand> => /^[0-9a-f]{4,32}$/.test(text), 'FlowText'),
)

/** A whole number from 0 on. */
export const CountC = expecting(
  'a whole number from 0 on',
  new t.Type<number, string>(
    'Count',
    (value): value is number => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0,
    (value, context) =>
      typeof value === 'string' && /^\d{1,15}$/.test(value) ? t.success(Number(value)) : t.failure(value, context),
    String,
  ),
)

/** `true` or `false`. */
export const FlagC = t.keyof({ true: null, false: null }, 'Flag')
