/**
 * The first place at which two values of JSON differ.
 */
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** Where two values differ first, and what stands there on either side; undefined when they are the same. */
export const firstDifference = (
  recorded: unknown,
  coded: unknown,
  path = '',
): { readonly path: string; readonly recorded: string; readonly coded: string } | undefined => {
  if (isObject(recorded) && isObject(coded) && Array.isArray(recorded) === Array.isArray(coded)) {
    for (const name of new Set([...Object.keys(recorded), ...Object.keys(coded)])) {
      const inner = firstDifference(recorded[name], coded[name], path === '' ? name : `${path}.${name}`)
      if (inner !== undefined) return inner
    }
    return undefined
  }
  if (Object.is(recorded, coded)) return undefined
  const show = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value))
  return { path, recorded: show(recorded), coded: show(coded) }
}
