/**
 * How often the histories of a simulation met each boundary: a full tick, a second portion, an eviction, a tick that was
 * handed over. A boundary that no history meets is not tested by it.
 */
import type { EncodedTick } from '../../log/Tick.js'
import { engineLimits } from '../../engine/limits.js'
import { joinedLines } from '../../log/Tick.js'
import type { GivenLimits } from '../../node/NodeLimits.js'

/** What is counted. */
export const boundaryNames = [
  'ticks handed over',
  'handed-over ticks that failed',
  'full ticks',
  'full portions of due activities',
  'full portions of woken flows',
  'evictions',
  'starts',
  'power cuts',
  'failed commits',
  'unanswered appends',
  'takeovers',
  'takeovers from a process that is alive',
  'ticks refused to a process that led',
  'rebuilt views',
  'backups of backups restored',
  'changes to a later version of the app',
] as const

/** A boundary that a simulation can meet. */
export type Boundary = (typeof boundaryNames)[number]

/** How often each boundary was met, and beside them what a simulation counts of its own. */
export type BoundaryCounts = Readonly<Record<Boundary, number>> & Readonly<Record<string, number>>

const none = (): Record<Boundary, number> & Record<string, number> =>
  Object.fromEntries(boundaryNames.map((name) => [name, 0])) as Record<Boundary, number>

const startsActivity = (line: string): boolean =>
  line.includes('"type":"FlowStarted"') && line.includes('"kind":"activity"')

export class Boundaries {
  readonly counts = none()
  readonly #limits: { readonly activitiesPerTick: number; readonly wakesPerTick: number; readonly tickBytes: number }

  constructor({ engine }: GivenLimits) {
    this.#limits = { ...engineLimits, ...engine }
  }

  count(boundary: Boundary, times = 1): void {
    this.counts[boundary] += times
  }

  /** A tick is in the log. */
  committed(tick: EncodedTick): void {
    const { activitiesPerTick, wakesPerTick, tickBytes } = this.#limits
    const ofType = (type: string): number => tick.events.filter((line) => line.includes(`"type":"${type}"`)).length
    if (joinedLines(tick.events).length >= tickBytes) this.count('full ticks')
    if (tick.events.filter(startsActivity).length >= activitiesPerTick) this.count('full portions of due activities')
    if (ofType('FlowAdvanced') >= wakesPerTick) this.count('full portions of woken flows')
    this.count('starts', ofType('NodeStarted'))
  }
}

/** The counts of several histories together. */
export const sumOfBoundaries = (all: readonly BoundaryCounts[]): BoundaryCounts => {
  const sum = none()
  for (const counts of all) for (const [name, times] of Object.entries(counts)) sum[name] = (sum[name] ?? 0) + times
  return sum
}
