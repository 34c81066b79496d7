/**
 * What a simulation has found: how many histories held, and for those that did not, the shortest one that still fails.
 */
import { showSpan } from '../../agenda/why.js'
import type { BoundaryCounts } from './Boundaries.js'
import type { TraceLine } from './SimulationRun.js'

/** A broken invariant. */
export type Violation = {
  /** The name of the invariant. */
  readonly invariant: string
  /** What speaks against it. */
  readonly what: string
}

/** A seed whose history breaks an invariant. */
export type SimulationFailure = {
  readonly seed: number
  readonly violations: readonly Violation[]
  /** The shortest history found that breaks the same invariant, and what it consists of. */
  readonly shrunk: {
    readonly actions: number
    readonly of: number
    readonly violations: readonly Violation[]
    readonly trace: readonly TraceLine[]
  }
}

/** What a simulation has found. */
export type SimulationReport = {
  readonly seeds: number
  /** Histories that were lived through: one a seed, or as many as orders were tried. */
  readonly orders: number
  /** Whether all orders were tried and none failed; undefined where one was tried for each seed. */
  readonly allOrders: boolean | undefined
  readonly events: number
  readonly transactions: number
  readonly flows: number
  /** How often the histories met each boundary. */
  readonly boundaries: BoundaryCounts
  readonly elapsedMs: number
  readonly failures: readonly SimulationFailure[]
}

/** Violations that are listed; the others follow from the same cause more often than not. */
const mostListed = 5

const list = (violations: readonly Violation[]): readonly string[] => [
  ...violations.slice(0, mostListed).map(({ invariant, what }) => `  - ${invariant}: ${what}`),
  ...(violations.length > mostListed ? [`  and ${violations.length - mostListed} more`] : []),
]

const dayMs = 86_400_000

const clockOf = (ms: number): string => {
  const clock = new Date(ms % dayMs).toISOString().slice(11, 23)
  return ms < dayMs ? clock : `${Math.floor(ms / dayMs)} d ${clock}`
}

/** A failure as lines of text: what is broken, how it came about, and how to see it again. */
export const describeFailure = ({ seed, shrunk }: SimulationFailure, repeat: string): readonly string[] => [
  `Seed ${seed} fails:`,
  ...list(shrunk.violations),
  `The shortest history found that does, ${shrunk.actions} of ${shrunk.of} actions:`,
  ...shrunk.trace.map(({ atMs, what }) => `  ${clockOf(atMs)}  ${what}`),
  `Repeat it: ${repeat}`,
]

const figure = (number: number): string => number.toLocaleString('en', { maximumFractionDigits: 1 })

/** How often each boundary was met, as a sentence. */
export const describeBoundaries = ({ boundaries }: SimulationReport): string =>
  `Boundaries met: ${Object.entries(boundaries)
    .map(([name, times]) => `${figure(times)} ${name}`)
    .join(', ')}.`

/** The sum of a simulation as a sentence. */
export const describeReport = (report: SimulationReport): string => {
  const { orders, allOrders, events, transactions, flows, elapsedMs, failures } = report
  const speed = orders === 1 ? '' : ` (${figure((1_000 * orders) / elapsedMs)} a second)`
  const histories = orders === 1 ? 'history' : 'histories'
  const what =
    allOrders === undefined
      ? histories
      : allOrders
        ? `${histories}, which are all orders,`
        : `${histories}, of more orders,`
  const lived = `${figure(orders)} ${what} in ${showSpan(Math.round(elapsedMs))}${speed}`
  const held = failures.length === 0 ? 'every invariant held' : `${failures.length} failed`
  return `${lived}: ${figure(events)} events, ${figure(transactions)} transactions, ${figure(flows)} flows; ${held}.`
}
