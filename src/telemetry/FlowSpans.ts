/**
 * A span for each flow that ends, and under it one for each try of a step. A flow may be suspended for months and its
 * process restarted, so its span is begun only when there is something to hang under it, and ended with the flow or with
 * the node, whichever comes first: no step is ever left without its parent.
 */
import type { Span, Tracer } from '@opentelemetry/api'
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import type { FlowId } from '../log/FlowId.js'
import type { FlowDetails } from '../flow/FlowSummary.js'
import type { StepRequest } from '../flow/StepRunner.js'
import { showRef } from '../ledger/StateRef.js'
import { openTelemetry } from './libraries.js'
import { telemetryLimits } from './limits.js'
import type { Node } from '../node/Node.js'
import type { StepEnd, StepWatch, WatchedStep } from '../engine/StepWatch.js'
import { toMillis } from '../time/Instant.js'

const unwatched: WatchedStep = { within: (run) => run(), ended: () => undefined }

const attributesOf = ({
  status,
  record,
  startedBy,
  parent,
  continuedAs,
}: FlowDetails): Record<string, string | number> => ({
  'carillon.flow.outcome': status,
  'carillon.flow.operations': record.length,
  ...(parent === undefined ? {} : { 'carillon.flow.parent': parent }),
  ...(continuedAs === undefined ? {} : { 'carillon.flow.continued_as': continuedAs }),
  ...(startedBy.kind === 'activity'
    ? {
        'carillon.state.ref': showRef(startedBy.ref),
        'carillon.lateness_ms': startedBy.latenessMs,
        'carillon.attempt': startedBy.attempt,
      }
    : {}),
})

/** The flow, with all that is known of it at its end. */
const tellEnd = (span: Span, flow: FlowDetails): void => {
  span.setAttributes(attributesOf(flow))
  for (const { at, what, error } of flow.troubles)
    span.addEvent(what, error === undefined ? {} : { 'carillon.error.code': error.code }, toMillis(at))
  if (flow.error !== undefined) {
    span.setAttribute('carillon.error.code', flow.error.code)
    span.setStatus({ code: openTelemetry().SpanStatusCode.ERROR, message: flow.error.message })
  }
  span.end(flow.endedAt === undefined ? undefined : toMillis(flow.endedAt))
}

const tellStepEnd = (span: Span, end: StepEnd, atMs: number): void => {
  if (end.kind === 'letGo') span.setAttribute('carillon.step.let_go', end.why)
  if (end.kind === 'error') {
    const { error } = end
    span.recordException(error instanceof Error ? error : messageOf(error), atMs)
    if (error instanceof CarillonError) span.setAttribute('carillon.error.code', error.code)
    span.setStatus({ code: openTelemetry().SpanStatusCode.ERROR, message: messageOf(error) })
  }
  span.end(atMs)
}

/** The spans of one node, by the node's clock. */
export class FlowSpans implements StepWatch {
  readonly #node: Node
  readonly #api = openTelemetry()
  readonly #tracer: Tracer
  /** Flows that have had steps and have not ended, oldest first. */
  readonly #begun = new Map<FlowId, Span>()
  #traced = false

  constructor(node: Node, scope: string) {
    this.#node = node
    this.#tracer = this.#api.trace.getTracer(scope)
  }

  /** Ends the spans of flows that have ended: of those that had steps, and of so many of the others. */
  ended(flows: readonly FlowId[]): void {
    if (flows.length === 0 || !this.#isTraced()) return
    const others = flows.filter((flow) => !this.#begun.has(flow)).slice(0, telemetryLimits.spansPerTick)
    for (const flow of [...flows.filter((each) => this.#begun.has(each)), ...others])
      // Nobody awaits it, and a span that cannot be made or ended must not end the process.
      this.#end(flow).catch((error: unknown) => {
        this.#api.diag.error(`The span of flow ${flow} failed: ${messageOf(error)}`)
      })
  }

  readonly begin = (request: StepRequest): WatchedStep => {
    if (!this.#isTraced()) return unwatched
    const { name, context: given, part, position } = request
    const { context, ROOT_CONTEXT, trace } = this.#api
    const parent = trace.setSpan(ROOT_CONTEXT, this.#flowOf(request))
    const span = this.#tracer.startSpan(
      `step ${name}`,
      {
        startTime: this.#node.nowMs,
        attributes: {
          'carillon.node': this.#node.party.name,
          'carillon.flow.id': request.flow,
          'carillon.flow.name': request.flowName,
          'carillon.step.name': name,
          'carillon.step.position': position,
          ...(part === undefined ? {} : { 'carillon.step.part': part }),
          'carillon.step.attempt': given.attempt,
          'carillon.step.idempotency_key': given.idempotencyKey,
        },
      },
      parent,
    )
    return {
      // What the step calls is traced under it, where whatever it calls with is instrumented.
      within: (run) => context.with(trace.setSpan(parent, span), run),
      ended: (end) => tellStepEnd(span, end, this.#node.nowMs),
    }
  }

  /** The flows go on with the next start, under spans of their own. */
  readonly stopped = (): void => {
    for (const flow of [...this.#begun.keys()]) this.#endEarly(flow)
  }

  /**
   * Whether someone has registered a provider. Without one, nothing is read from the views for a span. The API has no
   * question for it, but only a provider gives spans an identity; this one is never ended, so it is never told.
   */
  #isTraced(): boolean {
    const { isSpanContextValid, ROOT_CONTEXT } = this.#api
    this.#traced ||= isSpanContextValid(this.#tracer.startSpan('trial', {}, ROOT_CONTEXT).spanContext())
    return this.#traced
  }

  #start(flow: { readonly id: FlowId; readonly name: string; readonly startedMs: number }): Span {
    // A flow has no parent: whatever is under way when it happens to end is not its cause.
    return this.#tracer.startSpan(
      `flow ${flow.name}`,
      {
        startTime: flow.startedMs,
        attributes: {
          'carillon.node': this.#node.party.name,
          'carillon.flow.id': flow.id,
          'carillon.flow.name': flow.name,
        },
      },
      this.#api.ROOT_CONTEXT,
    )
  }

  #flowOf({ flow, flowName, flowStartedMs }: StepRequest): Span {
    const begun = this.#begun.get(flow)
    if (begun !== undefined) return begun
    const span = this.#start({ id: flow, name: flowName, startedMs: flowStartedMs })
    this.#begun.set(flow, span)
    const [oldest] = this.#begun.keys()
    if (this.#begun.size > telemetryLimits.tracedFlows && oldest !== undefined) this.#endEarly(oldest)
    return span
  }

  async #end(id: FlowId): Promise<void> {
    const begun = this.#begun.get(id)
    let flow: FlowDetails | undefined
    try {
      flow = await this.#node.flow(id)
    } catch {
      // A node that stops in this moment can no longer be asked; the log has the flow all the same.
    }
    if (flow === undefined) return
    // It may have been ended with the node meanwhile.
    if (begun !== undefined && !this.#begun.delete(id)) return
    tellEnd(begun ?? this.#start({ id, name: flow.name, startedMs: toMillis(flow.startedAt) }), flow)
  }

  #endEarly(id: FlowId): void {
    const span = this.#begun.get(id)
    this.#begun.delete(id)
    span?.setAttribute('carillon.flow.outcome', 'under way').end(this.#node.nowMs)
  }
}
