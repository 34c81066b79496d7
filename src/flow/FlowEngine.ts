/**
 * Runs flows inside ticks. A flow goes on until it needs something that takes time; then what it did is
 * recorded and it is suspended. What it asked of the outside world is released once that record is durable.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import type { SigningDecision } from '../decision/Decision.js'
import type { Encoded, Json } from '../encoding/canonical.js'
import { assertInvariant, CarillonError, concernsNode, messageOf, recordError } from '../errors/CarillonError.js'
import { limits } from '../limits.js'
import { showRef } from '../ledger/StateRef.js'
import type { FlowOrigin, Waiting } from '../log/events.js'
import { instantFromMillis, latestInstantMs } from '../time/Instant.js'
import { valueAnswer, type Answer, type Wait } from './Answer.js'
import { clipLabel } from './clipLabel.js'
import { decideFailure } from './decideFailure.js'
import { describeOperation } from './describeOperation.js'
import { dropTrailingReads } from './dropTrailingReads.js'
import type { AnyFlowDefinition } from './FlowDefinition.js'
import { consumedRefOf, failureFor } from './flowFailure.js'
import type { FlowId } from '../log/FlowId.js'
import { hasEnded, type FlowRow } from './FlowRow.js'
import { LiveFlow, type Stop } from './LiveFlow.js'
import { definitionOf, type Operation } from './Operation.js'
import type { Step } from './operations/step.js'
import { performOperation } from './performOperation.js'
import { recordable } from './recordable.js'
import { recordedOf, weightOf } from './recordedOperation.js'
import { replayFlow, startedByOrigin } from './replayFlow.js'
import { jitteredWait } from './RetryPolicy.js'
import { endSessions } from './sessionMessages.js'
import type { StepReport, StepRunner } from './StepRunner.js'
import { turnIsOver } from './turnIsOver.js'
import { isStepUnderWay, operationWaitOf, turnWaitOf, waitingFor, waitsOf } from './waiting.js'

export type FlowStart = {
  readonly id: FlowId
  readonly definition: AnyFlowDefinition
  /** Decoded. */
  readonly input: unknown
  /** As recorded. */
  readonly encodedInput: Json | Encoded
  readonly origin: FlowOrigin
}

export class FlowEngine {
  /** Suspended flows whose generators are kept, least recently used first. */
  readonly #live = new Map<FlowId, LiveFlow>()
  /** Flows that were moved in this tick: a rollback makes their generators worthless. */
  #touched = new Set<FlowId>()
  /** Flows that were moved in the tick before, while it is on its way to the disk. */
  #inFlight = new Set<FlowId>()
  readonly #steps: StepRunner

  constructor(steps: StepRunner) {
    this.#steps = steps
  }

