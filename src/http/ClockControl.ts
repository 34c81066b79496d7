/**
 * The hands of a virtual clock: play at a speed, pause, jump to what is due next. Everything that falls due on the way
 * happens in its order, however fast the clock is turned.
 */
import type { Node } from '../node/Node.js'
import type { VirtualClock } from '../time/VirtualClock.js'

const turnMs = 50

/** The hands of a virtual clock: play, pause, jump. Give it to `serveHttp` to offer it on the dashboard. */
export class ClockControl {
  readonly #clock: VirtualClock
  readonly #nodes: () => readonly Node[]
  #speed = 1
  #timer: NodeJS.Timeout | undefined
  #turning = false

  constructor(clock: VirtualClock, nodes: () => readonly Node[]) {
    this.#clock = clock
    this.#nodes = nodes
  }

  get nowMs(): number {
    return this.#clock.now()
  }

  get isPlaying(): boolean {
    return this.#timer !== undefined
  }

  /** Virtual seconds that pass in one real second. */
  get speed(): number {
    return this.#speed
  }

  play(speed: number): void {
    this.#speed = speed
    this.#timer ??= setInterval(() => {
      void this.#turn()
    }, turnMs).unref()
  }

  pause(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** Moves on to the next instant anyone waits for. */
  async jump(): Promise<void> {
    await this.#settle()
    const next = this.#clock.nextWakeMs()
    if (next !== undefined) this.#clock.setTo(Math.max(next, this.#clock.now()))
    await this.#settle()
  }

  /** As far as the speed says, stopping wherever something falls due. A turn that takes long is not caught up with. */
  async #turn(): Promise<void> {
    if (this.#turning) return
    this.#turning = true
    try {
      const untilMs = this.#clock.now() + turnMs * this.#speed
      const deadline = performance.now() + turnMs
      for (;;) {
        const next = this.#clock.nextWakeMs()
        if (next === undefined || next > untilMs) break
        this.#clock.setTo(Math.max(next, this.#clock.now()))
        await this.#settle()
        if (performance.now() > deadline) return
      }
      this.#clock.setTo(Math.round(untilMs))
    } finally {
      this.#turning = false
    }
  }

  async #settle(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    for (const node of this.#nodes()) await node.idle()
  }
}
