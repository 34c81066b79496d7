/**
 * How instants, refs, ids and counts are written for people. Whatever is shortened here can be typed back:
 * commands accept the first digits of a ref or an id.
 */
import type { StateRef } from '../ledger/StateRef.js'
import { showSpan } from '../agenda/why.js'
import { toMillis, type Instant } from '../time/Instant.js'

const shownDigits = 12

export const shortRef = (ref: StateRef): string => `${ref.transaction.slice(0, shownDigits)}:${ref.index}`

export const shortId = (id: string): string => id.slice(0, shownDigits)

/** `2026-01-31 09:00:00Z`; milliseconds only where there are some. */
export const showInstant = (at: Instant): string => at.replace('T', ' ').replace('.000Z', 'Z')

/** As {@link showInstant}, to the second: for tables, where a column less says more. */
export const showSecond = (at: Instant): string => `${at.slice(0, 19).replace('T', ' ')}Z`

/** `in 2 h 5 min`, `3.2 s ago`, `now`. */
export const showDistance = (at: Instant, nowMs: number): string => {
  const ms = toMillis(at) - nowMs
  if (ms === 0) return 'now'
  return ms > 0 ? `in ${showSpan(ms)}` : `${showSpan(ms)} ago`
}

export const showCount = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`

/** Any JSON value on one line. */
export const showJson = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value))
