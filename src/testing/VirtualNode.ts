/**
 * One node on a virtual clock, in memory: years pass in milliseconds, and the node can be stopped, crashed and
 * started again on the log it left behind.
 */
import type { App } from '../app/App.js'
import type { Random } from '../identity/Random.js'
import { sha256 } from '../encoding/hash.js'
import { keyPairFromSeed, type KeyPair } from '../identity/KeyPair.js'
import type { Logger } from '../engine/Logger.js'
import type { GivenLimits } from '../node/NodeLimits.js'
import type { Node } from '../node/Node.js'
import { startNode } from '../node/startNode.js'
import type { Moment } from '../history/moment.js'
import { TimeMachine } from '../history/TimeMachine.js'
import { tickStoreOf, type OpenStore } from '../storage/OpenStore.js'
import { instant, plus, toMillis, type Instant } from '../time/Instant.js'
import { VirtualClock } from '../time/VirtualClock.js'
import { NodeInspection } from './NodeInspection.js'
import { seededRandom } from './seededRandom.js'
import { whenStalled } from './StallWatch.js'
import { StepPatience } from './StepPatience.js'
import { limitsBesideStore, virtualStores } from './virtualStores.js'
import type { DurationLikeObject } from 'luxon'

/** How a virtual node is started. Everything but the app has a default. */
export type VirtualNodeOptions = {
  /** What the node runs. */
  readonly app: App
  /** The name of the party whose node this is. Default `Me`. */
  readonly party?: string
  /** Where the virtual clock begins. Default 2026-01-01T00:00:00.000Z. */
  readonly start?: Instant
  /** Same seed, same salts and ids. Default `carillon`. */
  readonly seed?: string
  /** Default true: tests want the extra checks. */
  readonly development?: boolean
  /** Default: silent. */
  readonly logger?: Logger
  /** Default: an embedded store in memory. */
  readonly store?: OpenStore
  /** Limits of the node that differ from their defaults; those of the storage are for a store that is made here. */
  readonly limits?: GivenLimits
  /**
   * How long the clock waits for a step that names no timeout, in milliseconds of real time, before the call that moves it
   * rejects with `step-not-ending`. Default 1,500.
   */
  readonly stepLimitMs?: number
}

/** A node on a virtual clock. Move the clock with `advanceBy`; everything that falls due on the way happens. */
export class VirtualNode {
  readonly clock: VirtualClock
  /** What the node has written. Read the log there, or open it again. */
  readonly store: OpenStore
  readonly key: KeyPair
  readonly #options: VirtualNodeOptions
  readonly #random: Random
  readonly #patience: StepPatience
  #node: Node | undefined
  #failure: Error | undefined

  private constructor(options: VirtualNodeOptions, store: OpenStore) {
    this.#options = options
    const seed = options.seed ?? 'carillon'
    this.clock = new VirtualClock(options.start ?? instant('2026-01-01T00:00:00.000Z'))
    this.store = store
    this.key = keyPairFromSeed(sha256(`key of ${seed}`))
    this.#random = seededRandom(seed)
    this.#patience = new StepPatience(options.stepLimitMs)
  }

  static async start(options: VirtualNodeOptions): Promise<VirtualNode> {
    const virtual = new VirtualNode(options, options.store ?? (await virtualStores.open(options.limits)))
    await virtual.restart()
    return virtual
  }

  /** The running node. */
  get node(): Node {
    if (this.#node === undefined) throw new Error('The node is not running; call restart() first.')
    return this.#node
  }

  get now(): Instant {
    return this.clock.instant
  }

  /** A look at what the node holds, whether it runs or not. */
  inspect(): NodeInspection {
    return new NodeInspection(tickStoreOf(this.store))
  }

  /** The world as this node saw it at an earlier moment: a revision, or an instant. Close it when it is no longer needed. */
  past(moment: Moment): Promise<TimeMachine> {
    return TimeMachine.at(this.store, moment)
  }

  /** When the next activity will act; undefined when none is scheduled. */
  async nextDue(): Promise<Instant | undefined> {
    await this.runUntilQuiet()
    const [next] = this.inspect().agenda({ limit: 1 }).items
    return next?.actsAt ?? next?.due
  }

  /** Why the node stopped by itself, if it did since its last start. */
  get failure(): Error | undefined {
    return this.#failure
  }

  /** Starts the node again on what it left behind, perhaps with another version of the app. */
  async restart(options: { readonly app?: App } = {}): Promise<Node> {
    const { party, logger, limits, development = true } = this.#options
    const { now, wakeAt } = this.clock
    this.#failure = undefined
    this.#node = await startNode({
      app: options.app ?? this.#options.app,
      store: this.store,
      clock: { isVirtual: true, now, wakeAt, whenStalled: whenStalled(this.clock) },
      key: this.key,
      random: this.#random,
      development,
      onFailure: (error) => {
        this.#failure = error
      },
      ...limitsBesideStore(limits),
      ...(party === undefined ? {} : { party }),
      ...(logger === undefined ? {} : { logger }),
    })
    await this.runUntilQuiet()
    return this.#node
  }

  async stop(): Promise<void> {
    await this.node.stop()
    this.#node = undefined
  }

  /** As if the process had been killed. */
  async crash(): Promise<void> {
    await this.node.crash()
    this.#node = undefined
  }

  /** Lets the node work until nothing is left to do at this instant. */
  async runUntilQuiet(): Promise<void> {
    if (this.#node !== undefined) await this.#patience.quiet(this.#node)
  }

  /** Moves the clock to an instant, stopping at everything that falls due on the way. */
  async advanceTo(until: Instant): Promise<void> {
    const untilMs = toMillis(until)
    await this.runUntilQuiet()
    for (let next = this.clock.nextWakeMs(); next !== undefined && next <= untilMs; next = this.clock.nextWakeMs()) {
      this.clock.setTo(Math.max(next, this.clock.now()))
      await settle()
      await this.runUntilQuiet()
    }
    this.clock.setTo(untilMs)
    await settle()
    await this.runUntilQuiet()
  }

  async advanceBy(duration: DurationLikeObject): Promise<void> {
    await this.advanceTo(plus(this.now, duration))
  }
}

/** Lets callbacks of the clock reach the loop. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
