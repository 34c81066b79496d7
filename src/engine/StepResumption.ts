/**
 * After a start: runs again the steps whose end was never recorded, as many flows a tick as it has room for.
 */
import type { ActiveTick } from './ActiveTick.js'
import type { FlowEngine } from './FlowEngine.js'

export class StepResumption {
  #afterSeq = 0
  #lastSeq: number | undefined
  #done = false

  get isDone(): boolean {
    return this.#done
  }

  decide(tick: ActiveTick, engine: FlowEngine): void {
    if (this.#done) return
    // Flows that start from now on launch their steps themselves.
    this.#lastSeq ??= tick.views.flows.lastSeq()
    const { wakesPerTick } = tick.limits.engine
    const rows = tick.views.flows.inSteps(this.#afterSeq, wakesPerTick)
    for (const row of rows) if (row.seq <= this.#lastSeq) engine.resumeStep(tick, row)
    const last = rows.at(-1)?.seq ?? this.#afterSeq
    tick.release(() => {
      this.#afterSeq = last
      this.#done = rows.length < wakesPerTick
    })
  }
}
