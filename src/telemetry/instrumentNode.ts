/**
 * A node for OpenTelemetry: a span for each flow and each of its steps, and the same measures as for Prometheus. Only the
 * API is used; where it all goes is decided by the provider that the user has registered, and without one it goes nowhere.
 */
import type { BatchObservableCallback, Meter } from '@opentelemetry/api'
import { endedAs } from '../log/endedAs.js'
import type { FlowId } from '../log/FlowId.js'
import type { Committed } from '../engine/Committed.js'
import type { Node } from '../node/Node.js'
import { FlowSpans } from './FlowSpans.js'
import { openTelemetry } from './libraries.js'
import { measures, readMeasures } from './readMeasures.js'

const name = 'carillon'

/** What is read off the node whenever the reader of the meter asks, each as a gauge. */
const observe = (node: Node, meter: Meter): (() => void) => {
  const gauges = new Map(
    Object.entries(measures).map(([measure, description]) => [
      measure,
      meter.createObservableGauge(`carillon.${measure}`, { description }),
    ]),
  )
  const read: BatchObservableCallback = async (result) => {
    for (const { name: measure, value, labels } of await readMeasures(node)) {
      const gauge = gauges.get(measure)
      if (gauge !== undefined) result.observe(gauge, value, { node: node.party.name, ...labels })
    }
  }
  const all = [...gauges.values()]
  meter.addBatchObservableCallback(read, all)
  return () => meter.removeBatchObservableCallback(read, all)
}

/** Measures and traces a node from now on; the returned function ends it. Register your providers first. */
export const instrumentNode = (node: Node): (() => void) => {
  const meter = openTelemetry().metrics.getMeter(name)
  const labels = { node: node.party.name }
  const ticks = meter.createCounter('carillon.ticks', { description: 'Ticks committed' })
  const events = meter.createCounter('carillon.events', { description: 'Events recorded, by type' })
  const tickEvents = meter.createHistogram('carillon.tick.events', { description: 'Events in one tick' })
  const commit = meter.createHistogram('carillon.commit', { unit: 'ms', description: 'Time a commit took' })
  const lateness = meter.createHistogram('carillon.lateness', {
    unit: 'ms',
    description: 'Effective start minus due instant',
  })
  const ended = meter.createCounter('carillon.flows.ended', { description: 'Flows that have ended, by outcome' })
  const unobserve = observe(node, meter)
  const spans = new FlowSpans(node, name)
  const hear = (committed: Committed): void => {
    ticks.add(1, labels)
    tickEvents.record(committed.size, labels)
    commit.record(node.lastCommitMs, labels)
    for (const [type, count] of committed.tally((event) => event.type)) events.add(count, { ...labels, type })
    for (const [outcome, count] of committed.tally((event) =>
      event.type === 'FlowEnded' ? endedAs(event) : undefined,
    ))
      ended.add(count, { ...labels, outcome })
    for (const latenessMs of committed.latenesses()) lateness.record(latenessMs, labels)
    spans.ended(committed.endedFlows() as readonly FlowId[])
  }
  const unfollow = node.follow(hear)
  const unwatch = node.watchSteps(spans)
  return () => {
    unfollow()
    unwatch()
    unobserve()
    spans.stopped()
  }
}
