/**
 * Runs steps outside the tick, a bounded number at a time, and reports each back to the loop. A step that nobody
 * waits for any more, or that takes longer than it may, is told to stop and gives its place to another.
 */
import type { FlowId } from '../log/FlowId.js'
import type { StepReport, StepRequest, StepRunner } from '../flow/StepRunner.js'
import { runCode } from '../ledger/runningCode.js'
import { engineLimits, type EngineLimits } from './limits.js'
import type { Clock } from '../time/Clock.js'
import { WatchedCode } from './CodeWatch.js'
import { guardStepWatch } from './guardStepWatch.js'
import { silentLogger, type Logger } from './Logger.js'
import { Queue } from './Queue.js'
import type { StepEnd, StepWatch, WatchedStep } from './StepWatch.js'

type UnderWay = {
  readonly request: StepRequest
  readonly abort: AbortController
  readonly cancelTimeout: () => void
  readonly watched: readonly WatchedStep[]
}

export class AsyncStepRunner implements StepRunner {
  readonly #clock: Clock
  readonly #stepsInFlight: number
  readonly #logger: Logger
  readonly #code: WatchedCode
  readonly #waiting = new Queue<StepRequest>()
  readonly #underWay = new Map<string, UnderWay>()
  readonly #idleWaits = new Set<() => void>()
  /** Each with what it is asked through: it must not fail a step. */
  readonly #watches = new Map<StepWatch, StepWatch>()
  #report: (report: StepReport) => void = () => undefined
  #stopped = false

  constructor(
    clock: Clock,
    logger: Logger = silentLogger,
    { stepsInFlight }: EngineLimits = engineLimits,
    code = new WatchedCode(),
  ) {
    this.#clock = clock
    this.#stepsInFlight = stepsInFlight
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

  get isIdle(): boolean {
    return this.#underWay.size === 0 && this.#waiting.length === 0
  }

  idle(): Promise<void> {
    if (this.isIdle) return Promise.resolve()
    return new Promise((resolve) => this.#idleWaits.add(resolve))
  }

  /** Lets go of the steps of flows that have ended: whatever they still bring is of no use. */
  forget(flows: readonly FlowId[]): void {
    if (this.#underWay.size === 0 || flows.length === 0) return
    const ended = new Set(flows)
    for (const [key, { request }] of this.#underWay)
      if (ended.has(request.flow)) this.#letGo(key, { kind: 'letGo', why: 'The flow has ended.' })
    this.#fill()
    this.#settle()
  }

  /** Reports of steps that end from now on are dropped: the next start of the node runs them again. */
  stop(): void {
    this.#stopped = true
    this.#waiting.drain()
    for (const key of [...this.#underWay.keys()]) this.#letGo(key, { kind: 'letGo', why: 'The node has stopped.' })
    for (const watch of [...this.#watches.values()]) watch.stopped()
    this.#settle()
  }

  #fill(): void {
    while (this.#underWay.size < this.#stepsInFlight) {
      const request = this.#waiting.take()
      if (request === undefined) return
      const key = `${request.context.idempotencyKey}#${request.context.attempt}`
      if (this.#underWay.has(key)) continue
      const { timeoutMs } = request
      const late = (): void => {
        this.#finish(key, { kind: 'error', error: new Error(`It took longer than ${timeoutMs ?? 0} ms.`) })
      }
      const underWay = {
        request,
        abort: new AbortController(),
        cancelTimeout: timeoutMs === undefined ? () => undefined : this.#wakeAt(this.#clock.now() + timeoutMs, late),
        watched: [...this.#watches.values()].map((watch) => watch.begin(request)),
      }
      this.#underWay.set(key, underWay)
      void this.#run(key, underWay)
    }
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
  #finish(key: string, result: StepReport['result']): void {
    const underWay = this.#underWay.get(key)
    if (underWay === undefined) return
    const { flow, position, context } = underWay.request
    this.#letGo(key, result)
    if (this.#stopped) return
    this.#report({ flow, position, attempt: context.attempt, result })
    this.#fill()
    this.#settle()
  }

  #letGo(key: string, end: StepEnd): void {
    const underWay = this.#underWay.get(key)
    if (underWay === undefined) return
    this.#underWay.delete(key)
    underWay.cancelTimeout()
    underWay.abort.abort(new Error(end.kind === 'letGo' ? end.why : 'The step took too long.'))
    for (const { ended } of underWay.watched) ended(end)
  }

  #settle(): void {
    if (!this.isIdle) return
    for (const resolve of [...this.#idleWaits]) resolve()
    this.#idleWaits.clear()
  }
}
