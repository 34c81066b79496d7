/**
 * Any number of nodes in one process under one virtual clock. No real time passes; every node can be stopped,
 * crashed, cut off and started again on what it left behind.
 */
import type { DurationLikeObject } from 'luxon'
import type { App } from '../app/App.js'
import { sha256 } from '../encoding/hash.js'
import { keyPairFromSeed, type KeyPair } from '../identity/KeyPair.js'
import { NetworkMap, type NotaryKind } from '../identity/NetworkMap.js'
import type { Party } from '../identity/Party.js'
import { EmbeddedStore } from '../node/EmbeddedStore.js'
import type { Logger } from '../node/Logger.js'
import type { Node } from '../node/Node.js'
import { startNode } from '../node/startNode.js'
import type { TickStore } from '../node/TickStore.js'
import { instant, plus, toMillis, type Instant } from '../time/Instant.js'
import { VirtualClock } from '../time/VirtualClock.js'
import { seededRandom } from './seededRandom.js'
import { VirtualTransport, type Weather } from './VirtualTransport.js'

/** One party of a virtual network. */
export type VirtualPartyOptions = {
  readonly app: App
  /** Makes the party a notary of this kind. */
  readonly notary?: NotaryKind
}

/** How a virtual network is started. Everything but the parties has a default. */
export type VirtualNetworkOptions = {
  /** The parties by name. */
  readonly parties: Readonly<Record<string, VirtualPartyOptions>>
  /** Where the virtual clock begins. Default 2026-01-01T00:00:00.000Z. */
  readonly start?: Instant
  /** Same seed, same run. Default `carillon`. */
  readonly seed?: string
  readonly weather?: Weather
  /** Default true: tests want the extra checks. */
  readonly development?: boolean
  readonly logger?: Logger
}

type Seat = {
  readonly party: Party
  readonly key: KeyPair
  readonly store: TickStore
  readonly options: VirtualPartyOptions
  node: Node | undefined
}

/** Several nodes under one virtual clock, with a network between them that can be made as bad as a test wants. */
export class VirtualNetwork {
  readonly clock: VirtualClock
  readonly transport: VirtualTransport
  readonly map: NetworkMap
  readonly #options: VirtualNetworkOptions
  readonly #seats = new Map<string, Seat>()
  readonly #seed: string

  private constructor(options: VirtualNetworkOptions) {
    this.#options = options
    this.#seed = options.seed ?? 'carillon'
    this.clock = new VirtualClock(options.start ?? instant('2026-01-01T00:00:00.000Z'))
    this.transport = new VirtualTransport(this.clock, seededRandom(`${this.#seed} network`), options.weather)
    for (const [name, party] of Object.entries(options.parties)) {
      const key = keyPairFromSeed(sha256(`key of ${name} ${this.#seed}`))
      this.#seats.set(name, {
        party: { name, key: key.publicKey },
        key,
        store: EmbeddedStore.inMemory(),
        options: party,
        node: undefined,
      })
    }
    this.map = new NetworkMap(
      [...this.#seats.values()].map(({ party, options: { notary } }) => ({
        party,
        ...(notary === undefined ? {} : { notary }),
      })),
    )
  }

  static async start(options: VirtualNetworkOptions): Promise<VirtualNetwork> {
    const network = new VirtualNetwork(options)
    for (const name of Object.keys(options.parties)) await network.restart(name)
    return network
  }

  #seat(name: string): Seat {
    const seat = this.#seats.get(name)
    if (seat === undefined) throw new Error(`There is no party ${name} in this network.`)
    return seat
  }

  /** The running node of a party. */
  node(name: string): Node {
    const { node } = this.#seat(name)
    if (node === undefined) throw new Error(`The node of ${name} is not running; call restart('${name}') first.`)
    return node
  }

  party(name: string): Party {
    return this.#seat(name).party
  }

  isRunning(name: string): boolean {
    return this.#seat(name).node !== undefined
  }

  get now(): Instant {
    return this.clock.instant
  }

  /** Starts a party's node on what it left behind, perhaps with another version of its app. */
  async restart(name: string, options: { readonly app?: App } = {}): Promise<Node> {
    const seat = this.#seat(name)
    const { logger, development = true } = this.#options
    const starts = seat.store.views.facts.now.term
    seat.node = await startNode({
      app: options.app ?? seat.options.app,
      party: name,
      store: seat.store,
      key: seat.key,
      clock: this.clock,
      network: this.map,
      transport: this.transport.endpoint(seat.party.key),
      random: seededRandom(`${this.#seed} ${name} ${starts}`),
      development,
      ...(logger === undefined ? {} : { logger }),
    })
    return seat.node
  }

  async stop(name: string): Promise<void> {
    const seat = this.#seat(name)
    await seat.node?.stop()
    await this.transport.endpoint(seat.party.key).close()
    seat.node = undefined
  }

  /** As if the process of a party had been killed. */
  async crash(name: string): Promise<void> {
    const seat = this.#seat(name)
    await seat.node?.crash()
    await this.transport.endpoint(seat.party.key).close()
    seat.node = undefined
  }

  /** Nothing passes between the two parties until {@link heal}. */
  cut(a: string, b: string): void {
    this.transport.cut(this.party(a).key, this.party(b).key)
  }

  heal(): void {
    this.transport.heal()
  }

  /** Lets every node work until nothing is left to do at this instant. */
  async runUntilQuiet(): Promise<void> {
    // Two rounds in which nobody has moved: a message may be between a sender that is done and a receiver that is.
    for (let quiet = 0; quiet < 2;) {
      const before = this.#progress()
      for (const { node } of this.#seats.values()) await node?.idle()
      await new Promise((resolve) => setImmediate(resolve))
      quiet = this.#progress() === before ? quiet + 1 : 0
    }
  }

  #progress(): string {
    return [...this.#seats.values()].map(({ store }) => store.head().revision).join(' ')
  }

  /** Moves the clock to an instant, stopping at everything that falls due on the way. */
  async advanceTo(until: Instant): Promise<void> {
    const untilMs = toMillis(until)
    await this.runUntilQuiet()
    for (let next = this.clock.nextWakeMs(); next !== undefined && next <= untilMs; next = this.clock.nextWakeMs()) {
      this.clock.setTo(Math.max(next, this.clock.now()))
      await this.runUntilQuiet()
    }
    this.clock.setTo(untilMs)
    await this.runUntilQuiet()
  }

  async advanceBy(duration: DurationLikeObject): Promise<void> {
    await this.advanceTo(plus(this.now, duration))
  }
}
