/**
 * Names that someone may have meant who gave one that nobody knows: the same without its prefix or in other letters, or
 * with a slip or two of the fingers.
 */

const mostSlips = 2

/** How many letters must be put in, taken out or replaced to make one text of the other. */
const slipsBetween = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let index = 0; index < one.length; index++) {
    const next = [index + 1]
    for (let place = 1; place <= other.length; place++) {
      const replaced = (row[place - 1] ?? 0) + (one[index] === other[place - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[place] ?? 0) + 1, (next[place - 1] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

const isNear = (name: string, candidate: string): boolean => {
  const [meant, known] = [name.toLowerCase(), candidate.toLowerCase()]
  const last = meant.split('/').at(-1) ?? ''
  if (last !== '' && known.split('/').at(-1) === last) return true
  const tooFar = Math.abs(meant.length - known.length) > mostSlips || meant.length <= mostSlips
  return !tooFar && slipsBetween(meant, known) <= mostSlips
}

/** Those of the known names that are like the given one. */
export const nearestNames = (name: string, known: readonly string[]): readonly string[] =>
  known.filter((candidate) => isNear(name, candidate))
