/**
 * What is there, reduced to what was asked about: the members an expectation names and no others, so that a difference
 * shows nothing but the difference.
 */
const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof RegExp)

/** `actual` with only those members that `expected` has, however deep; a text that fits an expected pattern becomes it. */
export const projectOn = (actual: unknown, expected: unknown): unknown => {
  if (expected instanceof RegExp) return typeof actual === 'string' && expected.test(actual) ? expected : actual
  if (Array.isArray(expected) && Array.isArray(actual))
    return actual.map((item: unknown, index) => (index < expected.length ? projectOn(item, expected[index]) : item))
  if (!isPlain(expected) || !isPlain(actual)) return actual
  return Object.fromEntries(Object.keys(expected).map((name) => [name, projectOn(actual[name], expected[name])]))
}
