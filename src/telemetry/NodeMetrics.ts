/**
 * A node in numbers, for Prometheus: counted as ticks are committed, and read from the views when someone asks.
 */
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client'
import { countFlows } from '../flow/readFlows.js'
import type { Committed } from '../node/Committed.js'
import type { Node } from '../node/Node.js'
import { countAgenda } from '../scheduler/readAgenda.js'
import { readFacts } from '../views/NodeFacts.js'

const latenessBuckets = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30, 60, 300, 3_600, 86_400]
const commitBuckets = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5]
const sizeBuckets = [1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000]

type Watched = { readonly name: string; readonly node: Node }

const count = (row: Readonly<Record<string, unknown>> | undefined): number => Number(row?.['n'] ?? 0)

/** Metrics of one process: of each of its nodes, labelled by name, and of the process itself. */
export class NodeMetrics {
  readonly #registry = new Registry()
  readonly #watched: Watched[] = []
  readonly #ticks: Counter<'node'>
  readonly #events: Counter<'node' | 'type'>
  readonly #tickEvents: Histogram<'node'>
  readonly #commit: Histogram<'node'>
  readonly #lateness: Histogram<'node'>
  readonly #gauges: ReadonlyMap<string, Gauge>

  constructor() {
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
    const gauge = (name: string, help: string, ...labels: string[]): [string, Gauge] => [
      name,
      new Gauge({ name: `carillon_${name}`, help, labelNames: ['node', ...labels], registers }),
    ]
    this.#gauges = new Map([
      gauge('activities', 'Activities by how they stand', 'standing'),
      gauge('activities_due', 'Activities whose instant has come and that have not been started'),
      gauge('flows', 'Flows that have not ended, by condition', 'status'),
      gauge('unacknowledged_messages', 'Messages other parties have not acknowledged'),
      gauge('log_revision', 'Revision of the last event of the log'),
      gauge('views_revision', 'Revision at which the views stand; behind the log while it is replayed'),
      gauge('term', 'Starts of the node; the term of its lease'),
      gauge('last_tick_timestamp_seconds', 'When the last tick was committed; each one renews the lease'),
      gauge('draining', 'Whether the node drains'),
      gauge('up', 'Whether the node ticks'),
      gauge('trouble', 'Whether the log cannot be written at the moment'),
    ])
    collectDefaultMetrics({ register: this.#registry })
  }

  /** Counts a node from now on, under a name. */
  watch(name: string, node: Node): void {
    this.#watched.push({ name, node })
    node.follow((committed) => this.#hear(name, node, committed))
  }

  #hear(name: string, node: Node, committed: Committed): void {
    this.#ticks.inc({ node: name })
    this.#tickEvents.observe({ node: name }, committed.size)
    this.#commit.observe({ node: name }, node.lastCommitMs / 1_000)
    for (const [type, n] of committed.tally((event) => event.type)) this.#events.inc({ node: name, type }, n)
    for (const latenessMs of committed.latenesses()) this.#lateness.observe({ node: name }, latenessMs / 1_000)
  }

  #set(gauge: string, labels: Readonly<Record<string, string>>, value: number): void {
    this.#gauges.get(gauge)?.set(labels, value)
  }

  async #look({ name, node }: Watched): Promise<void> {
    const labels = { node: name }
    this.#set('up', labels, node.stopped === undefined ? 1 : 0)
    if (node.stopped !== undefined) return
    this.#set('trouble', labels, node.trouble === undefined ? 0 : 1)
    const { nowMs } = node
    const found = await node.readViews((db) => ({
      facts: readFacts(db),
      activities: countAgenda(db),
      flows: countFlows(db),
      due: count(db.prepare('SELECT count(*) AS n FROM states WHERE acts_at_ms <= ?').get(nowMs)),
      unacknowledged: count(db.prepare('SELECT count(*) AS n FROM outbox').get()),
    }))
    for (const [standing, n] of Object.entries(found.activities)) this.#set('activities', { ...labels, standing }, n)
    const { open, parked, paused } = found.flows
    for (const [status, n] of Object.entries({ running: open - parked - paused, parked, paused }))
      this.#set('flows', { ...labels, status }, n)
    this.#set('activities_due', labels, found.due)
    this.#set('unacknowledged_messages', labels, found.unacknowledged)
    this.#set('log_revision', labels, node.head.revision)
    this.#set('views_revision', labels, found.facts.head.revision)
    this.#set('term', labels, found.facts.term)
    this.#set('last_tick_timestamp_seconds', labels, found.facts.atMs / 1_000)
    this.#set('draining', labels, found.facts.draining ? 1 : 0)
  }

  /** Everything, in the text format of Prometheus. */
  async text(): Promise<string> {
    for (const watched of this.#watched) await this.#look(watched)
    return this.#registry.metrics()
  }
}
