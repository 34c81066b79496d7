/**
 * The controls of a virtual clock: play at a speed, pause, jump to what is due next. Everything that falls due on the way
 * happens in its order, however fast the clock is turned.
 */
import type { Node } from '../node/Node.js'
import { toMillis } from '../time/Instant.js'
import type { VirtualClock } from '../time/VirtualClock.js'

const turnMs = 50

/** Nodes that talk to each other are done when none has moved for so long; a message takes much less. */
const quietMs = 15

/** The controls of a virtual clock: play, pause, jump. Give it to `serveHttp` to offer it on the dashboard. */
export class ClockControl {
  readonly #clock: VirtualClock
  readonly #nodes: () => readonly Node[]
  #speed = 1
  #timer: NodeJS.Timeout | undefined
  #turning: Promise<void> | undefined

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
      this.#turning ??= this.#turn().finally(() => {
        this.#turning = undefined
      })
    }, turnMs).unref()
  }

  /** Stops the clock. Resolves once it stands. */
  async pause(): Promise<void> {
    clearInterval(this.#timer)
    this.#timer = undefined
    await this.#turning
  }

  /** Moves on to the next activity; where none is scheduled, to the next instant anyone waits for. */
  async jump(): Promise<void> {
    await this.#turning
    await this.#settle()
    const untilMs = (await this.#nextDueMs()) ?? this.#clock.nextWakeMs()
    if (untilMs === undefined) return
    // On the way there are instants that only nodes wait for, such as the next try of a message.
    for (let next = this.#clock.nextWakeMs(); next !== undefined && next <= untilMs; next = this.#clock.nextWakeMs()) {
      this.#clock.setTo(Math.max(next, this.#clock.now()))
      await this.#settle()
    }
  }

  async #nextDueMs(): Promise<number | undefined> {
    const pages = await Promise.all(this.#running().map((node) => node.agenda({ limit: 1 })))
    const instants = pages.flatMap(({ items }) => items.flatMap(({ actsAt, due }) => actsAt ?? due ?? []))
    const later = instants.map(toMillis).filter((atMs) => atMs > this.#clock.now())
    return later.length === 0 ? undefined : Math.min(...later)
  }

  /** As far as the speed says, stopping wherever something falls due. A turn that takes long is not caught up with. */
  async #turn(): Promise<void> {
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
  }

  #running(): readonly Node[] {
    return this.#nodes().filter(({ stopped }) => stopped === undefined)
  }

  async #settle(): Promise<void> {
    const nodes = this.#running()
    const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
    for (let before = ''; ;) {
      await new Promise((resolve) => setImmediate(resolve))
      for (const node of nodes) await node.idle()
      const now = nodes.map(({ head }) => head.revision).join(' ')
      // One node has nobody to wait for; among several a message may be under way from one to the other.
      if (nodes.length < 2 || now === before) return
      before = now
      await pause(quietMs)
    }
  }
}
