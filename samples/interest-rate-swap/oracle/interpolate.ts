/**
 * Values between known points: along straight lines, or along a natural cubic spline, which is smooth at the points
 * and straight at both ends. Outside the points nothing is known, and nothing is guessed.
 */

export type Point = { readonly x: number; readonly y: number }
export type Curve = (x: number) => number

const inOrder = (points: readonly Point[], least: number, kind: string): readonly Point[] => {
  const sorted = [...points].sort((a, b) => a.x - b.x)
  if (sorted.length < least) throw new RangeError(`A ${kind} needs ${least} points, and there are ${sorted.length}.`)
  if (sorted.some(({ x }, index) => sorted[index + 1]?.x === x)) throw new RangeError('Two points have the same place.')
  return sorted
}

/** The two points around a place. */
const around = (points: readonly Point[], x: number): readonly [Point, Point, number] => {
  const above = points.findIndex((point, index) => index > 0 && x <= point.x)
  const low = points[above - 1]
  const high = points[above]
  if (low === undefined || high === undefined || x < low.x)
    throw new RangeError(`${x} lies outside the known points, from ${points[0]?.x ?? 0} to ${points.at(-1)?.x ?? 0}.`)
  return [low, high, above - 1]
}

export const linear = (points: readonly Point[]): Curve => {
  const sorted = inOrder(points, 2, 'line')
  return (x) => {
    const [low, high] = around(sorted, x)
    return low.y + ((high.y - low.y) * (x - low.x)) / (high.x - low.x)
  }
}

/** The second derivatives at the points; at both ends they are nothing, which is what makes the spline natural. */
const curvatures = (points: readonly Point[]): readonly number[] => {
  // A tridiagonal system, solved in one sweep forwards and one back.
  const factors: number[] = [0]
  const values: number[] = [0]
  for (let index = 1; index < points.length - 1; index++) {
    const [before, here, after] = points.slice(index - 1, index + 2)
    if (before === undefined || here === undefined || after === undefined) break
    const left = here.x - before.x
    const right = after.x - here.x
    const bend = 6 * ((after.y - here.y) / right - (here.y - before.y) / left)
    const pivot = 2 * (left + right) - left * (factors[index - 1] ?? 0)
    factors.push(right / pivot)
    values.push((bend - left * (values[index - 1] ?? 0)) / pivot)
  }
  const result = new Array<number>(points.length).fill(0)
  for (let index = points.length - 2; index > 0; index--)
    result[index] = (values[index] ?? 0) - (factors[index] ?? 0) * (result[index + 1] ?? 0)
  return result
}

export const naturalCubicSpline = (points: readonly Point[]): Curve => {
  const sorted = inOrder(points, 3, 'cubic spline')
  const bends = curvatures(sorted)
  return (x) => {
    const [low, high, index] = around(sorted, x)
    const width = high.x - low.x
    const toHigh = (high.x - x) / width
    const toLow = (x - low.x) / width
    const bent = (toHigh ** 3 - toHigh) * (bends[index] ?? 0) + (toLow ** 3 - toLow) * (bends[index + 1] ?? 0)
    return toHigh * low.y + toLow * high.y + (bent * width ** 2) / 6
  }
}
