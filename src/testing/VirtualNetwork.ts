/**
 * Any number of nodes in one process under one virtual clock. No real time passes; every node can be stopped,
 * crashed, cut off and started again on what it left behind.
 */
import { Duration, type DurationLikeObject } from 'luxon'
import type { App } from '../app/App.js'
import { sha256 } from '../encoding/hash.js'
import { keyPairFromSeed, type KeyPair } from '../identity/KeyPair.js'
import { NetworkMap, type NotaryKind } from '../identity/NetworkMap.js'
import type { Party } from '../identity/Party.js'
import { EmbeddedStore } from '../storage/EmbeddedStore.js'
import type { Logger } from '../engine/Logger.js'
import type { GivenLimits } from '../node/NodeLimits.js'
import type { Node } from '../node/Node.js'
import { lead, prepare, startNode } from '../node/startNode.js'
import { builtInFlows } from '../node/builtInFlows.js'
import type { NodeOptions } from '../node/NodeOptions.js'
import { Registry } from '../app/Registry.js'
import type { Moment } from '../history/moment.js'
import { TimeMachine } from '../history/TimeMachine.js'
import { tickStoreOf, type OpenStore } from '../storage/OpenStore.js'
import type { TickStore } from '../storage/TickStore.js'
import type { AgendaEntry } from '../agenda/AgendaEntry.js'
import { instant, plus, toMillis, type Instant } from '../time/Instant.js'
import { VirtualClock } from '../time/VirtualClock.js'
import { NodeInspection } from './NodeInspection.js'
import { seededRandom } from './seededRandom.js'
import { SkewedClock } from './SkewedClock.js'
import { StepPatience } from './StepPatience.js'
import { limitsBesideStore, virtualStores } from './virtualStores.js'
import { VirtualTransport, type Weather } from './VirtualTransport.js'

/** One party of a virtual network. */
export type VirtualPartyOptions = {
  readonly app: App
  /** Makes the party a notary of this kind. */
  readonly notary?: NotaryKind
  /** Limits of the party's node that differ from their defaults. */
  readonly limits?: GivenLimits
  /** Where the party keeps its log. Default: an embedded store in memory. */
  readonly store?: OpenStore
}

/** The activity that comes next in a virtual network, and whose it is. */
export type NextDue = { readonly party: string; readonly at: Instant; readonly activity: AgendaEntry }

/** How a virtual network is started. Everything but the parties has a default. */
export type VirtualNetworkOptions = {
  /** The parties by name. */
  readonly parties: Readonly<Record<string, VirtualPartyOptions>>
  /** Members of the network that have a key and no node: a test speaks for them, over {@link VirtualNetwork.transport}. */
  readonly strangers?: readonly string[]
  /** Where the virtual clock begins. Default 2026-01-01T00:00:00.000Z. */
  readonly start?: Instant
  /** Same seed, same run. Default `carillon`. */
  readonly seed?: string
  readonly weather?: Weather
  /** Default true: tests want the extra checks. */
  readonly development?: boolean
  readonly logger?: Logger
  /**
   * How long the clock waits for a step that names no timeout, in milliseconds of real time, before the call that moves it
   * rejects with `step-not-ending`. Default 1,500.
   */
  readonly stepLimitMs?: number
}

/** Making a key takes longer than a short history, and histories are made of the same few. */
const keysKept = 1_000
const keysOfSeeds = new Map<string, KeyPair>()

const keyOf = (seed: string): KeyPair => {
  const known = keysOfSeeds.get(seed)
  if (known !== undefined) return known
  const key = keyPairFromSeed(sha256(seed))
  if (keysOfSeeds.size < keysKept) keysOfSeeds.set(seed, key)
  return key
}

/** What a process of a virtual node is started with. */
type ProcessOptions = NodeOptions & Required<Pick<NodeOptions, 'key'>> & { readonly store: TickStore }

/** A standby has its store and its key before it leads. */
const takeOverNode = (options: ProcessOptions): Promise<Node> => {
  const { app, store, key } = options
  const opened = { store, key, releaseHold: () => Promise.resolve() }
  return lead(prepare(options), new Registry(app, builtInFlows(app)), opened, { reason: 'takeover' })
}

