/**
 * A node with chores on a virtual clock, for the specs. Unlike a VirtualNode it does not wait for callbacks that are
 * under way before it moves on, since tasks that hang are what many of these specs are about.
 */
import type { DurationLikeObject } from 'luxon'
import {
  defineApp,
  instant,
  instantFromMillis,
  plus,
  startNode,
  toMillis,
  type App,
  type Instant,
  type Node,
} from 'carillon'
import { EmbeddedStore } from 'carillon/logs'
import { keyPairFromSeed, seededRandom, VirtualClock } from 'carillon/testing'
import { ChoreEngine } from '../engine/index.js'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Nothing is appended for so many turns of the event loop when a node has nothing left to do at an instant. */
const quietTurns = 6

export type StandOptions = {
  /** Registers the chores with the engine of each new process. */
  readonly chores: (engine: ChoreEngine) => void
  readonly start?: Instant
  /** More for the app than chores. */
  readonly app?: Partial<Pick<App, 'states' | 'flows'>>
  readonly development?: boolean
}

export class ChoreStand {
  readonly clock: VirtualClock
  readonly #store = EmbeddedStore.inMemory()
  readonly #key = keyPairFromSeed('5'.repeat(64))
  readonly #random = seededRandom('chores')
  readonly #options: StandOptions
  #running: { readonly node: Node; readonly engine: ChoreEngine } | undefined

  private constructor(options: StandOptions) {
    this.#options = options
    this.clock = new VirtualClock(options.start ?? instant('2026-01-05T00:00:00.000Z'))
  }

  /** Starts the first process, connected and resumed. */
  static async open(options: StandOptions): Promise<ChoreStand> {
    const stand = new ChoreStand(options)
    await stand.boot()
    return stand
  }

  get engine(): ChoreEngine {
    if (this.#running === undefined) throw new Error('The process is down.')
    return this.#running.engine
  }

  get node(): Node {
    if (this.#running === undefined) throw new Error('The process is down.')
    return this.#running.node
  }

  get now(): Instant {
    return this.clock.instant
  }

  /** A new process: a new engine with its chores registered anew, on the log that is there. */
  async boot({ resume = true }: { readonly resume?: boolean } = {}): Promise<void> {
    const engine = new ChoreEngine()
    this.#options.chores(engine)
    const { states = [], flows = [] } = this.#options.app ?? {}
    const node = await startNode({
      app: defineApp({
        name: 'chores',
        states: [...engine.states, ...states],
        flows: [...engine.flows, ...flows],
        projections: engine.projections,
      }),
      store: this.#store,
      clock: this.clock,
      key: this.#key,
      random: this.#random,
      development: this.#options.development ?? true,
    })
    this.#running = { node, engine }
    await engine.connect(node)
    if (resume) await engine.resumeTimers()
    await this.quiet()
  }

  async crash(): Promise<void> {
    await this.node.crash()
    this.#running = undefined
  }

  async stop(): Promise<void> {
    await this.node.stop()
    this.#running = undefined
  }

  /** The process dies and another takes its place, after a while. */
  async restart(after: DurationLikeObject = {}): Promise<void> {
    await this.crash()
    this.clock.setTo(toMillis(plus(this.now, after)))
    await this.boot()
  }

  /** Lets the node work until it has nothing left to do at this instant but wait for callbacks. */
  async quiet(): Promise<void> {
    for (let still = 0, seen = -1; still < quietTurns; still++) {
      await turn()
      const { revision } = this.node.head
      if (revision !== seen) still = 0
      seen = revision
    }
  }

  async advanceTo(until: Instant): Promise<void> {
    const untilMs = toMillis(until)
    await this.quiet()
    for (let next = this.clock.nextWakeMs(); next !== undefined && next <= untilMs; next = this.clock.nextWakeMs()) {
      this.clock.setTo(Math.max(next, this.clock.now()))
      await this.quiet()
    }
    this.clock.setTo(untilMs)
    await this.quiet()
  }

  async advance(duration: DurationLikeObject): Promise<void> {
    await this.advanceTo(plus(this.now, duration))
  }

  /** Sets the clock without letting anything run on the way. */
  jumpTo(at: Instant): void {
    this.clock.setTo(toMillis(at))
  }

  ago(seconds: number): Instant {
    return instantFromMillis(this.clock.now() - seconds * 1000)
  }
}
