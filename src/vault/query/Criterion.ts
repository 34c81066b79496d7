/**
 * What a query asks of a state, as plain data: it can be written in code, sent over a wire and kept in a file.
 */
import * as t from 'io-ts'
import { PublicKeyC, type PublicKey } from '../../identity/PublicKey.js'
import { IndexedValueC, type IndexedValue } from '../../ledger/IndexedValue.js'
import { InstantC, type Instant } from '../../time/Instant.js'

/** A span of time: from the first instant on, until before the second. Each may be left out. */
export type Span = { readonly from?: Instant; readonly until?: Instant }

/** A party, or its key. */
export type Who = PublicKey | { readonly key: PublicKey }

/** What a query asks of a state. */
export type Criterion =
  | { readonly and: readonly Criterion[] }
  | { readonly or: readonly Criterion[] }
  | { readonly not: Criterion }
  /** An indexed field has this value. */
  | { readonly field: string; readonly is: IndexedValue }
  /** An indexed field has one of these values. */
  | { readonly field: string; readonly in: readonly IndexedValue[] }
  /** An indexed field lies between: from the first value on, until before the second. Each may be left out. */
  | { readonly field: string; readonly from?: IndexedValue; readonly until?: IndexedValue }
  /** This party takes part. */
  | { readonly party: Who }
  /** These parties take part, and nobody else. */
  | { readonly participants: readonly Who[] }
  /** It is, or was, known by this key: all the versions of one thing over time. */
  | { readonly key: string }
  /** It stands under this notary. */
  | { readonly notary: Who }
  /** It was recorded here within a span of time. */
  | { readonly recorded: Span }
  /** It was consumed within a span of time. */
  | { readonly consumed: Span }
  /** Whether a flow has it reserved; the flow that asks does not count. */
  | { readonly locked: boolean }

const WhoC = t.union([PublicKeyC, t.type({ key: PublicKeyC })])
const SpanC = t.readonly(t.exact(t.partial({ from: InstantC, until: InstantC })))

export const CriterionC: t.Type<Criterion, unknown> = t.recursion('Criterion', () =>
  t.union([
    t.strict({ and: t.readonlyArray(CriterionC) }),
    t.strict({ or: t.readonlyArray(CriterionC) }),
    t.strict({ not: CriterionC }),
    t.strict({ field: t.string, is: IndexedValueC }),
    t.strict({ field: t.string, in: t.readonlyArray(IndexedValueC) }),
    t.intersection([t.strict({ field: t.string }), t.exact(t.partial({ from: IndexedValueC, until: IndexedValueC }))]),
    t.strict({ party: WhoC }),
    t.strict({ participants: t.readonlyArray(WhoC) }),
    t.strict({ key: t.string }),
    t.strict({ notary: WhoC }),
    t.strict({ recorded: SpanC }),
    t.strict({ consumed: SpanC }),
    t.strict({ locked: t.boolean }),
  ]),
)

export const keyOfWho = (who: Who): PublicKey => (typeof who === 'string' ? who : who.key)

/** How many criteria there are, through all ands and ors. */
export const countCriteria = (criterion: Criterion): number => {
  const parts = 'and' in criterion ? criterion.and : 'or' in criterion ? criterion.or : []
  if ('not' in criterion) return 1 + countCriteria(criterion.not)
  return 1 + parts.reduce((sum, part) => sum + countCriteria(part), 0)
}
