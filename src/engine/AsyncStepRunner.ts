/**
 * Runs steps outside the tick and reports each back to the loop. A bounded number has a place at a time; a step that
 * takes long gives its place to one that waits, so hanging steps stop nobody else's. A step that nobody waits for any
 * more, or that takes longer than it may, is told to stop.
 */
import type { FlowId } from '../log/FlowId.js'
import type { StepReport, StepRequest, StepRunner } from '../flow/StepRunner.js'
import { runCode } from '../ledger/runningCode.js'
import { instantFromMillis, type Instant } from '../time/Instant.js'
import { engineLimits, type EngineLimits } from './limits.js'
import type { Clock } from '../time/Clock.js'
import { WatchedCode } from './CodeWatch.js'
import { guardStepWatch } from './guardStepWatch.js'
import { silentLogger, type Logger } from './Logger.js'
import { Queue } from './Queue.js'
import type { StepEnd, StepWatch, WatchedStep } from './StepWatch.js'

type UnderWay = {
  readonly request: StepRequest
  readonly begunMs: number
  readonly abort: AbortController
  readonly cancelTimeout: () => void
  readonly watched: readonly WatchedStep[]
}

type StepLimits = Pick<EngineLimits, 'stepsInFlight' | 'stepPlaceMs' | 'stepHangsMs'>

/** A step that has been under way for long. It goes on, and its flow waits for it. */
export type HangingStep = {
  readonly flow: FlowId
  readonly flowName: string
  readonly step: string
  /** Which try of the step it is. */
  readonly attempt: number
  readonly since: Instant
}

export class AsyncStepRunner implements StepRunner {
  readonly #clock: Clock
  readonly #limits: StepLimits
  readonly #logger: Logger
  readonly #code: WatchedCode
  readonly #waiting = new Queue<StepRequest>()
  /** In the order in which they have begun. */
  readonly #underWay = new Map<string, UnderWay>()
  /** Those that have a place, in the same order, and when they have begun. */
  readonly #placed = new Map<string, number>()
  /** Those that are not known to hang, in the same order, and when they have begun. */
  readonly #unlisted = new Map<string, number>()
  readonly #hanging = new Map<string, HangingStep>()
  #cancelPlaceTimer: (() => void) | undefined
  #cancelHangTimer: (() => void) | undefined
  readonly #idleWaits = new Set<() => void>()
  /** Each with what it is asked through: it must not fail a step. */
  readonly #watches = new Map<StepWatch, StepWatch>()
  #report: (report: StepReport) => void = () => undefined
  #stopped = false

  constructor(
    clock: Clock,
    logger: Logger = silentLogger,
    limits: StepLimits = engineLimits,
    code = new WatchedCode(),
  ) {
    this.#clock = clock
    this.#limits = limits
    this.#logger = logger
    this.#code = code
  }

  reportTo(report: (report: StepReport) => void): void {
    this.#report = report
  }

  /** Lets someone look on at every step that begins from now on, until the returned function is called. */
  watch(watch: StepWatch): () => void {
    this.#watches.set(watch, guardStepWatch(watch, this.#logger))
    return () => void this.#watches.delete(watch)
  }

  readonly start = (request: StepRequest): void => {
    this.#waiting.push(request)
    this.#fill()
  }

