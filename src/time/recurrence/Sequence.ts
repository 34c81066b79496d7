/**
 * An ordered set of points in time that can be walked both ways. Points are milliseconds, of UTC or of a wall
 * clock; `after` gives the nearest later point and `before` the nearest earlier one, both strictly.
 */
export type Sequence = {
  readonly after: (ms: number) => number | undefined
  readonly before: (ms: number) => number | undefined
}

/** The points of a list, in whatever order they are given. */
export const ofPoints = (points: readonly number[]): Sequence => {
  const sorted = [...new Set(points)].sort((a, b) => a - b)
  return {
    after: (ms) => sorted.find((point) => point > ms),
    before: (ms) => sorted.findLast((point) => point < ms),
  }
}

/** The points `at(0)`, `at(1)`, … of a function that never falls. */
export const ofIndex = (options: {
  readonly at: (index: number) => number | undefined
  /** An index whose point, and all points below it, lie before the given time. */
  readonly indexBefore: (ms: number) => number
  /** How many there are; without end when left out. */
  readonly count?: number
}): Sequence => {
  const end = options.count ?? Number.POSITIVE_INFINITY
  const at = (index: number): number | undefined => (index < 0 || index >= end ? undefined : options.at(index))
  return {
    after: (ms) => {
      for (let index = Math.max(0, Math.min(options.indexBefore(ms), end - 1)); ; index++) {
        const point = at(index)
        if (point === undefined || point > ms) return point
      }
    },
    before: (ms) => {
      let found: number | undefined
      for (let index = Math.max(0, Math.min(options.indexBefore(ms), end - 1)); ; index++) {
        const point = at(index)
        if (point === undefined || point >= ms) return found
        found = point
      }
    },
  }
}

/** The points from one time to another, both included; either may be left open. */
export const between = (inner: Sequence, fromMs: number | undefined, untilMs: number | undefined): Sequence => {
  const from = fromMs ?? Number.NEGATIVE_INFINITY
  const until = untilMs ?? Number.POSITIVE_INFINITY
  return {
    after: (ms) => {
      const point = inner.after(Math.max(ms, from - 1))
      return point === undefined || point > until ? undefined : point
    },
    before: (ms) => {
      const point = inner.before(Math.min(ms, until + 1))
      return point === undefined || point < from ? undefined : point
    },
  }
}

/** The points for which a test does not hold. */
export const without = (inner: Sequence, excluded: (ms: number) => boolean): Sequence => {
  const walk = (step: (ms: number) => number | undefined, ms: number): number | undefined => {
    let point = step(ms)
    while (point !== undefined && excluded(point)) point = step(point)
    return point
  }
  return { after: (ms) => walk(inner.after, ms), before: (ms) => walk(inner.before, ms) }
}

/** How far an image may lie from its point: no earlier than `low` after it and no later than `high` after it. */
export type Reach = { readonly low: number; readonly high: number }

/**
 * Each point replaced by others not far from it. The result is ordered, even where images overtake one another:
 * `reachOfImage` and `reachOfPoint` say how far image and point may lie apart, seen from either.
 */
export const displaced = (
  inner: Sequence,
  options: {
    readonly images: (point: number) => readonly number[]
    readonly reachOfImage: (image: number) => Reach
    readonly reachOfPoint: (point: number) => Reach
  },
): Sequence => ({
  after: (ms) => {
    let best: number | undefined
    let point = inner.after(ms - options.reachOfImage(ms).high - 1)
    // A later point can still have an earlier image, as long as it is within reach of the best so far.
    while (point !== undefined && (best === undefined || point + options.reachOfPoint(point).low < best)) {
      for (const image of options.images(point)) if (image > ms && (best === undefined || image < best)) best = image
      point = inner.after(point)
    }
    return best
  },
  before: (ms) => {
    let best: number | undefined
    let point = inner.before(ms - options.reachOfImage(ms).low + 1)
    while (point !== undefined && (best === undefined || point + options.reachOfPoint(point).high > best)) {
      for (const image of options.images(point)) if (image < ms && (best === undefined || image > best)) best = image
      point = inner.before(point)
    }
    return best
  },
})