type Seat = {
  readonly party: Party
  readonly key: KeyPair
  store: TickStore
  readonly clock: SkewedClock
  readonly options: VirtualPartyOptions
  node: Node | undefined
  failure: Error | undefined
  /** Processes that led the node before another took over, and do not know it yet. */
  readonly displaced: Set<Node>
}

/** What a party's process runs on, when that is not what the process before it ran on. */
type VirtualProcessOptions = {
  /** Another version of its app. */
  readonly app?: App
  readonly store?: OpenStore
}

/** Several nodes under one virtual clock, with a network between them that can be made as bad as a test wants. */
export class VirtualNetwork {
  readonly clock: VirtualClock
  readonly transport: VirtualTransport
  readonly map: NetworkMap
  readonly #options: VirtualNetworkOptions
  readonly #seats = new Map<string, Seat>()
  readonly #seed: string
  readonly #patience: StepPatience

  private constructor(options: VirtualNetworkOptions, stores: ReadonlyMap<string, TickStore>, patience: StepPatience) {
    this.#options = options
    this.#seed = options.seed ?? 'carillon'
    this.#patience = patience
    this.clock = new VirtualClock(options.start ?? instant('2026-01-01T00:00:00.000Z'))
    this.transport = new VirtualTransport(this.clock, seededRandom(`${this.#seed} network`), options.weather)
    for (const [name, party] of Object.entries(options.parties)) {
      const key = this.strangerKey(name)
      this.#seats.set(name, {
        party: { name, key: key.publicKey },
        key,
        store: stores.get(name) ?? EmbeddedStore.inMemory(),
        clock: new SkewedClock(this.clock),
        options: party,
        node: undefined,
        failure: undefined,
        displaced: new Set(),
      })
    }
    this.map = new NetworkMap(
      [
        ...[...this.#seats.values()].map(({ party, options: { notary } }) => ({
          party,
          ...(notary === undefined ? {} : { notary }),
        })),
        ...(options.strangers ?? []).map((name) => ({ party: { name, key: this.strangerKey(name).publicKey } })),
      ],
      sha256(`network ${this.#seed}`),
    )
  }

  static start(options: VirtualNetworkOptions): Promise<VirtualNetwork> {
    return VirtualNetwork.startWith(options, new StepPatience(options.stepLimitMs))
  }

  /** @internal As start, with a patience that is shared with others. */
  static async startWith(options: VirtualNetworkOptions, patience: StepPatience): Promise<VirtualNetwork> {
    const stores = new Map<string, TickStore>()
    for (const [name, { store, limits }] of Object.entries(options.parties))
      stores.set(name, store === undefined ? await virtualStores.open(limits) : tickStoreOf(store))
    const network = new VirtualNetwork(options, stores, patience)
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

  /** The key of a member that has no node. */
  strangerKey(name: string): KeyPair {
    return keyOf(`key of ${name} ${this.#seed}`)
  }

  isRunning(name: string): boolean {
    const { node, failure } = this.#seat(name)
    return node !== undefined && failure === undefined
  }

  /** The names of all parties, in the order they were given. */
  get names(): readonly string[] {
    return [...this.#seats.keys()]
  }

  /** Why the node of a party stopped by itself, if it did since its last start. */
  failure(name: string): Error | undefined {
    return this.#seat(name).failure
  }

  /** A look at what a party holds, whether its node runs or not. */
  inspect(name: string): NodeInspection {
    return new NodeInspection(this.#seat(name).store)
  }

  /** The world as a party saw it at an earlier moment: a revision, or an instant. Close it when it is no longer needed. */
  past(name: string, moment: Moment): Promise<TimeMachine> {
    return TimeMachine.at(this.#seat(name).store, moment)
  }

  /** The activity that comes next, of all parties; undefined when none is scheduled. */
  async nextDue(): Promise<NextDue | undefined> {
    await this.runUntilQuiet()
    const firsts = this.names.flatMap((party) =>
      this.inspect(party)
        .agenda({ limit: 1 })
        .items.map((activity) => ({ party, at: activity.actsAt ?? activity.due ?? this.now, activity })),
    )
    return firsts.reduce<NextDue | undefined>(
      (earliest, next) => (earliest === undefined || toMillis(next.at) < toMillis(earliest.at) ? next : earliest),
      undefined,
    )
  }

  get now(): Instant {
    return this.clock.instant
  }

  /** Starts a party's node on what it left behind, perhaps with another version of its app; or on another store. */
  async restart(name: string, options: { readonly app?: App; readonly store?: OpenStore } = {}): Promise<Node> {
    const seat = this.#seat(name)
    if (this.isRunning(name)) throw new Error(`The node of ${name} is running; stop or crash it first.`)
    seat.failure = undefined
    // What a process had only in memory is gone with it.
    seat.store =
      options.store === undefined
        ? seat.store instanceof EmbeddedStore
          ? seat.store.reopen()
          : seat.store
        : tickStoreOf(options.store)
    return this.#run(seat, options, startNode)
  }

  /**
   * @internal Another process leads the node of a party, on a store of its own that stands where the log does. The one before, if it
   * is alive, goes on until the log refuses what it appends.
   */
  async takeOver(name: string, options: VirtualProcessOptions & { readonly store: OpenStore }): Promise<Node> {
    const seat = this.#seat(name)
    const { node: before, store, failure } = seat
    seat.failure = undefined
    seat.store = tickStoreOf(options.store)
    try {
      const node = await this.#run(seat, options, takeOverNode)
      if (before !== undefined && failure === undefined) seat.displaced.add(before)
      return node
    } catch (error) {
      Object.assign(seat, { store, failure })
      throw error
    }
  }

  async #run(
    seat: Seat,
    { app }: VirtualProcessOptions,
    begin: (options: ProcessOptions) => Promise<Node>,
  ): Promise<Node> {
    const { logger, development = true } = this.#options
    const { store, party, key, clock, options } = seat
    const starts = store.views.facts.now.term
    const process: { node?: Node } = {}
    const node = await begin({
      app: app ?? options.app,
      party: party.name,
      store,
      key,
      clock,
      network: this.map,
      transport: this.transport.endpoint(party.key),
      random: seededRandom(`${this.#seed} ${party.name} ${starts}`),
      development,
      ...limitsBesideStore(options.limits),
      onFailure: (error) => {
        const { node: failed } = process
        if (failed !== undefined && seat.displaced.delete(failed)) void failed.crash()
        else seat.failure = error
      },
      ...(logger === undefined ? {} : { logger }),
    })
    process.node = node
    seat.node = node
    return node
  }

  async stop(name: string): Promise<void> {
    const seat = this.#seat(name)
    for (const node of seat.displaced) await node.crash()
    seat.displaced.clear()
    await seat.node?.stop()
    await this.transport.endpoint(seat.party.key).close()
    seat.node = undefined
  }

  /** As if the process of a party had been killed, and whichever led before it. */
  async crash(name: string): Promise<void> {
    const seat = this.#seat(name)
    for (const node of seat.displaced) await node.crash()
    seat.displaced.clear()
    await seat.node?.crash()
    await this.transport.endpoint(seat.party.key).close()
    seat.node = undefined
  }

  /** Nothing passes between the two parties until {@link heal}. */
  cut(a: string, b: string): void {
    this.transport.cut(this.party(a).key, this.party(b).key)
  }

  /** Lets each group of parties reach only itself; whoever is in no group reaches nobody. Until {@link heal}. */
  partition(...groups: readonly (readonly string[])[]): void {
    const groupOf = (name: string): number => groups.findIndex((group) => group.includes(name))
    for (const group of groups) for (const name of group) this.#seat(name)
    for (const a of this.names)
      for (const b of this.names) if (a !== b && (groupOf(a) !== groupOf(b) || groupOf(a) < 0)) this.cut(a, b)
  }

  /** Everyone can reach everyone again. */
  heal(): void {
    this.transport.heal()
  }

  /** Sets the clock of one party so much ahead of the others', or behind when negative; 0 sets it right. */
  setClockOffset(name: string, offset: DurationLikeObject): void {
    this.#seat(name).clock.setOffset(Math.trunc(Duration.fromObject(offset).toMillis()))
  }

  /** Lets every node work until nothing is left to do at this instant. */
  async runUntilQuiet(): Promise<void> {
    // Two rounds in which nobody has moved: a message may be between a sender that is done and a receiver that is.
    for (let quiet = 0; quiet < 2;) {
      const before = this.#progress()
      for (const { node, displaced } of this.#seats.values())
        for (const process of [...displaced, ...(node === undefined ? [] : [node])]) await this.#patience.quiet(process)
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
