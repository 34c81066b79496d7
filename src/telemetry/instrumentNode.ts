/**
 * A node for OpenTelemetry: a span for each flow that ends, and the same measures as for Prometheus. Only the API is
 * used; where it all goes is decided by the provider that the user has registered, and without one it goes nowhere.
 */
import { metrics, SpanStatusCode, trace, type BatchObservableCallback, type Meter } from '@opentelemetry/api'
import { messageOf } from '../errors/CarillonError.js'
import type { FlowId } from '../flow/FlowId.js'
import type { FlowDetails } from '../flow/readFlows.js'
import { showRef } from '../ledger/StateRef.js'
import type { Committed } from '../node/Committed.js'
import type { Node } from '../node/Node.js'
import { toMillis } from '../time/Instant.js'
import { measures, readMeasures } from './readMeasures.js'

const name = 'carillon'
/** Flows of one tick that get a span; a catch-up of thousands is told by the measures. */
const spansPerTick = 100

const spanOf = (flow: FlowDetails, node: Node): void => {
  const { startedBy } = flow
  const span = trace.getTracer(name).startSpan(`flow ${flow.name}`, {
    startTime: toMillis(flow.startedAt),
    attributes: {
      'carillon.node': node.party.name,
      'carillon.flow.id': flow.id,
      'carillon.flow.name': flow.name,
      'carillon.flow.outcome': flow.status,
      'carillon.flow.operations': flow.record.length,
      ...(startedBy.kind === 'activity'
        ? {
            'carillon.state.ref': showRef(startedBy.ref),
            'carillon.lateness_ms': startedBy.latenessMs,
            'carillon.attempt': startedBy.attempt,
          }
        : {}),
    },
  })
  for (const { at, what, error } of flow.troubles)
    span.addEvent(what, error === undefined ? {} : { 'carillon.error.code': error.code }, toMillis(at))
  if (flow.error !== undefined) {
    span.setAttribute('carillon.error.code', flow.error.code)
    span.setStatus({ code: SpanStatusCode.ERROR, message: flow.error.message })
  }
  span.end(flow.endedAt === undefined ? undefined : toMillis(flow.endedAt))
}

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
  const meter = metrics.getMeter(name)
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
  const hear = (committed: Committed): void => {
    ticks.add(1, labels)
    tickEvents.record(committed.size, labels)
    commit.record(node.lastCommitMs, labels)
    for (const [type, count] of committed.tally((event) => event.type)) events.add(count, { ...labels, type })
    for (const [outcome, count] of committed.tally((event) => (event.type === 'FlowEnded' ? event.outcome : undefined)))
      ended.add(count, { ...labels, outcome })
    for (const latenessMs of committed.latenesses()) lateness.record(latenessMs, labels)
    for (const id of committed.endedFlows().slice(0, spansPerTick))
      node.flow(id as FlowId).then(
        (flow) => {
          if (flow !== undefined) spanOf(flow, node)
        },
        // A node that stops in this moment can no longer be asked; the log has the flow all the same.
        (error: unknown) => messageOf(error),
      )
  }
  const unfollow = node.follow(hear)
  return () => {
    unfollow()
    unobserve()
  }
}
