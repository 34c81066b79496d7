/**
 * Books the next run: how long the interval is, and from which instant it is counted. Chance enters as a recorded
 * seed, so every booking can be computed again from what the log holds.
 */
import { createHash } from 'node:crypto'
import { instantFromMillis, toMillis, type Instant } from 'carillon'
import type { ChoreConfig } from './ChoreConfig.js'

type Interval = Pick<ChoreConfig, 'intervalSeconds' | 'maxIntervalSeconds'>

export const isRandom = ({ intervalSeconds, maxIntervalSeconds }: Interval): boolean =>
  maxIntervalSeconds !== null && maxIntervalSeconds > intervalSeconds

/** Whole seconds in [interval, maximum], each as likely as any other; exactly the interval where there is no choice. */
export const pickInterval = (interval: Interval, seed: string | null): number => {
  const { intervalSeconds, maxIntervalSeconds } = interval
  if (maxIntervalSeconds === null || maxIntervalSeconds <= intervalSeconds || seed === null) return intervalSeconds
  const choices = maxIntervalSeconds - intervalSeconds + 1
  // 48 bits are exact in a double, and so many more than there are choices that none is favoured noticeably.
  const drawn = createHash('sha256').update(seed).digest().readUIntBE(0, 6)
  return intervalSeconds + (drawn % choices)
}

const lastMs = Date.parse('9999-12-31T23:59:59.999Z')

/** Undefined beyond the end of the calendar. */
const secondsAfter = (from: Instant, seconds: number): Instant | undefined => {
  const atMs = toMillis(from) + seconds * 1000
  return atMs > lastMs ? undefined : instantFromMillis(atMs)
}

/** One interval from now, as for a chore that is enabled. */
export const bookFrom = (now: Instant, interval: Interval, seed: string | null): Instant | undefined =>
  secondsAfter(now, pickInterval(interval, seed))

/** The run after a fire that was due at one instant and happened at another. */
export const bookAfterFire = (
  due: Instant,
  now: Instant,
  config: ChoreConfig,
  seed: string | null,
): Instant | undefined => {
  const seconds = pickInterval(config, seed)
  if (config.countFrom === 'fire') return secondsAfter(now, seconds)
  // Intervals that have passed entirely are left out: one run makes good for all that were missed.
  const missed = Math.max(0, Math.floor((toMillis(now) - toMillis(due)) / (seconds * 1000)))
  return secondsAfter(due, seconds * (missed + 1))
}
