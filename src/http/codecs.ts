/**
 * Codecs for what stands in a path or a query, where everything comes as text.
 */
import * as t from 'io-ts'
import { isLeft } from 'fp-ts/lib/Either.js'
import { expecting } from '../encoding/expecting.js'
import { namedByClient } from '../log/FlowId.js'
import { parseMoment, type Moment } from '../history/moment.js'
import { CriterionC, type Criterion } from '../vault/query/Criterion.js'

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

/** A flow as people name it: by its id, by the first digits of that, or by its caller and its client id. */
export const FlowTextC = expecting(
  'a flow id, or at least 4 of its hex digits, or a caller and a client id such as local:order-17',
  t.brand(
    t.string,
    (text): text is t.Branded<string, FlowTextBrand> =>
      /^[0-9a-f]{4,32}$/.test(text) || namedByClient(text) !== undefined,
    'FlowText',
  ),
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

/** What `read` makes of a text; a text it throws at does not fit. */
const fromText = <A>(name: string, is: t.Is<A>, read: (text: string) => A, write: (value: A) => string) =>
  new t.Type<A, string>(
    name,
    is,
    (value, context) => {
      if (typeof value !== 'string') return t.failure(value, context)
      try {
        return t.success(read(value))
      } catch {
        return t.failure(value, context)
      }
    },
    write,
  )

/** A moment of the past: a revision, or an instant. */
export const MomentC = expecting(
  'a revision, or an instant such as 2026-01-31T09:00:00.000Z',
  fromText<Moment>(
    'Moment',
    (value): value is Moment => typeof value === 'number' || typeof value === 'string',
    parseMoment,
    String,
  ),
)

/** A criterion of a query to the vault, as the text of its JSON. */
export const CriterionTextC = expecting(
  'a criterion as JSON, such as {"field":"currency","is":"EUR"}',
  fromText<Criterion>(
    'CriterionText',
    (value): value is Criterion => CriterionC.is(value),
    (text) => {
      const decoded = CriterionC.decode(JSON.parse(text))
      if (isLeft(decoded)) throw new Error('not a criterion')
      return decoded.right
    },
    (criterion) => JSON.stringify(criterion),
  ),
)
