/**
 * The shape of a canonical text: its keys and its punctuation as they stand, with a gap for every string and every
 * whole number. A text of the same shape is canonical too, and one look tells whether it is of that shape, where
 * reading it would take many.
 */

/** A part of a text that whoever recognises the shape wants to be told; a `fixed` one is no gap, but stands as it is. */
export type Piece = { readonly from: number; readonly until: number; readonly fixed?: boolean }

// Nothing that would have to be escaped, or looked at twice.
const plainCharacter = '[^"\\\\\\u0000-\\u001f\\ud800-\\udfff]'
/** Matches what may stand between the quotes of a plain string. */
export const anyText = `${plainCharacter}*`
/** As {@link anyText}, of a text that is not longer. */
export const textUpTo = (length: number): string => `${plainCharacter}{0,${length}}`
const anyString = `"${anyText}"`
/** Matches a whole number that is not negative, and not so large that it could lose a digit. */
export const anyInteger = '(?:0|[1-9]\\d{0,14})'

const unusual = /[\\\ud800-\udfff]/
const shortInteger = /^(?:0|[1-9]\d{0,14})$/
const token = /"[^"]*":|"[^"]*"|-?\d[\d.e+-]*|[^"\d-]+/g

const literally = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

const gapFor = (written: string): string => {
  if (written.startsWith('"') && !written.endsWith(':')) return anyString
  return shortInteger.test(written) ? anyInteger : literally(written)
}

const withGaps = (text: string): string => text.replaceAll(token, gapFor)

/**
 * An expression that matches exactly the texts of the same shape as one that is known to be canonical, with a group for
 * each piece. The pieces are whole values, in order, and none lies within another. Undefined for a text with escapes or
 * characters beyond the basic plane, which has no simple shape.
 */
export const shapeOf = (canonical: string, pieces: readonly Piece[]): RegExp | undefined => {
  if (unusual.test(canonical)) return undefined
  let source = ''
  let at = 0
  for (const { from, until, fixed } of pieces) {
    const piece = canonical.slice(from, until)
    source += `${withGaps(canonical.slice(at, from))}(${fixed === true ? literally(piece) : withGaps(piece)})`
    at = until
  }
  return new RegExp(`^${source}${withGaps(canonical.slice(at))}$`)
}

/** Whether there are other texts of the shape of this one: whether it holds a string or a whole number. */
export const hasGaps = (canonical: string): boolean => withGaps(canonical) !== literally(canonical)

/** A part of a text that may differ, and what may stand there: what a pattern matches, or a value of the same shape. */
export type Gap = { readonly from: number; readonly until: number; readonly pattern: string | undefined }

/** As {@link shapeOf}, for texts that differ in these gaps and nowhere else; there is a group for each. */
export const shapeAround = (canonical: string, gaps: readonly Gap[]): RegExp | undefined => {
  if (unusual.test(canonical)) return undefined
  let source = ''
  let at = 0
  for (const { from, until, pattern } of gaps) {
    source += `${literally(canonical.slice(at, from))}(${pattern ?? withGaps(canonical.slice(from, until))})`
    at = until
  }
  return new RegExp(`^${source}${literally(canonical.slice(at))}$`)
}
