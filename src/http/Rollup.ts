/**
 * What happened lately, counted second by second and minute by minute as ticks are committed, so that a chart costs
 * the same after a million events as after ten. It begins empty with the process: the log has the rest.
 */
import type { Committed } from '../engine/Committed.js'
import { instantFromMillis, type Instant } from '../time/Instant.js'

export type Point = {
  readonly at: Instant
  readonly events: number
  readonly transactions: number
  readonly started: number
  readonly ended: number
  readonly failed: number
  readonly latenessP50Ms: number
  readonly latenessP95Ms: number
  readonly latenessMaxMs: number
}

type Counts = {
  atMs: number
  events: number
  transactions: number
  started: number
  ended: number
  failed: number
  /** A sample of how late things were, enough for a percentile. */
  readonly latenesses: number[]
  latenessMaxMs: number
}

const sampled = 512

const empty = (atMs: number): Counts => ({
  atMs,
  events: 0,
  transactions: 0,
  started: 0,
  ended: 0,
  failed: 0,
  latenesses: [],
  latenessMaxMs: 0,
})

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

const pointOf = (counts: Counts): Point => {
  const sorted = [...counts.latenesses].sort((a, b) => a - b)
  const { events, transactions, started, ended, failed, latenessMaxMs } = counts
  return {
    at: instantFromMillis(counts.atMs),
    events,
    transactions,
    started,
    ended,
    failed,
    latenessP50Ms: quantile(sorted, 0.5),
    latenessP95Ms: quantile(sorted, 0.95),
    latenessMaxMs,
  }
}

class Series {
  readonly stepMs: number
  readonly #kept: number
  #points: Counts[] = []

  constructor(stepMs: number, kept: number) {
    this.stepMs = stepMs
    this.#kept = kept
  }

  at(nowMs: number): Counts {
    const atMs = Math.floor(nowMs / this.stepMs) * this.stepMs
    const last = this.#points.at(-1)
    // A clock that was set back goes on in the point it has.
    if (last !== undefined && last.atMs >= atMs) return last
    const point = empty(atMs)
    this.#points.push(point)
    if (this.#points.length > this.#kept) this.#points = this.#points.slice(-this.#kept)
    return point
  }

  /** The last so many steps up to now, those without anything included. */
  upTo(nowMs: number, count: number): readonly Point[] {
    const lastMs = Math.floor(nowMs / this.stepMs) * this.stepMs
    const known = new Map(this.#points.map((point) => [point.atMs, point]))
    return Array.from({ length: count }, (_, index) => {
      const atMs = lastMs - (count - 1 - index) * this.stepMs
      return pointOf(known.get(atMs) ?? empty(atMs))
    })
  }
}

const wordOf = (event: { readonly type: string; readonly outcome?: string }): string | undefined => {
  switch (event.type) {
    case 'TransactionRecorded':
      return 'transactions'
    case 'FlowStarted':
      return 'started'
    case 'FlowEnded':
      return event.outcome === 'failed' ? 'failed' : 'ended'
    default:
      return undefined
  }
}

export class Rollup {
  readonly #seconds = new Series(1_000, 900)
  readonly #minutes = new Series(60_000, 1_440)
  readonly #nowMs: () => number

  /** A node whose clock is turned at will is counted by another, on which a second is a second. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  readonly hear = (committed: Committed): void => {
    const nowMs = this.#nowMs()
    const tally = committed.tally(wordOf)
    const latenesses = committed.latenesses()
    const ended = (tally.get('ended') ?? 0) + (tally.get('failed') ?? 0)
    for (const series of [this.#seconds, this.#minutes]) {
      const point = series.at(nowMs)
      point.events += committed.size
      point.transactions += tally.get('transactions') ?? 0
      point.started += tally.get('started') ?? 0
      point.ended += ended
      point.failed += tally.get('failed') ?? 0
      for (const latenessMs of latenesses) {
        point.latenessMaxMs = Math.max(point.latenessMaxMs, latenessMs)
        if (point.latenesses.length < sampled) point.latenesses.push(latenessMs)
        // Beyond the sample each replaces an older one in turn, so that a long second is not told by its beginning.
        else point.latenesses[(point.started + point.latenesses.length) % sampled] = latenessMs
      }
    }
  }

  /** The last so many seconds, the one under way included. */
  seconds(count: number): readonly Point[] {
    return this.#seconds.upTo(this.#nowMs(), count)
  }

  minutes(count: number): readonly Point[] {
    return this.#minutes.upTo(this.#nowMs(), count)
  }
}
