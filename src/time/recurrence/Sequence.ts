/**
 * An ordered set of points in time that can be walked both ways. Points are milliseconds, of UTC or of a wall
 * clock; `after` gives the nearest later point and `before` the nearest earlier one, both strictly. Every look at a rule
 * is paid for from the budget of the question, so no walk goes on without end.
 */
import type { StepBudget } from './StepBudget.js'

export type Look = (ms: number, budget: StepBudget) => number | undefined

export type Sequence = { readonly after: Look; readonly before: Look }

/** The points of a list, in whatever order they are given. */
export const ofPoints = (points: readonly number[]): Sequence => {
  const sorted = [...new Set(points)].sort((a, b) => a - b)
  /** How many points there are for which a test holds; it holds for the first ones only. */
  const countWhile = (holds: (point: number) => boolean): number => {
    let [low, high] = [0, sorted.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (holds(sorted[middle] ?? Number.NaN)) low = middle + 1
      else high = middle
    }
    return low
  }
  return {
    after: (ms, budget) => {
      budget.spend(1)
      return sorted[countWhile((point) => point <= ms)]
    },
    before: (ms, budget) => {
      budget.spend(1)
      return sorted[countWhile((point) => point < ms) - 1]
    },
  }
}

/** The points `at(0)`, `at(1)`, … of a function that never falls. */
export const ofIndex = (options: {
  readonly at: (index: number) => number | undefined
  /** An index whose point, and all points below it, lie before the given time; the nearer it is, the less is looked at. */
  readonly indexBefore: (ms: number) => number
  /** How many there are; without end when left out. */
  readonly count?: number
}): Sequence => {
  const end = options.count ?? Number.MAX_SAFE_INTEGER
  /** The first index whose point does not lie before the time; one after the last when there is none. */
  const firstWhere = (reaches: (point: number) => boolean, ms: number, budget: StepBudget): number => {
    const isThere = (index: number): boolean => {
      if (index >= end) return true
      budget.spend(1)
      const point = options.at(index)
      return point === undefined || reaches(point)
    }
    let low = Math.max(0, Math.min(options.indexBefore(ms), end - 1))
    if (isThere(low)) return low
    let width = 1
    while (!isThere(low + width)) {
      low += width
      width *= 2
    }
    let high = low + width
    while (high - low > 1) {
      const middle = low + Math.floor((high - low) / 2)
      if (isThere(middle)) high = middle
      else low = middle
    }
    return high
  }
  const at = (index: number): number | undefined => (index < 0 || index >= end ? undefined : options.at(index))
  return {
    after: (ms, budget) => at(firstWhere((point) => point > ms, ms, budget)),
    before: (ms, budget) => at(firstWhere((point) => point >= ms, ms, budget) - 1),
  }
}

/** The points from one time to another, both included; either may be left open. */
export const between = (inner: Sequence, fromMs: number | undefined, untilMs: number | undefined): Sequence => {
  const from = fromMs ?? Number.NEGATIVE_INFINITY
  const until = untilMs ?? Number.POSITIVE_INFINITY
  return {
    after: (ms, budget) => {
      if (ms >= until) return undefined
      const point = inner.after(Math.max(ms, from - 1), budget)
      return point === undefined || point > until ? undefined : point
    },
    before: (ms, budget) => {
      if (ms <= from) return undefined
      const point = inner.before(Math.min(ms, until + 1), budget)
      return point === undefined || point < from ? undefined : point
    },
  }
}

/** Time that is left out: the last moment of it from a moment on, and the first one up to it; undefined when it is not left out. */
export type Exclusion = { readonly lastFrom: Look; readonly firstTo: Look }

/** The points that are not left out. What is left out is stepped over as a whole, however many points lie in it. */
export const without = (inner: Sequence, { lastFrom, firstTo }: Exclusion): Sequence => {
  const walk = (step: Look, edge: Look, ms: number, budget: StepBudget): number | undefined => {
    let point = step(ms, budget)
    while (point !== undefined) {
      const excludedUpTo = edge(point, budget)
      if (excludedUpTo === undefined) return point
      point = step(excludedUpTo, budget)
    }
    return undefined
  }
  return {
    after: (ms, budget) => walk(inner.after, lastFrom, ms, budget),
    before: (ms, budget) => walk(inner.before, firstTo, ms, budget),
  }
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
  after: (ms, budget) => {
    let best: number | undefined
    let point = inner.after(ms - options.reachOfImage(ms).high - 1, budget)
    // A later point can still have an earlier image, as long as it is within reach of the best so far.
    while (point !== undefined && (best === undefined || point + options.reachOfPoint(point).low < best)) {
      for (const image of options.images(point)) if (image > ms && (best === undefined || image < best)) best = image
      point = inner.after(point, budget)
    }
    return best
  },
  before: (ms, budget) => {
    let best: number | undefined
    let point = inner.before(ms - options.reachOfImage(ms).low + 1, budget)
    while (point !== undefined && (best === undefined || point + options.reachOfPoint(point).high > best)) {
      for (const image of options.images(point)) if (image < ms && (best === undefined || image > best)) best = image
      point = inner.before(point, budget)
    }
    return best
  },
})
