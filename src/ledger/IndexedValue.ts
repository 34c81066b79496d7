/**
 * A value by which states are found and sorted: text, a number, or true or false. What a definition says about a
 * state is recorded with it, so it must be short and have a canonical form.
 */
import * as t from 'io-ts'
import { canonicalText } from '../encoding/canonical.js'
import { declarePlain } from '../encoding/plainForm.js'
import { ledgerLimits } from './limits.js'

/** A value of an indexed field. Instants and dates are text that sorts as they do. */
export type IndexedValue = string | number | boolean

const isIndexedValue = (value: unknown): value is IndexedValue => {
  if (typeof value === 'string') return value.length <= ledgerLimits.indexedTextLength && value.isWellFormed()
  if (typeof value === 'number')
    return Number.isFinite(value) && !Object.is(value, -0) && (!Number.isInteger(value) || Number.isSafeInteger(value))
  return typeof value === 'boolean'
}

export const IndexedValueC = new t.Type<IndexedValue>(
  'IndexedValue',
  isIndexedValue,
  (value, context) => (isIndexedValue(value) ? t.success(value) : t.failure(value, context)),
  t.identity,
)

const RecordC = t.readonly(t.record(t.string, IndexedValueC), 'IndexedValues')

// Declared, because every transaction holds a place for it, and transactions are read and written the quick way.
export const IndexedValuesC = declarePlain(
  RecordC,
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    Object.getPrototypeOf(value) === Object.prototype &&
    Object.values(value).every(isIndexedValue),
  true,
)
/** The indexed values of one state, by the names of their fields. */
export type IndexedValues = t.TypeOf<typeof IndexedValuesC>

/** A value as the index holds it: true and false are 1 and 0. */
export const storedValue = (value: IndexedValue): string | number =>
  typeof value === 'boolean' ? Number(value) : value

/** Whether two states would have the same rows in the index. */
export const sameIndexed = (a: IndexedValues | null | undefined, b: IndexedValues | null | undefined): boolean => {
  const stored = (values: IndexedValues | null | undefined) =>
    canonicalText(Object.fromEntries(Object.entries(values ?? {}).map(([name, value]) => [name, storedValue(value)])))
  return stored(a) === stored(b)
}