  /** Lets go of one step: the part of the flow that asked for it was cancelled. */
  readonly cancel = (flow: FlowId, part: string | undefined): void => {
    const isCancelled = (request: StepRequest): boolean => request.flow === flow && request.part === part
    this.#waiting.remove(isCancelled)
    for (const [key, { request }] of this.#underWay)
      if (isCancelled(request)) this.#letGo(key, { kind: 'letGo', why: 'It was cancelled.' })
    this.#fill()
    this.#settle()
  }

  get isIdle(): boolean {
    return this.#underWay.size === 0 && this.#waiting.length === 0
  }

  /** The steps under way, in the order in which they have begun. */
  get underWay(): readonly StepRequest[] {
    return [...this.#underWay.values()].map(({ request }) => request)
  }

  /** Steps that have been under way for so long that someone should look at them, oldest first. */
  get hanging(): readonly HangingStep[] {
    return [...this.#hanging.values()]
  }

  idle(): Promise<void> {
    if (this.isIdle) return Promise.resolve()
    return new Promise((resolve) => this.#idleWaits.add(resolve))
  }

  /** Lets go of the steps of flows that have ended: whatever they still bring is of no use. */
  forget(flows: readonly FlowId[]): void {
    if (this.isIdle || flows.length === 0) return
    const ended = new Set(flows)
    this.#waiting.remove(({ flow }) => ended.has(flow))
    for (const [key, { request }] of this.#underWay)
      if (ended.has(request.flow)) this.#letGo(key, { kind: 'letGo', why: 'The flow has ended.' })
    this.#fill()
    this.#settle()
  }

  /** Reports of steps that end from now on are dropped: the next start of the node runs them again. */
  stop(): void {
    this.#stopped = true
    this.#waiting.drain()
    this.#cancelTimers()
    for (const key of [...this.#underWay.keys()]) this.#letGo(key, { kind: 'letGo', why: 'The node has stopped.' })
    for (const watch of [...this.#watches.values()]) watch.stopped()
    this.#settle()
  }

  #fill(): void {
    while (this.#placed.size < this.#limits.stepsInFlight || this.#takePlace()) {
      const request = this.#waiting.take()
      if (request === undefined) return
      const key = `${request.context.idempotencyKey}#${request.context.attempt}`
      if (this.#underWay.has(key)) continue
      const { timeoutMs } = request
      const late = (): void => {
        this.#finish(key, { kind: 'error', error: new Error(`It took longer than ${timeoutMs ?? 0} ms.`) }, true)
      }
      const begunMs = this.#clock.now()
      const underWay = {
        request,
        begunMs,
        abort: new AbortController(),
        cancelTimeout: timeoutMs === undefined ? () => undefined : this.#wakeAt(begunMs + timeoutMs, late),
        watched: [...this.#watches.values()].map((watch) => watch.begin(request)),
      }
      this.#underWay.set(key, underWay)
      this.#placed.set(key, begunMs)
      this.#unlisted.set(key, begunMs)
      this.#watchForHanging()
      void this.#run(key, underWay)
    }
  }

  /** Takes the place of the step that has had one for longest, where another waits for it; or asks again in time. */
  #takePlace(): boolean {
    if (this.#waiting.length === 0) return false
    const [oldest] = this.#placed
    if (oldest === undefined) return false
    const [key, begunMs] = oldest
    const { stepPlaceMs, stepHangsMs } = this.#limits
    const untilMs = begunMs + Math.min(stepPlaceMs, stepHangsMs)
    const nowMs = this.#clock.now()
    // A clock that was set back must not keep anyone waiting for longer.
    if (nowMs >= untilMs || nowMs < begunMs) {
      this.#placed.delete(key)
      return true
    }
    this.#cancelPlaceTimer ??= this.#wakeAt(untilMs, () => {
      this.#cancelPlaceTimer = undefined
      this.#fill()
    })
    return false
  }

  #watchForHanging(): void {
    const [oldest] = this.#unlisted.values()
    if (oldest === undefined || this.#cancelHangTimer !== undefined) return
    this.#cancelHangTimer = this.#wakeAt(oldest + this.#limits.stepHangsMs, () => {
      this.#cancelHangTimer = undefined
      this.#listHanging()
      this.#watchForHanging()
    })
  }

  #listHanging(): void {
    const untilMs = this.#clock.now() - this.#limits.stepHangsMs
    const found: HangingStep[] = []
    for (const [key, begunMs] of this.#unlisted) {
      if (begunMs > untilMs) break
      this.#unlisted.delete(key)
      const request = this.#underWay.get(key)?.request
      if (request === undefined) continue
      const { flow, flowName, name: step, context } = request
      const hanging = { flow, flowName, step, attempt: context.attempt, since: instantFromMillis(begunMs) }
      this.#hanging.set(key, hanging)
      found.push(hanging)
    }
    const [first] = found
    if (first === undefined) return
    const others = found.length === 1 ? '' : `, and ${found.length - 1} more with it`
    this.#logger.warn(
      `Step "${first.step}" of flow ${first.flowName} has been under way since ${first.since}${others}. It holds up its own flow only, and is ended by nobody: give it a timeout, or kill its flow.`,
      { flow: first.flow, steps: found.length },
    )
  }

  #cancelTimers(): void {
    this.#cancelPlaceTimer?.()
    this.#cancelHangTimer?.()
    this.#cancelPlaceTimer = undefined
    this.#cancelHangTimer = undefined
  }

  /** A clock may wake early, and is then asked again. */
  #wakeAt(atMs: number, callback: () => void): () => void {
    let cancel = (): void => undefined
    const wait = (): void => {
      cancel = this.#clock.wakeAt(atMs, () => {
        if (this.#clock.now() >= atMs) callback()
        else wait()
      })
    }
    wait()
    return () => {
      cancel()
    }
  }

  async #run(key: string, { request, abort, watched }: UnderWay): Promise<void> {
    // Up to its first wait a step runs like any other code; after that it has given way.
    const run = (): unknown =>
      this.#code.run(request.flow, request.flowName, () =>
        runCode('step', () => request.run({ ...request.context, signal: abort.signal })),
      )
    try {
      const value = await watched.reduce(
        (inner, { within }) =>
          () =>
            within(inner),
        run,
      )()
      this.#finish(key, { kind: 'value', value })
    } catch (error) {
      this.#finish(key, { kind: 'error', error })
    }
  }

  /** Only the first end of a step counts: its own, or that of its time. */
  #finish(key: string, result: StepReport['result'], isLate = false): void {
    const underWay = this.#underWay.get(key)
    if (underWay === undefined) return
    const { flow, part, position, context } = underWay.request
    this.#letGo(key, result, isLate)
    if (this.#stopped) return
    this.#report({
      flow,
      position,
      attempt: context.attempt,
      result,
      ...(part === undefined ? {} : { part, key: context.idempotencyKey }),
    })
    this.#fill()
    this.#settle()
  }

  #letGo(key: string, end: StepEnd, isLate = false): void {
    const underWay = this.#underWay.get(key)
    if (underWay === undefined) return
    this.#underWay.delete(key)
    this.#placed.delete(key)
    this.#unlisted.delete(key)
    this.#hanging.delete(key)
    underWay.cancelTimeout()
    // What has come to its own end is not told to stop: whoever listens would undo what was done.
    if (end.kind === 'letGo' || isLate)
      underWay.abort.abort(new Error(end.kind === 'letGo' ? end.why : 'The step took too long.'))
    for (const { ended } of underWay.watched) ended(end)
  }

  #settle(): void {
    if (!this.isIdle) return
    this.#cancelTimers()
    for (const resolve of [...this.#idleWaits]) resolve()
    this.#idleWaits.clear()
  }
}
