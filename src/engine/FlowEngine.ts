/**
 * Runs flows inside ticks. A flow goes on until it needs something that takes time; then what it did is
 * recorded and it is suspended. What it asked of the outside world is released once that record is durable.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import type { ActiveTick } from './ActiveTick.js'
import {
  assertInvariant,
  CarillonError,
  concernsNode,
  messageOf,
  recordError,
  recordRefusal,
} from '../errors/CarillonError.js'
import { atPlace, definedAt } from '../errors/codePlace.js'
import { engineLimits, type EngineLimits } from './limits.js'
import { showRef } from '../ledger/StateRef.js'
import type { DomainEvent, Waiting } from '../log/events.js'
import { instantFromMillis, latestInstantMs } from '../time/Instant.js'
import type { FlowStart } from '../flow/FlowStart.js'
import { attentionAfterEnd } from '../flow/attentionAfterEnd.js'
import { timedOut, valueAnswer, type Answer, type Wait } from '../flow/Answer.js'
import { clipLabel } from '../flow/clipLabel.js'
import { decideFailure } from '../flow/decideFailure.js'
import { describeOperation } from '../app/describeOperation.js'
import { dropTrailingReads } from './dropTrailingReads.js'
import type { AnyFlowDefinition } from '../app/FlowDefinition.js'
import { consumedRefOf, failureFor } from '../flow/flowFailure.js'
import { giveBackState } from '../flow/heldState.js'
import type { FlowId } from '../log/FlowId.js'
import { hasEnded, type FlowRow } from '../flow/FlowRow.js'
import { LiveFlow, type Stop } from './LiveFlow.js'
import { WatchedCode } from './CodeWatch.js'
import { definitionOf, type Operation } from '../app/Operation.js'
import type { Step } from '../flow/operations/step.js'
import { performOperation } from './performOperation.js'
import { recordable } from '../flow/recordable.js'
import { recordedOf, weightOf } from './recordedOperation.js'
import { replayFlow, startedByOrigin, watchOf } from './replayFlow.js'
import { jitteredWait } from '../flow/RetryPolicy.js'
import { endSessions } from '../session/sessionMessages.js'
import type { StepReport, StepRunner } from '../flow/StepRunner.js'
import { turnIsOver } from './turnIsOver.js'
import {
  isStepUnderWay,
  isTimedOut,
  keepUntil,
  operationWaitOf,
  turnWaitOf,
  waitingFor,
  waitsOf,
} from '../flow/waiting.js'

export class FlowEngine {
  /** Suspended flows whose generators are kept, least recently used first. */
  readonly #live = new Map<FlowId, LiveFlow>()
  /** Flows that were moved in this tick: a rollback makes their generators worthless. */
  #touched = new Set<FlowId>()
  /** Flows that were moved in the tick before, while it is on its way to the disk. */
  #handedOverFlows = new Set<FlowId>()
  readonly #steps: StepRunner
  readonly #limits: EngineLimits
  /** Runs whatever may run code of the app. */
  readonly code: WatchedCode

  constructor(steps: StepRunner, limits: EngineLimits = engineLimits, code = new WatchedCode()) {
    this.#steps = steps
    this.#limits = limits
    this.code = code
  }

  /** Starts a flow. `first` are facts that must be known before its code runs. */
  start(tick: ActiveTick, start: FlowStart, first: readonly DomainEvent[] = []): FlowRow {
    return this.startAs(tick, tick.registry.requireFlow(start.name), start, first)
  }

  /** As {@link start}, with the code it is to run. */
  startAs(
    tick: ActiveTick,
    definition: AnyFlowDefinition,
    { id, input, encodedInput, origin }: FlowStart,
    first: readonly DomainEvent[] = [],
  ): FlowRow {
    tick.emit({
      type: 'FlowStarted',
      flow: id,
      name: definition.name,
      version: definition.version,
      input: encodedInput,
      origin,
    })
    const row = tick.views.flows.find(id)
    assertInvariant(row !== undefined, `flow ${id} was started but is not in the view`)
    for (const event of first) tick.emit(event)
    this.#guard(tick, row, () => {
      const live = new LiveFlow(
        definition,
        definition.version,
        id,
        tick.me,
        tick.network,
        startedByOrigin(origin),
        input,
        watchOf(tick, definition),
      )
      this.#goOn(tick, row, live, live.begin())
    })
    return row
  }

  /** A flow whose time has come: a sleep is over, a retry is due, or it is simply its turn. */
  wake(tick: ActiveTick, row: FlowRow): void {
    // Another flow may have killed it earlier in this very tick.
    if (hasEnded(row) || this.#parksLost(tick, row)) return
    this.#guard(tick, row, () => {
      this.#wake(tick, row)
    })
  }

  /** Whatever goes wrong in moving a flow is that flow's own failure, unless it concerns the node as a whole. */
  #guard(tick: ActiveTick, row: FlowRow, move: () => void): void {
    try {
      this.code.run(row.id, row.name, move)
    } catch (error) {
      if (concernsNode(error) || hasEnded(row)) throw error
      this.#end(tick, row, undefined, { kind: 'threw', error })
    }
  }

  #wake(tick: ActiveTick, row: FlowRow): void {
    const live = this.#bring(tick, row)
    if (live === undefined) return
    const waiting = operationWaitOf(row)
    const { pending } = live.flow
    if (pending === undefined) {
      // The record ends where the code does: it was suspended between its last operation and its end.
      this.#goOn(tick, row, live.flow, live.stop)
      return
    }
    if (waiting?.for === 'instant') {
      this.#answer(tick, row, live.flow, pending, valueAnswer(undefined))
      return
    }
    if (waiting?.for === 'step' && pending.kind === 'step') {
      this.#suspend(tick, row, live.flow, pending, { kind: 'step' }, waiting.attempt)
      return
    }
    this.#goOn(tick, row, live.flow, { kind: 'asks', operation: pending })
  }

  /** A step has come back. Reports of steps nobody waits for any more are dropped. */
  stepFinished(tick: ActiveTick, report: StepReport): void {
    const row = tick.views.flows.find(report.flow)
    if (row === undefined || hasEnded(row) || row.recorded !== report.position) return
    const waiting = operationWaitOf(row)
    if (waiting?.for !== 'step' || waiting.attempt !== report.attempt || !isStepUnderWay(waiting)) return
    this.#guard(tick, row, () => {
      this.#takeReport(tick, row, report)
    })
  }

  #takeReport(tick: ActiveTick, row: FlowRow, report: StepReport): void {
    const brought = this.#bring(tick, row)
    const pending = brought?.flow.pending
    if (brought === undefined || pending?.kind !== 'step') return
    if (report.result.kind === 'value') {
      this.#answerStep(tick, row, brought.flow, pending, this.#checked(pending.name, report.result.value))
      return
    }
    const error = recordError(report.result.error, 'step-failed')
    if (report.attempt < pending.retry.attempts) {
      const retryAt = instantFromMillis(
        Math.min(tick.nowMs + jitteredWait(pending.retry, report.attempt, tick.random.hex), latestInstantMs),
      )
      this.#touched.add(row.id)
      tick.emit({
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
      report.result.error,
    )
    if (pending.thenPark) {
      // Its record stays as it is, so whoever retries the flow begins the tries anew.
      this.#touched.add(row.id)
      const waiting = { for: 'step', ...describeOperation(pending), attempt: 1, error } as const
      tick.emit({ type: 'FlowAdvanced', flow: row.id, operations: [], waiting: [waiting] })
      this.#park(tick, row, failure)
      return
    }
    this.#answerStep(tick, row, brought.flow, pending, { kind: 'error', error: failure })
  }

  /** A paused flow keeps what its step brought, but does not go on. */
  #answerStep(tick: ActiveTick, row: FlowRow, live: LiveFlow, pending: Operation, answer: Answer): void {
    if (row.status === 'running') {
      this.#answer(tick, row, live, pending, answer)
      return
    }
    this.forget(row.id)
    tick.emit({
      type: 'FlowAdvanced',
      flow: row.id,
      operations: [recordedOf({ operation: pending, answer })],
      waiting: [{ for: 'turn' }],
    })
  }

  /** After a restart: runs a step again whose end was never seen. Nothing new is recorded by it. */
  resumeStep(tick: ActiveTick, row: FlowRow): void {
    if (this.#parksLost(tick, row)) return
    this.#guard(tick, row, () => {
      const waiting = operationWaitOf(row)
      const pending = this.#bring(tick, row)?.flow.pending
      if (waiting?.for === 'step' && pending?.kind === 'step') this.#launch(tick, row, pending, waiting.attempt)
    })
  }

  /** Parks a flow whose code never came back; true when it does. */
  #parksLost(tick: ActiveTick, row: FlowRow): boolean {
    const refusal = this.code.refusal(row.id, row.name)
    if (refusal === undefined) return false
    this.#park(tick, row, refusal)
    tick.release(() => {
      this.code.forget(row.id)
    })
    return true
  }

  /** Records what an operator does to a flow. Its generator is rebuilt from the record when it goes on. */
  change(tick: ActiveTick, id: FlowId, events: readonly DomainEvent[]): void {
    this.forget(id)
    for (const event of events) tick.emit(event)
  }

  /** Forgets a generator, so that the flow is rebuilt from its record when it goes on. */
  forget(id: FlowId): void {
    this.#live.delete(id)
  }

  /** The tick is over, and on its way to the disk; another may begin. */
  handedOver(): void {
    this.#handedOverFlows = this.#touched
    this.#touched = new Set()
    this.#trim()
  }

  /** The tick that was handed over stands. */
  pendingCommitted(): void {
    this.#handedOverFlows.clear()
  }

  committed(): void {
    this.#touched.clear()
    this.#trim()
  }

  #trim(): void {
    for (const id of this.#live.keys()) {
      if (this.#live.size <= this.#limits.liveFlows) break
      this.#live.delete(id)
    }
  }

  rolledBack(): void {
    for (const id of [...this.#handedOverFlows, ...this.#touched]) this.#live.delete(id)
    this.#handedOverFlows.clear()
    this.#touched.clear()
  }

  /** The flow's generator at the operation it stands at; parks the flow when its code has gone another way. */
  #bring(tick: ActiveTick, row: FlowRow): { readonly flow: LiveFlow; readonly stop: Stop } | undefined {
    this.#touched.add(row.id)
    const known = this.#live.get(row.id)
    if (known?.pending !== undefined) return { flow: known, stop: { kind: 'asks', operation: known.pending } }
    const replayed = replayFlow(tick, row, tick.views.flows.record(row), waitsOf(row))
    if (isLeft(replayed)) {
      this.#park(tick, row, replayed.left)
      return undefined
    }
    return { flow: replayed.right.live, stop: replayed.right.stop }
  }

  #answer(tick: ActiveTick, row: FlowRow, live: LiveFlow, operation: Operation, answer: Answer): void {
    live.unrecorded.push({ operation, answer })
    live.weight += weightOf(definitionOf(operation), operation, answer)
    live.pending = undefined
    live.useNetwork(tick.network)
    this.#goOn(tick, row, live, live.resume(answer))
  }

  #goOn(tick: ActiveTick, row: FlowRow, live: LiveFlow, from: Stop): void {
    this.#touched.add(row.id)
    let stop = from
    let turn = 0
    while (stop.kind === 'asks') {
      const { operation } = stop
      if (row.recorded + live.unrecorded.length >= this.#limits.operationsPerFlow) {
        const error = new CarillonError(
          'flow-too-long',
          `Flow ${row.name} (${row.id}) has recorded ${this.#limits.operationsPerFlow} operations. Split the work into several flows, or let a state's activity start the next part.`,
          { flow: row.id },
        )
        this.#record(tick, row, live, { for: 'turn' })
        this.#park(tick, row, error)
        return
      }
      const definition = definitionOf(operation)
      if (turnIsOver(tick, turn, live.weight, definition)) {
        live.pending = operation
        this.#record(tick, row, live, { for: 'turn' })
        this.#keep(live)
        return
      }
      turn += 1
      if (operation.kind === 'progress') live.progress = clipLabel(operation.label)
      const answer = this.#answerOrWait(tick, row, live, operation)
      if (answer.kind !== 'value' && answer.kind !== 'error') {
        this.#suspend(tick, row, live, operation, answer, 1)
        return
      }
      live.unrecorded.push({ operation, answer })
      live.weight += weightOf(definition, operation, answer)
      stop = live.resume(answer)
    }
    this.#end(tick, row, live, stop)
  }

  /** Decides an operation. One that the flow stood at already waits no longer than it was to wait at first. */
  #answerOrWait(tick: ActiveTick, row: FlowRow, live: LiveFlow, operation: Operation): Answer | Wait {
    const decided = performOperation(tick, definitionOf(operation), row, operation, live.holdsState)
    if (decided.kind === 'value' || decided.kind === 'error') return decided
    const stoodThere = live.unrecorded.length === 0
    const wait = stoodThere ? keepUntil(decided, row, describeOperation(operation)) : decided
    return isTimedOut(wait, tick.nowMs) ? timedOut : wait
  }

  #suspend(tick: ActiveTick, row: FlowRow, live: LiveFlow, operation: Operation, wait: Wait, attempt: number): void {
    live.pending = operation
    this.#record(tick, row, live, waitingFor(wait, describeOperation(operation), attempt))
    this.#keep(live)
    if (tick.development && !this.#agreesWithRecord(tick, row)) return
    if (operation.kind === 'step') this.#launch(tick, row, operation, attempt)
  }

  /** On a development node: the code, run again from the start, must come to the same place. */
  #agreesWithRecord(tick: ActiveTick, row: FlowRow): boolean {
    const again = replayFlow(tick, row, tick.views.flows.record(row), waitsOf(row))
    if (!isLeft(again)) return true
    this.#park(tick, row, again.left)
    return false
  }

  #launch(tick: ActiveTick, row: FlowRow, operation: Step, attempt: number): void {
    const { id, recorded: position, name: flowName, startedMs: flowStartedMs } = row
    const { term } = tick.views.facts.now
    const context = { idempotencyKey: `${id}.${position}`, attempt, term }
    tick.release(() => {
      const { name, run, timeoutMs } = operation
      const timed = timeoutMs === undefined ? {} : { timeoutMs }
      this.#steps.start({ flow: id, flowName, flowStartedMs, position, name, run, context, ...timed })
    })
  }

  #record(tick: ActiveTick, row: FlowRow, live: LiveFlow, waiting: Waiting): void {
    const operations = live.unrecorded.map(recordedOf)
    live.unrecorded.length = 0
    live.weight = 0
    if (live.holdsState) for (const event of giveBackState(tick, row, [waiting])) tick.emit(event)
    tick.emit({
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

  #park(tick: ActiveTick, row: FlowRow, error: CarillonError): void {
    this.forget(row.id)
    tick.emit({ type: 'FlowParked', flow: row.id, error: recordError(error, 'flow-threw') })
  }

  #end(
    tick: ActiveTick,
    row: FlowRow,
    live: LiveFlow | undefined,
    stop: Exclude<Stop, { readonly kind: 'asks' }>,
  ): void {
    this.forget(row.id)
    if (stop.kind === 'threw' && live !== undefined && this.#keepsFailed(tick, row, live, stop.error)) return
    const parks = stop.kind === 'threw' && stop.error instanceof CarillonError && stop.error.consequence === 'park'
    // A flow that ends in the tick it started in needs no record; one that was suspended keeps its whole story.
    if (live !== undefined && (parks || row.waiting !== null) && live.unrecorded.length > 0)
      this.#record(tick, row, live, { for: 'turn' })
    if (stop.kind === 'threw') {
      this.#fail(tick, row, stop.error)
      return
    }
    try {
      const result = stop.result === undefined ? undefined : recordable(stop.result, this.#limits.flowResultBytes)
      const attentionAt = attentionAfterEnd(tick, row, tick.registry.flow(row.name))
      tick.emit({
        type: 'FlowEnded',
        flow: row.id,
        outcome: 'completed',
        ...(result === undefined ? {} : { result }),
        ...(attentionAt === undefined ? {} : { attentionAt }),
      })
      this.#tell(tick, row, { kind: 'end' })
    } catch (error) {
      if (concernsNode(error)) throw error
      const unfit = new CarillonError(
        'flow-result-invalid',
        `What flow ${row.name} (${row.id}) returned cannot be recorded${atPlace(definedAt(tick.registry.flow(row.name) ?? row))}: ${messageOf(error)} Return plain data.`,
        { flow: row.id },
        error,
      )
      tick.emit({
        type: 'FlowEnded',
        flow: row.id,
        outcome: 'failed',
        error: recordError(unfit, 'flow-result-invalid'),
      })
      this.#tell(tick, row, failureFor(unfit))
    }
  }

  /** Keeps a flow that an error would end, where it may pass or is to be looked at; true when it is kept. */
  #keepsFailed(tick: ActiveTick, row: FlowRow, live: LiveFlow, error: unknown): boolean {
    if (this.#isSuperseded(tick, row, error)) return false
    const tries = turnWaitOf(row)?.attempt ?? 0
    const failure = decideFailure(error, tick.registry.flow(row.name), tries)
    if (failure.kind === 'end') return false
    dropTrailingReads(live.unrecorded)
    if (failure.kind === 'park') {
      this.#record(tick, row, live, { for: 'turn' })
      this.#park(tick, row, failure.error)
      return true
    }
    const { attempt, policy } = failure
    const waitMs = jitteredWait(policy, attempt, tick.random.hex)
    const retryAt = instantFromMillis(Math.min(tick.nowMs + waitMs, latestInstantMs))
    // What was done before the error is done; only the tries in a row at one place are counted.
    const count = live.unrecorded.length === 0 ? attempt : 1
    this.#record(tick, row, live, {
      for: 'turn',
      attempt: count,
      retryAt,
      error: recordError(error, 'flow-threw'),
    })
    return true
  }

  #isSuperseded(tick: ActiveTick, row: FlowRow, error: unknown): boolean {
    if (row.stateSeq === null) return false
    return consumedRefOf(error) === showRef(tick.views.states.get(row.stateSeq).ref)
  }

  #fail(tick: ActiveTick, row: FlowRow, error: unknown): void {
    if (error instanceof CarillonError && error.consequence === 'park') {
      this.#park(tick, row, error)
      return
    }
    // That another was faster is nothing to look for in the code.
    const ending = this.#isSuperseded(tick, row, error)
      ? ({ outcome: 'superseded', error: recordRefusal(error, 'flow-threw') } as const)
      : ({ outcome: 'failed', error: recordError(error, 'flow-threw') } as const)
    tick.emit({ type: 'FlowEnded', flow: row.id, ...ending })
    this.#tell(tick, row, failureFor(error))
  }

  /** Every party the flow still talks to is told that it has ended, and how. */
  #tell(tick: ActiveTick, row: FlowRow, ending: Parameters<typeof endSessions>[2]): void {
    for (const event of endSessions(tick, row, ending)) tick.emit(event)
  }

  #checked(step: string, value: unknown): Answer {
    if (value === undefined) return valueAnswer(undefined)
    try {
      const recorded = recordable(value, this.#limits.stepResultBytes)
      // The flow gets a copy of its own: what it does to it must not reach the record.
      return valueAnswer(recordable(recorded, this.#limits.stepResultBytes), recorded)
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
