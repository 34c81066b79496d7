/**
 * How instants, spans, refs and counts are written on the page.
 */
import type { StateRef } from '../http/answers.js'

export const shownRef = (ref: StateRef): string => `${ref.transaction.slice(0, 10)}:${ref.index}`
export const wholeRef = (ref: StateRef): string => `${ref.transaction}:${ref.index}`
export const shownId = (id: string): string => id.slice(0, 10)

export const count = (value: number): string => value.toLocaleString('en')

const units: readonly (readonly [ms: number, name: string])[] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
]

export const span = (ms: number): string => {
  const abs = Math.abs(ms)
  if (abs < 1_000) return `${Math.round(abs)} ms`
  const index = units.findIndex(([size]) => abs >= size)
  const [size, name] = units[index] ?? [1, 'ms']
  const whole = Math.floor(abs / size)
  const [nextSize, nextName] = units[index + 1] ?? [0, '']
  const rest = nextSize === 0 ? 0 : Math.floor((abs - whole * size) / nextSize)
  if (name === 's') return `${(abs / 1_000).toFixed(abs < 10_000 ? 1 : 0)} s`
  return rest === 0 || whole >= 10 ? `${whole} ${name}` : `${whole} ${name} ${rest} ${nextName}`
}

export const distance = (at: string, nowMs: number): string => {
  const ms = Date.parse(at) - nowMs
  if (Math.abs(ms) < 500) return 'now'
  return ms > 0 ? `in ${span(ms)}` : `${span(ms)} ago`
}

export const lateness = (ms: number): string => (ms < 1 ? 'on time' : `${span(ms)} late`)

/** `2026-01-31 09:00:00`, in UTC as in the log. */
export const shownInstant = (at: string): string => at.slice(0, 19).replace('T', ' ')
export const clock = (at: string): string => at.slice(11, 19)

/** A sentence of the node, with ids cut short and instants written as everywhere on the page. */
export const readable = (text: string): string =>
  text
    .replaceAll(/\b([0-9a-f]{10})[0-9a-f]{22,54}\b/g, '$1…')
    .replaceAll(/(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z/g, '$1 $2')

/** The last part of a name such as `heartbeat/Beat`. */
export const lastName = (name: string): string => name.split('/').at(-1) ?? name

export const json = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value))
