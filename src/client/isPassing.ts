/**
 * Which errors pass by themselves, and how long to wait before the next attempt.
 */
import { CarillonError } from '../errors/CarillonError.js'

/** The node is away, stops, or cannot record at the moment. */
const passing: ReadonlySet<string> = new Set([
  'address-unavailable',
  'node-stopped',
  'node-following',
  'node-busy',
  'rate-exceeded',
  'log-unreachable',
  'disk-full',
])

/** Refused before anything was done, so that even what counts each time may be sent again. */
const refusedUnread: ReadonlySet<string> = new Set(['node-following', 'node-busy', 'rate-exceeded'])

const hasCodeOf = (error: unknown, codes: ReadonlySet<string>): error is CarillonError =>
  error instanceof CarillonError && codes.has(error.code)

export const isPassing = (error: unknown): error is CarillonError => hasCodeOf(error, passing)

export const wasRefusedUnread = (error: unknown): boolean => hasCodeOf(error, refusedUnread)

const shortestMs = 100
const longestMs = 3_000

/** Doubles with each failure, up to some seconds. Half of it is random, so that many clients do not come back together. */
export const pauseMsBefore = (failures: number, error: CarillonError): number => {
  const asked = error.details['retryAfterSeconds']
  const span = Math.min(shortestMs * 2 ** (failures - 1), longestMs)
  const ms = span / 2 + (Math.random() * span) / 2
  return typeof asked === 'number' ? Math.max(ms, asked * 1_000) : ms
}
