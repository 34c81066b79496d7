/**
 * The agenda as bars along time: what is to come from the index of the agenda, what has been from the newest
 * occurrences. Counted in the store, so a hundred thousand activities are as quick to draw as ten.
 */
import { queryLimits } from '../limits.js'
import type { Database } from '../Database.js'

export type Bar = {
  readonly atMs: number
  scheduled: number
  onTime: number
  late: number
  failed: number
  missed: number
  worstLatenessMs: number
}

export type Timeline = { readonly barMs: number; readonly bars: readonly Bar[]; readonly partial: boolean }

export type TimelineQuery = {
  readonly fromMs: number
  readonly untilMs: number
  readonly bars: number
  /** Later than this is late. */
  readonly lateMs: number
}

const whole = (value: unknown): number => Number(value ?? 0)

export const readTimeline = (db: Database, { fromMs, untilMs, bars: count, lateMs }: TimelineQuery): Timeline => {
  const barMs = Math.max(1, Math.ceil((untilMs - fromMs) / count))
  const bars: Bar[] = Array.from({ length: Math.ceil((untilMs - fromMs) / barMs) }, (_, index) => ({
    atMs: fromMs + index * barMs,
    scheduled: 0,
    onTime: 0,
    late: 0,
    failed: 0,
    missed: 0,
    worstLatenessMs: 0,
  }))
  for (const row of db
    .prepare(
      `SELECT CAST((acts_at_ms - ?) / ? AS INTEGER) AS bar, count(*) AS n FROM states WHERE acts_at_ms >= ? AND acts_at_ms < ? GROUP BY bar`,
    )
    .all(fromMs, barMs, fromMs, untilMs)) {
    const bar = bars[whole(row['bar'])]
    if (bar !== undefined) bar.scheduled = whole(row['n'])
  }
  const oldest = whole(db.prepare('SELECT max(seq) AS seq FROM flows').get()?.['seq']) - queryLimits.timelineOccurrences
  for (const row of db
    .prepare(
      `SELECT CAST((started_ms - ?) / ? AS INTEGER) AS bar, count(*) FILTER (WHERE status = 'failed' OR status = 'parked') AS failed, count(*) FILTER (WHERE lateness_ms > ?) AS late, count(*) AS n, max(lateness_ms) AS worst FROM flows WHERE seq > ? AND state_seq IS NOT NULL AND started_ms >= ? AND started_ms < ? GROUP BY bar`,
    )
    .all(fromMs, barMs, lateMs, oldest, fromMs, untilMs)) {
    const bar = bars[whole(row['bar'])]
    if (bar === undefined) continue
    bar.failed = whole(row['failed'])
    bar.late = Math.max(0, whole(row['late']) - bar.failed)
    bar.onTime = Math.max(0, whole(row['n']) - bar.late - bar.failed)
    bar.worstLatenessMs = Math.max(0, whole(row['worst']))
  }
  const lastUnstarted = whole(db.prepare('SELECT max(revision) AS revision FROM unstarted').get()?.['revision'])
  for (const row of db
    .prepare(
      `SELECT CAST((at_ms - ?) / ? AS INTEGER) AS bar, count(*) FILTER (WHERE outcome = 'missed') AS missed, count(*) FILTER (WHERE outcome = 'parked') AS parked FROM (SELECT at_ms, outcome FROM unstarted WHERE revision <= ? ORDER BY revision DESC LIMIT ?) WHERE at_ms >= ? AND at_ms < ? GROUP BY bar`,
    )
    .all(fromMs, barMs, lastUnstarted, queryLimits.timelineOccurrences, fromMs, untilMs)) {
    const bar = bars[whole(row['bar'])]
    if (bar === undefined) continue
    bar.missed = whole(row['missed'])
    bar.failed += whole(row['parked'])
  }
  const oldestShownMs = db.prepare('SELECT started_ms FROM flows WHERE seq > ? ORDER BY seq LIMIT 1').get(oldest)
  const partial = oldest > 0 && whole(oldestShownMs?.['started_ms']) > fromMs
  return { barMs, bars, partial }
}
