/**
 * Runs steps outside the tick, a bounded number at a time, and reports each back to the loop.
 */
import type { StepReport, StepRequest, StepRunner } from '../flow/StepRunner.js'
import { limits } from '../limits.js'
import { Queue } from './Queue.js'

export class AsyncStepRunner implements StepRunner {
  readonly #waiting = new Queue<StepRequest>()
  readonly #underWay = new Set<string>()
  readonly #idleWaits = new Set<() => void>()
  #report: (report: StepReport) => void = () => undefined
  #stopped = false

  reportTo(report: (report: StepReport) => void): void {
    this.#report = report
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

  /** Reports of steps that end from now on are dropped: the next start of the node runs them again. */
  stop(): void {
    this.#stopped = true
    this.#waiting.drain()
    for (const resolve of this.#idleWaits) resolve()
  }

  #fill(): void {
    while (this.#underWay.size < limits.stepsInFlight) {
      const request = this.#waiting.take()
      if (request === undefined) return
      const key = `${request.context.idempotencyKey}#${request.context.attempt}`
      if (this.#underWay.has(key)) continue
      this.#underWay.add(key)
      void this.#run(request, key)
    }
  }

  async #run(request: StepRequest, key: string): Promise<void> {
    const { flow, position, context, run } = request
    let result: StepReport['result']
    try {
      result = { kind: 'value', value: await run(context) }
    } catch (error) {
      result = { kind: 'error', error }
    }
    this.#underWay.delete(key)
    if (this.#stopped) return
    this.#report({ flow, position, attempt: context.attempt, result })
    this.#fill()
    if (this.isIdle) for (const resolve of [...this.#idleWaits]) resolve()
  }
}