  /** Starts a flow. `first` states what must be known before its code runs. */
  start(
    decision: SigningDecision,
    { id, definition, input, encodedInput, origin }: FlowStart,
    first: () => void = () => undefined,
  ): FlowRow {
    decision.emit({
      type: 'FlowStarted',
      flow: id,
      name: definition.name,
      version: definition.version,
      input: encodedInput,
      origin,
    })
    const row = decision.views.flows.find(id)
    assertInvariant(row !== undefined, `flow ${id} was started but is not in the view`)
    first()
    this.#guard(decision, row, () => {
      const live = new LiveFlow(
        definition,
        definition.version,
        id,
        decision.me,
        decision.network,
        startedByOrigin(origin),
        input,
      )
      this.#goOn(decision, row, live, live.begin())
    })
    return row
  }

  /** A flow whose time has come: a sleep is over, a retry is due, or it is simply its turn. */
  wake(decision: SigningDecision, row: FlowRow): void {
    // Another flow may have killed it earlier in this very tick.
    if (hasEnded(row)) return
    this.#guard(decision, row, () => {
      this.#wake(decision, row)
    })
  }

  /** Whatever goes wrong in moving a flow is that flow's own failure, unless it concerns the node as a whole. */
  #guard(decision: SigningDecision, row: FlowRow, move: () => void): void {
    try {
      move()
    } catch (error) {
      if (concernsNode(error) || hasEnded(row)) throw error
      this.#end(decision, row, undefined, { kind: 'threw', error })
    }
  }

  #wake(decision: SigningDecision, row: FlowRow): void {
    const live = this.#bring(decision, row)
    if (live === undefined) return
    const waiting = operationWaitOf(row)
    const { pending } = live.flow
    if (pending === undefined) {
      // The record ends where the code does: it was suspended between its last operation and its end.
      this.#goOn(decision, row, live.flow, live.stop)
      return
    }
    if (waiting?.for === 'instant') {
      this.#answer(decision, row, live.flow, pending, valueAnswer(undefined))
      return
    }
    if (waiting?.for === 'step' && pending.kind === 'step') {
      this.#suspend(decision, row, live.flow, pending, { kind: 'step' }, waiting.attempt)
      return
    }
    this.#goOn(decision, row, live.flow, { kind: 'asks', operation: pending })
  }

  /** A step has come back. Reports of steps nobody waits for any more are dropped. */
  stepFinished(decision: SigningDecision, report: StepReport): void {
    const row = decision.views.flows.find(report.flow)
    if (row === undefined || hasEnded(row) || row.recorded !== report.position) return
    const waiting = operationWaitOf(row)
    if (waiting?.for !== 'step' || waiting.attempt !== report.attempt || !isStepUnderWay(waiting)) return
    this.#guard(decision, row, () => {
      this.#takeReport(decision, row, report)
    })
  }

  #takeReport(decision: SigningDecision, row: FlowRow, report: StepReport): void {
    const brought = this.#bring(decision, row)
    const pending = brought?.flow.pending
    if (brought === undefined || pending?.kind !== 'step') return
    if (report.result.kind === 'value') {
      this.#answerStep(decision, row, brought.flow, pending, this.#checked(pending.name, report.result.value))
      return
    }
    const error = recordError(report.result.error, 'step-failed')
    if (report.attempt < pending.retry.attempts) {
      const retryAt = instantFromMillis(
        Math.min(decision.nowMs + jitteredWait(pending.retry, report.attempt, decision.random.hex), latestInstantMs),
      )
      this.#touched.add(row.id)
      decision.emit({
        type: 'FlowAdvanced',
        flow: row.id,
        operations: [],
        waiting: [{ for: 'step', ...describeOperation(pending), attempt: report.attempt + 1, retryAt, error }],
      })
      return
    }
    const tries = report.attempt === 1 ? 'once' : `${report.attempt} times`
    const failure = new CarillonError(
      'step-failed',
      `Step "${pending.name}" was tried ${tries} and failed: ${error.message}`,
      { step: pending.name, attempts: report.attempt },
    )
    if (pending.thenPark) {
      // Its record stays as it is, so whoever retries the flow begins the tries anew.
      this.#touched.add(row.id)
      const waiting = { for: 'step', ...describeOperation(pending), attempt: 1, error } as const
      decision.emit({ type: 'FlowAdvanced', flow: row.id, operations: [], waiting: [waiting] })
      this.#park(decision, row, failure)
      return
    }
    this.#answerStep(decision, row, brought.flow, pending, { kind: 'error', error: failure })
  }

  /** A paused flow keeps what its step brought, but does not go on. */
  #answerStep(decision: SigningDecision, row: FlowRow, live: LiveFlow, pending: Operation, answer: Answer): void {
    if (row.status === 'running') {
      this.#answer(decision, row, live, pending, answer)
      return
    }
    this.forget(row.id)
    decision.emit({
      type: 'FlowAdvanced',
      flow: row.id,
      operations: [recordedOf({ operation: pending, answer })],
      waiting: [{ for: 'turn' }],
    })
  }

  /** After a restart: runs a step again whose end was never seen. Nothing new is recorded by it. */
  resumeStep(decision: SigningDecision, row: FlowRow): void {
    this.#guard(decision, row, () => {
      const waiting = operationWaitOf(row)
      const pending = this.#bring(decision, row)?.flow.pending
      if (waiting?.for === 'step' && pending?.kind === 'step') this.#launch(decision, row, pending, waiting.attempt)
    })
  }

  /** Forgets a generator, so that the flow is rebuilt from its record when it goes on. */
  forget(id: FlowId): void {
    this.#live.delete(id)
  }

  /** The tick is over, and on its way to the disk; another may begin. */
  handedOver(): void {
    this.#inFlight = this.#touched
    this.#touched = new Set()
    this.#trim()
  }

  /** The tick that was handed over stands. */
  landed(): void {
    this.#inFlight.clear()
  }

  committed(): void {
    this.#touched.clear()
    this.#trim()
  }

  #trim(): void {
    for (const id of this.#live.keys()) {
      if (this.#live.size <= limits.liveFlows) break
      this.#live.delete(id)
    }
  }

  rolledBack(): void {
    for (const id of [...this.#inFlight, ...this.#touched]) this.#live.delete(id)
    this.#inFlight.clear()
    this.#touched.clear()
  }

  /** The flow's generator at the operation it stands at; parks the flow when its code has gone another way. */
  #bring(decision: SigningDecision, row: FlowRow): { readonly flow: LiveFlow; readonly stop: Stop } | undefined {
    this.#touched.add(row.id)
    const known = this.#live.get(row.id)
    if (known?.pending !== undefined) return { flow: known, stop: { kind: 'asks', operation: known.pending } }
    const replayed = replayFlow(decision, row, decision.views.flows.record(row), waitsOf(row))
    if (isLeft(replayed)) {
      this.#park(decision, row, replayed.left)
      return undefined
    }
    return { flow: replayed.right.live, stop: replayed.right.stop }
  }

  #answer(decision: SigningDecision, row: FlowRow, live: LiveFlow, operation: Operation, answer: Answer): void {
    live.unrecorded.push({ operation, answer })
    live.weight += weightOf(definitionOf(operation), operation, answer)
    live.pending = undefined
    live.useNetwork(decision.network)
    this.#goOn(decision, row, live, live.resume(answer))
  }

  #goOn(decision: SigningDecision, row: FlowRow, live: LiveFlow, from: Stop): void {
    this.#touched.add(row.id)
    let stop = from
    let turn = 0
    while (stop.kind === 'asks') {
      const { operation } = stop
      if (row.recorded + live.unrecorded.length >= limits.operationsPerFlow) {
        const error = new CarillonError(
          'flow-too-long',
          `Flow ${row.name} (${row.id}) has recorded ${limits.operationsPerFlow} operations. Split the work into several flows, or let a state's activity start the next part.`,
          { flow: row.id },
        )
        this.#record(decision, row, live, { for: 'turn' })
        this.#park(decision, row, error)
        return
      }
      const definition = definitionOf(operation)
      if (turnIsOver(decision, turn, live.weight, definition)) {
        live.pending = operation
        this.#record(decision, row, live, { for: 'turn' })
        this.#keep(live)
        return
      }
      turn += 1
      if (operation.kind === 'progress') live.progress = clipLabel(operation.label)
      const answer = performOperation(decision, definition, row.id, operation)
      if (answer.kind !== 'value' && answer.kind !== 'error') {
        this.#suspend(decision, row, live, operation, answer, 1)
        return
      }
      live.unrecorded.push({ operation, answer })
      live.weight += weightOf(definition, operation, answer)
      stop = live.resume(answer)
    }
    this.#end(decision, row, live, stop)
  }

  #suspend(
    decision: SigningDecision,
    row: FlowRow,
    live: LiveFlow,
    operation: Operation,
    wait: Wait,
    attempt: number,
  ): void {
    live.pending = operation
    this.#record(decision, row, live, waitingFor(wait, describeOperation(operation), attempt))
    this.#keep(live)
    if (decision.development && !this.#agreesWithRecord(decision, row)) return
    if (operation.kind === 'step') this.#launch(decision, row, operation, attempt)
  }

  /** On a development node: the code, run again from the start, must come to the same place. */
  #agreesWithRecord(decision: SigningDecision, row: FlowRow): boolean {
    const again = replayFlow(decision, row, decision.views.flows.record(row), waitsOf(row))
    if (!isLeft(again)) return true
    this.#park(decision, row, again.left)
    return false
  }

  #launch(decision: SigningDecision, row: FlowRow, operation: Step, attempt: number): void {
    const { id, recorded: position, name: flowName, startedMs: flowStartedMs } = row
    const { term } = decision.views.facts.now
    const context = { idempotencyKey: `${id}.${position}`, attempt, term }
    decision.release(() => {
      const { name, run, timeoutMs } = operation
      const timed = timeoutMs === undefined ? {} : { timeoutMs }
      this.#steps.start({ flow: id, flowName, flowStartedMs, position, name, run, context, ...timed })
    })
  }

  #record(decision: SigningDecision, row: FlowRow, live: LiveFlow, waiting: Waiting): void {
    const operations = live.unrecorded.map(recordedOf)
    live.unrecorded.length = 0
    live.weight = 0
    decision.emit({
      type: 'FlowAdvanced',
      flow: row.id,
      operations,
      waiting: [waiting],
      ...(live.progress === undefined ? {} : { progress: live.progress }),
    })
  }

  #keep(live: LiveFlow): void {
    this.#live.delete(live.id)
    this.#live.set(live.id, live)
  }

  #park(decision: SigningDecision, row: FlowRow, error: CarillonError): void {
    this.forget(row.id)
    decision.emit({ type: 'FlowParked', flow: row.id, error: recordError(error, 'flow-threw') })
  }

  #end(
    decision: SigningDecision,
    row: FlowRow,
    live: LiveFlow | undefined,
    stop: Exclude<Stop, { readonly kind: 'asks' }>,
  ): void {
    this.forget(row.id)
    if (stop.kind === 'threw' && live !== undefined && this.#keepsFailed(decision, row, live, stop.error)) return
    const parks = stop.kind === 'threw' && stop.error instanceof CarillonError && stop.error.consequence === 'park'
    // A flow that ends in the tick it started in needs no record; one that was suspended keeps its whole story.
    if (live !== undefined && (parks || row.waiting !== null) && live.unrecorded.length > 0)
      this.#record(decision, row, live, { for: 'turn' })
    if (stop.kind === 'threw') {
      this.#fail(decision, row, stop.error)
      return
    }
    try {
      const result = stop.result === undefined ? undefined : recordable(stop.result, limits.flowResultBytes)
      decision.emit({
        type: 'FlowEnded',
        flow: row.id,
        outcome: 'completed',
        ...(result === undefined ? {} : { result }),
      })
      endSessions(decision, row, { kind: 'end' })
    } catch (error) {
      if (concernsNode(error)) throw error
      const unfit = new CarillonError(
        'flow-result-invalid',
        `What flow ${row.name} (${row.id}) returned cannot be recorded: ${messageOf(error)}`,
        { flow: row.id },
        error,
      )
      decision.emit({
        type: 'FlowEnded',
        flow: row.id,
        outcome: 'failed',
        error: recordError(unfit, 'flow-result-invalid'),
      })
      endSessions(decision, row, failureFor(unfit))
    }
  }

  /** Keeps a flow that an error would end, where it may pass or is to be looked at; true when it is kept. */
  #keepsFailed(decision: SigningDecision, row: FlowRow, live: LiveFlow, error: unknown): boolean {
    if (this.#isSuperseded(decision, row, error)) return false
    const tries = turnWaitOf(row)?.attempt ?? 0
    const failure = decideFailure(error, decision.registry.flow(row.name), tries)
    if (failure.kind === 'end') return false
    dropTrailingReads(live.unrecorded)
    if (failure.kind === 'park') {
      this.#record(decision, row, live, { for: 'turn' })
      this.#park(decision, row, failure.error)
      return true
    }
    const { attempt, policy } = failure
    const waitMs = jitteredWait(policy, attempt, decision.random.hex)
    const retryAt = instantFromMillis(Math.min(decision.nowMs + waitMs, latestInstantMs))
    // What was done before the error is done; only the tries in a row at one place are counted.
    const count = live.unrecorded.length === 0 ? attempt : 1
    this.#record(decision, row, live, {
      for: 'turn',
      attempt: count,
      retryAt,
      error: recordError(error, 'flow-threw'),
    })
    return true
  }

  #isSuperseded(decision: SigningDecision, row: FlowRow, error: unknown): boolean {
    if (row.stateSeq === null) return false
    return consumedRefOf(error) === showRef(decision.views.states.get(row.stateSeq).ref)
  }

  #fail(decision: SigningDecision, row: FlowRow, error: unknown): void {
    if (error instanceof CarillonError && error.consequence === 'park') {
      this.#park(decision, row, error)
      return
    }
    decision.emit({
      type: 'FlowEnded',
      flow: row.id,
      outcome: this.#isSuperseded(decision, row, error) ? 'superseded' : 'failed',
      error: recordError(error, 'flow-threw'),
    })
    endSessions(decision, row, failureFor(error))
  }

  #checked(step: string, value: unknown): Answer {
    if (value === undefined) return valueAnswer(undefined)
    try {
      const recorded = recordable(value, limits.stepResultBytes)
      // The flow gets a copy of its own: what it does to it must not reach the record.
      return valueAnswer(recordable(recorded, limits.stepResultBytes), recorded)
    } catch (error) {
      return {
        kind: 'error',
        error: new CarillonError(
          'flow-result-invalid',
          `The result of step "${step}" cannot be recorded: ${messageOf(error)} Return plain data, or give the step a result codec.`,
          { step },
          error,
        ),
      }
    }
  }
}
