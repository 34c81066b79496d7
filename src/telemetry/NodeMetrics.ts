/**
 * A node in numbers, for Prometheus: counted as ticks are committed, and read from the views when someone asks.
 */
import type { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Committed } from '../engine/Committed.js'
import { endedAs } from '../log/endedAs.js'
import type { Node } from '../node/Node.js'
import type { Standby } from '../standby/Standby.js'
import { prometheus } from './libraries.js'
import {
  labelOf,
  measures,
  readMeasures,
  readStandbyMeasures,
  type Measure,
  type ViewMeasures,
} from './readMeasures.js'

const latenessBuckets = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30, 60, 300, 3_600, 86_400]
const commitBuckets = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5]
const sizeBuckets = [1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000]

type Watched = { readonly name: string; readonly read: () => Promise<readonly Measure[]> }

/** Metrics of one process: of each of its nodes, labelled by name, and of the process itself. */
export class NodeMetrics {
  readonly #registry: Registry
  readonly #watched: Watched[] = []
  readonly #ticks: Counter<'node'>
  readonly #events: Counter<'node' | 'type'>
  readonly #tickEvents: Histogram<'node'>
  readonly #commit: Histogram<'node'>
  readonly #lateness: Histogram<'node'>
  readonly #ended: Counter<'node' | 'outcome'>
  readonly #gauges: ReadonlyMap<string, Gauge>
  #underWay: Promise<string> | undefined

  constructor() {
    const { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } = prometheus()
    this.#registry = new Registry()
    const registers = [this.#registry]
    this.#ticks = new Counter({
      name: 'carillon_ticks_total',
      help: 'Ticks committed',
      labelNames: ['node'],
      registers,
    })
    this.#events = new Counter({
      name: 'carillon_events_total',
      help: 'Events recorded, by type',
      labelNames: ['node', 'type'],
      registers,
    })
    this.#tickEvents = new Histogram({
      name: 'carillon_tick_events',
      help: 'Events in one tick',
      labelNames: ['node'],
      buckets: sizeBuckets,
      registers,
    })
    this.#commit = new Histogram({
      name: 'carillon_commit_seconds',
      help: 'Time a commit took until the tick was durable',
      labelNames: ['node'],
      buckets: commitBuckets,
      registers,
    })
    this.#lateness = new Histogram({
      name: 'carillon_lateness_seconds',
      help: 'Effective start minus due instant of each activity',
      labelNames: ['node'],
      buckets: latenessBuckets,
      registers,
    })
    this.#ended = new Counter({
      name: 'carillon_flows_ended_total',
      help: 'Flows that have ended, by outcome',
      labelNames: ['node', 'outcome'],
      registers,
    })
    this.#gauges = new Map(
      Object.entries(measures).map(([name, help]) => [
        name,
        new Gauge({
          name: `carillon_${name}`,
          help,
          labelNames: ['node', ...Object.entries(labelOf).flatMap(([of, label]) => (of === name ? [label] : []))],
          registers,
        }),
      ]),
    )
    collectDefaultMetrics({ register: this.#registry })
  }

  /** Counts a node from now on, under a name. */
  watch(name: string, node: Node): void {
    this.watchBy(name, node)
  }

  /** @internal As watch, with the measures of the views read in another way. */
  watchBy(name: string, node: Node, ofViews?: (node: Node) => Promise<ViewMeasures>): void {
    this.#watched.push({ name, read: () => readMeasures(node, ofViews) })
    node.follow((committed) => this.#hear(name, node, committed))
  }

  /** Counts one of several processes of a node from now on, whenever it leads; and says what it knows otherwise. */
  watchStandby(name: string, standby: Standby): void {
    this.watchStandbyBy(name, standby)
  }

  /** @internal As watchStandby, with the measures of the views read in another way. */
  watchStandbyBy(name: string, standby: Standby, ofViews?: (node: Node) => Promise<ViewMeasures>): void {
    let counted: Node | undefined
    const count = (): void => {
      const { node } = standby
      if (node === undefined || node === counted) return
      counted = node
      node.follow((committed) => this.#hear(name, node, committed))
    }
    standby.onRole(count)
    count()
    const read = (): Promise<readonly Measure[]> =>
      standby.node === undefined ? readStandbyMeasures(standby) : readMeasures(standby.node, ofViews)
    this.#watched.push({ name, read })
  }

  #hear(name: string, node: Node, committed: Committed): void {
    this.#ticks.inc({ node: name })
    this.#tickEvents.observe({ node: name }, committed.size)
    this.#commit.observe({ node: name }, node.lastCommitMs / 1_000)
    for (const [type, n] of committed.tally((event) => event.type)) this.#events.inc({ node: name, type }, n)
    const ended = committed.tally((event) => (event.type === 'FlowEnded' ? endedAs(event) : undefined))
    for (const [outcome, n] of ended) this.#ended.inc({ node: name, outcome }, n)
    for (const latenessMs of committed.latenesses()) this.#lateness.observe({ node: name }, latenessMs / 1_000)
  }

  /** Everything, in the text format of Prometheus. Those who ask at one time are given one answer. */
  text(): Promise<string> {
    this.#underWay ??= this.#text().finally(() => {
      this.#underWay = undefined
    })
    return this.#underWay
  }

  async #text(): Promise<string> {
    const found = await Promise.all(this.#watched.map(async ({ name, read }) => ({ name, read: await read() })))
    // What is no longer known, such as the flows of a node that this process no longer leads, is not told either.
    for (const gauge of this.#gauges.values()) gauge.reset()
    for (const { name, read } of found)
      for (const { name: measure, value, labels } of read)
        this.#gauges.get(measure)?.set({ node: name, ...labels }, value)
    return this.#registry.metrics()
  }
}
