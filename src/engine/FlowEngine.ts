/**
 * Runs flows inside ticks. A flow goes on until it needs something that takes time; then what it did is
 * recorded and it is suspended. What it asked of the outside world is released once that record is durable.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import type { ActiveTick } from './ActiveTick.js'
import { assertInvariant, CarillonError, concernsNode, recordError, recordRefusal } from '../errors/CarillonError.js'
import { engineLimits, type EngineLimits } from './limits.js'
import type { DomainEvent, Waiting } from '../log/events.js'
import { instantFromMillis, latestInstantMs, toMillis } from '../time/Instant.js'
import type { FlowStart } from '../flow/FlowStart.js'
import { timedOut, valueAnswer, type Answer, type Continuation, type Wait } from '../flow/Answer.js'
import { Cancellation } from '../flow/Cancellation.js'
import { cancelOf, flowCancelled } from '../flow/cancelFlow.js'
import { clipLabel } from '../flow/clipLabel.js'
import { decideFailure } from '../flow/decideFailure.js'
import { describeOperation } from '../app/describeOperation.js'
import { dropTrailingReads } from './dropTrailingReads.js'
import type { AnyFlowDefinition } from '../app/FlowDefinition.js'
import { giveBackState } from '../flow/heldState.js'
import type { FlowId } from '../log/FlowId.js'
import { hasEnded, type FlowRow } from '../flow/FlowRow.js'
import type { Ending, FlowPart } from './FlowPart.js'
import { completeFlow, failFlow, isSuperseded, parkWith, recordFailed, tellParties } from './endFlow.js'
import { answerOfStep, keyOfStep, launchStep } from './flowSteps.js'
import { LiveFlows } from './LiveFlows.js'
import { LiveFlow } from './LiveFlow.js'
import { WatchedCode } from './CodeWatch.js'
import { definitionOf, type Operation } from '../app/Operation.js'
import { performOperation } from './performOperation.js'
import { bytesOfWait, recordedOf, unrecordedOf, weightOf } from './recordedOperation.js'
import { replayFlow, startedByOrigin, watchOf } from './replayFlow.js'
import { jitteredWait } from '../flow/RetryPolicy.js'
import { endedParentOf } from '../flow/family.js'
import { endKilled } from '../session/endKilled.js'
import { messageSent } from '../session/sessionMessages.js'
import type { StepReport, StepRunner } from '../flow/StepRunner.js'
import { turnIsOver } from './turnIsOver.js'
import {
  isReady,
  isStepUnderWay,
  isTimedOut,
  keepUntil,
  operationWaitOf,
  retryWaitOf,
  waitingFor,
  waitsAfter,
  waitsOf,
} from '../flow/waiting.js'

const continuedInPart = (row: FlowRow, part: string): Answer => ({
  kind: 'error',
  error: new CarillonError(
    'flow-not-continuable',
    `Part ${part} of flow ${row.name} (${row.id}) cannot continue as another flow; the flow itself can, when its parts have ended.`,
    { flow: row.id, part },
  ),
})

export class FlowEngine {
  /** Generators of suspended flows. */
  readonly live: LiveFlows
  readonly #steps: StepRunner
  readonly #limits: EngineLimits
  /** Runs whatever may run code of the app. */
  readonly code: WatchedCode

  constructor(steps: StepRunner, limits: EngineLimits = engineLimits, code = new WatchedCode()) {
    this.#steps = steps
    this.#limits = limits
    this.code = code
    this.live = new LiveFlows(limits.liveFlows)
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
      live.begin()
      this.#goOn(tick, row, live)
    })
    return row
  }

  /** A flow whose time has come: a sleep is over, a retry is due, or it is simply its turn. */
  wake(tick: ActiveTick, row: FlowRow): void {
    // Another flow may have killed it earlier in this very tick.
    if (hasEnded(row) || this.#killsCancelled(tick, row)) return
    this.#cancelsWithParent(tick, row)
    if (this.#parksLost(tick, row)) return
    this.#guard(tick, row, () => {
      this.#wake(tick, row)
    })
    // It may have ended its parent itself.
    this.#cancelsWithParent(tick, row)
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
    live.useNetwork(tick.network)
    const cancel = cancelOf(row)
    if (cancel === undefined || cancel.thrown === true) this.#enqueueDue(tick, row, live)
    else this.#cancel(live, cancel.by)
    this.#goOn(tick, row, live)
  }

  /** Kills a flow that was cancelled and has not come to its end in time; true when it does. */
  #killsCancelled(tick: ActiveTick, row: FlowRow): boolean {
    const cancel = cancelOf(row)
    if (cancel === undefined || toMillis(cancel.until) > tick.nowMs) return false
    const { by, until } = cancel
    const why = `Cancelled by ${by}. It had not ended by ${until}, so it was killed.`
    this.change(tick, row.id, endKilled(tick, row, by, why))
    return true
  }

  #cancel(live: LiveFlow, by: string): void {
    const { ending } = live
    const cause = ending?.kind === 'threw' ? ending.error : undefined
    const error = new Cancellation(`Cancelled by ${by}.`, { by }, cause)
    if (ending !== undefined) {
      // It has nothing left to undo, and is not tried again in spite of the error that it ends with.
      if (ending.kind === 'threw') live.ending = { kind: 'threw', error }
      return
    }
    live.unrecorded.push({ operation: { kind: 'cancelled', by }, answer: { kind: 'error', error } })
    live.cancel(recordRefusal(error, 'flow-cancelled'))
  }

  /**
   * Which parts of a woken flow are looked at: instants that have come are answered, steps whose next try is due run again,
   * and whatever else is waited for is decided anew.
   */
  #enqueueDue(tick: ActiveTick, row: FlowRow, live: LiveFlow): void {
    live.tryAgain(tick.nowMs)
    for (const part of live.openParts()) {
      const { waiting } = part
      if (waiting === undefined) continue
      if (waiting.for === 'instant') {
        if (toMillis(waiting.until) <= tick.nowMs) live.enqueue(part, valueAnswer(undefined))
      } else if (waiting.for === 'step') {
        // Steps of a flow that was held are under way no more.
        const isDue = waiting.retryAt === undefined ? row.stepsUnderWay === 0 : toMillis(waiting.retryAt) <= tick.nowMs
        if (isDue) live.wait(part, this.#waitForStep(part, waiting.attempt))
      } else live.enqueue(part)
    }
  }

  /** Decides anew whatever is waited for that may be recorded by now. */
  #enqueueWaiting(live: LiveFlow): void {
    for (const part of live.openParts())
      if (part.waiting !== undefined && part.waiting.for !== 'instant' && part.waiting.for !== 'step')
        live.enqueue(part)
  }

  #waitForStep({ pending, path }: FlowPart, attempt: number): Waiting {
    assertInvariant(pending !== undefined, 'a part waits for a step and stands at no operation')
    return waitingFor({ kind: 'step' }, describeOperation(pending, path), attempt)
  }

  /** A step has come back. Reports of steps nobody waits for any more are dropped. */
  stepFinished(tick: ActiveTick, report: StepReport): void {
    const row = tick.views.flows.find(report.flow)
    if (row === undefined || hasEnded(row)) return
    if (report.part === undefined && row.recorded !== report.position) return
    // It is woken for its cancellation; what the step brought comes too late.
    if (this.#cancelsWithParent(tick, row)) return
    const waiting = operationWaitOf(row, report.part)
    if (waiting?.for !== 'step' || waiting.attempt !== report.attempt || !isStepUnderWay(waiting)) return
    this.#guard(tick, row, () => {
      this.#takeReport(tick, row, report)
    })
    this.#cancelsWithParent(tick, row)
  }

  #takeReport(tick: ActiveTick, row: FlowRow, report: StepReport): void {
    const live = this.#bring(tick, row)
    const part = live?.part(report.part)
    const pending = part?.pending
    if (live === undefined || part === undefined || pending?.kind !== 'step') return
    if (report.part !== undefined && report.key !== keyOfStep(row, part)) return
    live.useNetwork(tick.network)
    if (report.result.kind === 'value') {
      this.#answerStep(
        tick,
        row,
        live,
        part,
        answerOfStep(pending.name, report.result.value, this.#limits.stepResultBytes),
      )
      return
    }
    const error = recordError(report.result.error, 'step-failed')
    if (report.attempt < pending.retry.attempts) {
      const retryAt = instantFromMillis(
        Math.min(tick.nowMs + jitteredWait(pending.retry, report.attempt, tick.random.hex), latestInstantMs),
      )
      const attempt = report.attempt + 1
      live.wait(part, { for: 'step', ...describeOperation(pending, part.path), attempt, retryAt, error })
      this.#goOnUnlessHeld(tick, row, live)
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
      live.wait(part, { for: 'step', ...describeOperation(pending, part.path), attempt: 1, error })
      this.#record(tick, row, live)
      this.#park(tick, row, failure)
      return
    }
    this.#answerStep(tick, row, live, part, { kind: 'error', error: failure })
  }

  /** A flow that is held keeps what its step brought, but does not go on. */
  #answerStep(tick: ActiveTick, row: FlowRow, live: LiveFlow, part: FlowPart, answer: Answer): void {
    const { pending, path } = part
    if (row.status === 'running' && pending !== undefined) {
      this.#answer(live, part, pending, answer)
      this.#goOnUnlessHeld(tick, row, live)
      return
    }
    this.live.forget(row.id)
    if (pending === undefined) return
    tick.emit({
      type: 'FlowAdvanced',
      flow: row.id,
      operations: [recordedOf(unrecordedOf(pending, answer, path))],
      waiting: [retryWaitOf(row) ?? { for: 'turn' }],
      ...(path === undefined ? {} : { over: [path] }),
    })
  }

  /** Goes on with a flow that has moved, and with those of its parts whose time has come too. */
  #goOnUnlessHeld(tick: ActiveTick, row: FlowRow, live: LiveFlow): void {
    if (row.status !== 'running') {
      this.#record(tick, row, live)
      this.live.forget(row.id)
      return
    }
    if (row.wakeMs !== null && (row.wakeMs <= tick.nowMs || isReady(row))) this.#enqueueDue(tick, row, live)
    this.#goOn(tick, row, live)
  }

  /** After a restart: runs the steps again whose end was never seen. Nothing new is recorded by it. */
  resumeStep(tick: ActiveTick, row: FlowRow): void {
    if (this.#parksLost(tick, row)) return
    this.#guard(tick, row, () => {
      const live = this.#bring(tick, row)
      for (const part of live?.openParts() ?? []) launchStep(tick, this.#steps, row, part)
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
    this.live.forget(id)
    for (const event of events) tick.emit(event)
  }

  /** The flow's generators at the operations they stand at; parks the flow when its code has gone another way. */
  #bring(tick: ActiveTick, row: FlowRow): LiveFlow | undefined {
    this.live.move(row.id)
    const known = this.live.find(row.id)
    if (known !== undefined) return known
    const replayed = replayFlow(tick, row, tick.views.flows.record(row), waitsOf(row))
    if (isLeft(replayed)) {
      this.#park(tick, row, replayed.left)
      return undefined
    }
    const { live } = replayed.right
    const retry = retryWaitOf(row)
    if (retry !== undefined && toMillis(retry.retryAt) > tick.nowMs) live.holdBack(retry)
    return live
  }

  #answer(live: LiveFlow, part: FlowPart, operation: Operation, answer: Answer): void {
    live.unrecorded.push(unrecordedOf(operation, answer, part.path))
    live.weight += weightOf(definitionOf(operation), operation, answer)
    live.answer(part, answer)
  }

  /** Lets every part go on that can, one after the other in the order of their paths, until each of them waits. */
  #goOn(tick: ActiveTick, row: FlowRow, live: LiveFlow): void {
    this.live.move(row.id)
    let turn = 0
    let hasStated = false
    for (;;) {
      if (live.next === undefined && hasStated) {
        // What one part has stated another may wait for, whose wait the views do not know yet.
        this.#enqueueWaiting(live)
        hasStated = false
      }
      const part = live.next
      if (part === undefined) break
      const { pending: operation, given } = part
      assertInvariant(operation !== undefined, 'a part is to go on and stands at no operation')
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
        this.#launchAll(tick, row, this.#record(tick, row, live, { for: 'turn' }))
        this.live.keep(live)
        return
      }
      if (operation.kind === 'progress') live.progress = clipLabel(operation.label)
      const answer = given ?? this.#answerOrWait(tick, row, live, part, operation)
      if (answer.kind === 'continuation') {
        this.#continue(tick, row, live, answer)
        return
      }
      if (answer.kind === 'value' || answer.kind === 'error') this.#answer(live, part, operation, answer)
      // One that waits on as before takes nothing of the turn: however many do, the others come to theirs.
      else if (!live.waitOn(part, waitingFor(answer, describeOperation(operation, part.path), 1))) continue
      else if (part.path !== undefined) live.weight += bytesOfWait
      turn += 1
      hasStated ||= definition.statesFacts && live.hasParts
    }
    if (live.ending === undefined) this.#suspend(tick, row, live)
    else this.#end(tick, row, live, live.ending)
  }

  /** Ends a flow, and starts the one that it continues as, which takes its first turn like one that is woken. */
  #continue(tick: ActiveTick, row: FlowRow, live: LiveFlow, { started }: Continuation): void {
    this.live.forget(row.id)
    if (row.waiting !== null && live.unrecorded.length > 0) this.#record(tick, row, live, { for: 'turn' })
    tick.emit({ type: 'FlowEnded', flow: row.id, outcome: 'continued', next: started.flow })
    tellParties(tick, row, { kind: 'end' })
    tick.emit(started)
  }

  /** Cancels a flow whose parent has ended, where it is to end with it and is not cancelled yet; true when it does. */
  #cancelsWithParent(tick: ActiveTick, row: FlowRow): boolean {
    const parent = hasEnded(row) ? undefined : endedParentOf(tick.views, row)
    if (parent === undefined || cancelOf(row) !== undefined) return false
    this.change(tick, row.id, [flowCancelled(tick, row, `flow:${parent.id}`)])
    return true
  }

  /** Decides an operation. One that a part stood at already waits no longer than it was to wait at first. */
  #answerOrWait(
    tick: ActiveTick,
    row: FlowRow,
    live: LiveFlow,
    part: FlowPart,
    operation: Operation,
  ): Answer | Continuation | Wait {
    const decided = performOperation(tick, definitionOf(operation), row, operation, live.holdsState)
    if (decided.kind === 'value' || decided.kind === 'error') return decided
    if (decided.kind === 'continuation') return part.path === undefined ? decided : continuedInPart(row, part.path)
    const wait = keepUntil(decided, part.waiting)
    return isTimedOut(wait, tick.nowMs) ? timedOut : wait
  }

  #suspend(tick: ActiveTick, row: FlowRow, live: LiveFlow): void {
    const fresh = this.#record(tick, row, live)
    this.live.keep(live)
    if (tick.development && !this.#agreesWithRecord(tick, row)) return
    this.#launchAll(tick, row, fresh)
  }

  /** On a development node: the code, run again from the start, must come to the same place. */
  #agreesWithRecord(tick: ActiveTick, row: FlowRow): boolean {
    const again = replayFlow(tick, row, tick.views.flows.record(row), waitsOf(row))
    if (!isLeft(again)) return true
    this.#park(tick, row, again.left)
    return false
  }

  #launchAll(tick: ActiveTick, row: FlowRow, parts: readonly FlowPart[]): void {
    for (const part of parts) launchStep(tick, this.#steps, row, part)
  }

  /** Records what was done and what the flow waits for; gives the parts that have begun to wait. */
  #record(tick: ActiveTick, row: FlowRow, live: LiveFlow, held?: Waiting): readonly FlowPart[] {
    this.live.move(row.id)
    this.#closeSessions(tick, live)
    const operations = live.unrecorded.map(recordedOf)
    live.unrecorded.length = 0
    live.weight = 0
    const { waiting, over, fresh } = live.takeWaits(held)
    if (live.givesStateBack) {
      const waits = waitsAfter(over === undefined ? undefined : waitsOf(row), { waiting, over })
      for (const event of giveBackState(tick, row, waits)) tick.emit(event)
    }
    tick.emit({
      type: 'FlowAdvanced',
      flow: row.id,
      operations,
      waiting,
      ...(over === undefined ? {} : { over }),
      ...(live.progress === undefined ? {} : { progress: live.progress }),
    })
    for (const part of live.takeDroppedSteps())
      tick.release(() => {
        this.#steps.cancel?.(row.id, part)
      })
    return fresh
  }

  /** Whoever talked with a part that was cancelled is told. */
  #closeSessions(tick: ActiveTick, live: LiveFlow): void {
    for (const id of live.takeClosedSessions()) {
      const session = tick.views.sessions.find(id, 'initiator')
      if (session === undefined || session.closed) continue
      const message = { kind: 'error', code: 'flow-cancelled', message: 'The part of the flow was cancelled.' } as const
      tick.emit(messageSent(session, message))
    }
  }

  #park(tick: ActiveTick, row: FlowRow, error: CarillonError): void {
    this.live.forget(row.id)
    parkWith(tick, row, error)
  }

  #end(tick: ActiveTick, row: FlowRow, live: LiveFlow | undefined, stop: Ending): void {
    this.live.forget(row.id)
    if (stop.kind === 'threw' && live !== undefined && this.#keepsFailed(tick, row, live, stop.error)) return
    const parks = stop.kind === 'threw' && stop.error instanceof CarillonError && stop.error.consequence === 'park'
    // A flow that ends in the tick it started in needs no record; one that was suspended keeps its whole story.
    if (live !== undefined && (parks || row.waiting !== null) && live.unrecorded.length > 0)
      this.#record(tick, row, live, { for: 'turn' })
    if (stop.kind === 'threw') {
      failFlow(tick, row, stop.error)
      return
    }
    completeFlow(tick, row, stop.result, this.#limits.flowResultBytes)
  }

  /** Keeps a flow that an error would end, where it may pass or is to be looked at; true when it is kept. */
  #keepsFailed(tick: ActiveTick, row: FlowRow, live: LiveFlow, error: unknown): boolean {
    // One that is being cancelled comes to its end, whatever its definition says of errors.
    if (error instanceof Cancellation || cancelOf(row) !== undefined) return false
    if (isSuperseded(tick, row, error)) return false
    const tries = retryWaitOf(row)?.attempt ?? 0
    const failure = decideFailure(error, tick.registry.flow(row.name), tries)
    if (failure.kind === 'end') return false
    dropTrailingReads(live.unrecorded)
    if (failure.kind === 'park') {
      recordFailed(tick, row, live, { for: 'turn' })
      this.#park(tick, row, failure.error)
      return true
    }
    const { attempt, policy } = failure
    const waitMs = jitteredWait(policy, attempt, tick.random.hex)
    const retryAt = instantFromMillis(Math.min(tick.nowMs + waitMs, latestInstantMs))
    // What was done before the error is done; only the tries in a row at one place are counted, whatever other parts do.
    const hasMoved = live.unrecorded.some(({ part }) => {
      const ending = live.endingOf(part)
      return ending?.kind === 'threw' && !(ending.error instanceof Cancellation)
    })
    const count = hasMoved ? 1 : attempt
    const told = recordError(error, 'flow-threw')
    recordFailed(tick, row, live, { for: 'turn', attempt: count, retryAt, error: told })
    return true
  }
}
