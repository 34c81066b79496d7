/**
 * Lives through a plan: builds the network, lets everything happen, mends it all, waits until everyone is done, and
 * hands over what is left. The same plan always gives the same world.
 */
import { Duration, type DurationLikeObject } from 'luxon'
import type { App } from '../../app/App.js'
import { CarillonError, messageOf } from '../../errors/CarillonError.js'
import type { FlowDefinition } from '../../app/FlowDefinition.js'
import type { FlowId } from '../../log/FlowId.js'
import type { EncodedTick } from '../../log/Tick.js'
import type { Node } from '../../node/Node.js'
import { instantFromMillis, toMillis, type Instant } from '../../time/Instant.js'
import type { Database } from '../../storage/Database.js'
import { ModelWatch } from '../model/ModelWatch.js'
import { replay } from '../replay/replay.js'
import { StoredViews } from '../../storage/StoredViews.js'
import type { LoggedEvent } from '../NodeInspection.js'
import { VirtualNetwork } from '../VirtualNetwork.js'
import { Boundaries } from './Boundaries.js'
import { Adversary } from './Adversary.js'
import { Chance } from './Chance.js'
import { DecodedLog } from './DecodedLog.js'
import { HeldSteps } from './HeldSteps.js'
import { Chooser } from './Order.js'
import { StepPatience } from '../StepPatience.js'
import { describeAction, describeBeginning } from './describeAction.js'
import type { Action, Cast, OperatorAct, Plan } from './Plan.js'
import { SimulatedDisk } from './SimulatedDisk.js'
import { SimulatedRemoteStore } from './SimulatedRemoteStore.js'
import type { SimulatedStore } from './SimulatedStore.js'
import { SimulatedProcess } from './SimulatedProcess.js'
import { TickStory } from './TickStory.js'
import { watchSteps } from './watchSteps.js'
import { Witness } from './Witness.js'
import type { Turn, Workload } from './Workload.js'
import type { PartyAtEnd, World } from './World.js'

export type RunOptions = {
  readonly app: App
  /** Earlier versions of the app, the oldest first. */
  readonly earlier: readonly App[]
  readonly cast: Cast
  readonly workload: Workload
  /** How long everyone has at the end to come to rest. */
  readonly settle: DurationLikeObject
  /** Events of all nodes together after which time stands still: an app may have work for ever. */
  readonly mostEvents: number
}

/** What happened, in order, with the time of it. */
export type TraceLine = { readonly atMs: number; readonly what: string }

/** So many ticks take their time before a node must have come to rest: what falls due meanwhile must not go on for ever. */
const mostTimedTicks = 50

const mended = { minLatencyMs: 1, maxLatencyMs: 50, loss: 0, duplication: 0 }

export class SimulationRun {
  readonly #plan: Plan
  readonly #options: RunOptions
  readonly #network: VirtualNetwork
  readonly #stores: Map<string, SimulatedDisk | SimulatedRemoteStore>
  /** Those of processes that no longer lead. */
  readonly #formerStores: SimulatedStore[] = []
  /** The processes of the parties. */
  readonly #processes: Map<string, SimulatedProcess>
  readonly #witness: Witness
  /** Each party's log and views, held against the model. */
  readonly #watches: ReadonlyMap<string, ModelWatch>
  readonly #logs: ReadonlyMap<string, DecodedLog>
  readonly #clockOffsetsMs = new Map<string, number>()
  /** When those that are down come up again. */
  readonly #restarts = new Map<string, number>()
  readonly #downMs = new Map<string, number>()
  readonly #stopped: string[] = []
  readonly #sleptThrough: string[] = []
  readonly #adversaries = new Map<string, Adversary>()
  readonly #held: HeldSteps
  #timedTicks = 0
  readonly trace: TraceLine[] = []
  /** What it has chosen where more than one thing could come next. */
  readonly chooser: Chooser
  readonly boundaries: Boundaries

  private constructor(
    plan: Plan,
    options: RunOptions,
    network: VirtualNetwork,
    stores: Map<string, SimulatedDisk | SimulatedRemoteStore>,
    processes: Map<string, SimulatedProcess>,
    witness: Witness,
    watches: ReadonlyMap<string, ModelWatch>,
    logs: ReadonlyMap<string, DecodedLog>,
    boundaries: Boundaries,
    held: HeldSteps,
  ) {
    this.boundaries = boundaries
    this.#held = held
    this.chooser = new Chooser(plan.order, plan.seed)
    this.#plan = plan
    this.#options = options
    this.#network = network
    this.#stores = stores
    this.#processes = processes
    this.#witness = witness
    this.#watches = watches
    this.#logs = logs
    const names = new Map(network.names.map((name) => [network.party(name).key, name]))
    const { app, cast } = options
    for (const name of cast.hostile)
      this.#adversaries.set(
        name,
        new Adversary({
          ...{ network, app, name, notaries: cast.notaries, moods: new Chance(`moods ${plan.seed} ${name}`) },
          logOf: (party) => this.#logOf(party),
        }),
      )
    network.transport.watch((from, envelope, to) => {
      const name = names.get(from)
      // What an adversary says is in no log.
      if (name === undefined) return
      witness.sent(name, envelope)
      for (const adversary of this.#adversaries.values()) adversary.overhear(from, to, envelope)
    })
  }

  static async start(plan: Plan, options: RunOptions): Promise<SimulationRun> {
    const { everyone, notaries, hostile } = options.cast
    const witness = new Witness()
    const boundaries = new Boundaries(plan.limits)
    const story = new TickStory()
    let tell: (sentence: string) => void = () => undefined
    let passTime = (): void => undefined
    const stores = new Map<string, SimulatedDisk | SimulatedRemoteStore>()
    const watches = new Map<string, ModelWatch>()
    const logs = new Map<string, DecodedLog>()
    for (const name of everyone) {
      const log = new DecodedLog()
      logs.set(name, log)
      const watch = new ModelWatch({ ...plan.limits.agenda, ...plan.limits.engine }, log.decode)
      watches.set(name, watch)
      const onCommitted = (tick: EncodedTick): void => {
        witness.committed(name, tick)
        boundaries.committed(tick)
        watch.take(tick)
        passTime()
        for (const sentence of story.tell(name, tick)) tell(`  ${sentence}`)
      }
      const onViews = (db: Database): void => {
        watch.compareChanged(db)
      }
      const watched = {
        onCommitted,
        onViews,
        onHandedOver: () => boundaries.count('ticks handed over'),
        onFailedHandOver: () => boundaries.count('handed-over ticks that failed'),
        onRefused: () => boundaries.count('ticks refused to a process that led'),
      }
      const pipeline = plan.pipelined.includes(name) ? new Chance(`pipeline ${plan.seed} ${name}`) : undefined
      stores.set(
        name,
        plan.remote.includes(name)
          ? await SimulatedRemoteStore.open(watched, plan.limits.storage)
          : new SimulatedDisk(watched, { limits: plan.limits.storage, pipeline }),
      )
    }
    const held = new HeldSteps()
    const versions = [...options.earlier, options.app]
    const processes = new Map(
      everyone.map((name) => [
        name,
        new SimulatedProcess(versions, versions.length - 1 - plan.versionsBehind, (app, leads) =>
          watchSteps(app, { witness, held, leads, seed: plan.seed, oneIn: plan.stepFailures }),
        ),
      ]),
    )
    const network = await VirtualNetwork.startWith(
      {
        parties: Object.fromEntries(
          [...stores].map(([name, store]) => [
            name,
            {
              app: processes.get(name)?.begin() ?? options.app,
              store,
              limits: plan.limits,
              ...(notaries.includes(name) ? { notary: plan.notary } : {}),
            },
          ]),
        ),
        strangers: hostile,
        start: plan.start,
        seed: `simulation ${plan.seed}`,
        weather: plan.weather,
        development: plan.development,
      },
      new StepPatience(undefined, held),
    )
    const run = new SimulationRun(plan, options, network, stores, processes, witness, watches, logs, boundaries, held)
    for (const sentence of describeBeginning(plan, everyone.length)) run.#say(sentence)
    tell = (sentence) => {
      run.#say(sentence)
    }
    passTime = () => {
      run.#takeTime()
    }
    return run
  }

  /** Lets the whole plan happen and everyone come to rest. */
  async live(): Promise<World> {
    const { actions, anyPace, restMs } = this.#plan
    const settleMs = Math.trunc(Duration.fromObject(this.#options.settle).toMillis())
    for (const action of actions) {
      if (anyPace) await this.#advance(settleMs, 'whenChosen')
      else await this.#advance(action.afterMs, 'inTime')
      await this.#act(action)
    }
    if (!anyPace) await this.#advance(restMs, 'inTime')
    await this.#mend()
    const mendedAt = this.#network.now
    const isSettled = await this.#advance(settleMs, 'settled')
    return this.#world(mendedAt, isSettled)
  }

  async #world(mendedAt: Instant, isSettled: boolean): Promise<World> {
    const { app } = this.#options
    const network = this.#network
    for (const { faults, views } of this.#stores.values()) {
      this.boundaries.count('failed commits', faults.refusals)
      this.boundaries.count('unanswered appends', faults.silences)
      if (views instanceof StoredViews) this.boundaries.count('evictions', views.evictions)
    }
    const parties: PartyAtEnd[] = []
    for (const name of network.names) {
      const inspect = network.inspect(name)
      const viewsDigest = await network.node(name).viewsDigest()
      const replayed = await replay(inspect.ticks(), {
        app: this.#processes.get(name)?.app ?? app,
        network: network.map,
        viewsDigest,
      })
      const watch = this.#watches.get(name)
      const store = this.#stores.get(name)
      const standby = store instanceof SimulatedRemoteStore ? await store.standbyReader() : undefined
      for (const reader of [store?.reader, standby]) {
        if (reader === undefined) continue
        watch?.compareAll(reader)
        watch?.ask(reader, new Chance(`questions ${this.#plan.seed} ${name}`))
      }
      const model = { ticks: watch?.ticks ?? [], views: watch?.views ?? [] }
      parties.push({ name, party: network.party(name), inspect, log: await this.#logOf(name), replayed, model })
    }
    return {
      app,
      plan: this.#plan,
      network,
      parties,
      hostile: new Set([...this.#adversaries.values()].map(({ me }) => me.key)),
      granted: [...this.#adversaries.values()].flatMap(({ granted }) => granted),
      witness: this.#witness,
      boundaries: this.boundaries.counts,
      stopped: this.#stopped,
      sleptThrough: this.#sleptThrough,
      mendedAt,
      isSettled,
    }
  }

  /** Everything that the log of a party says. */
  async #logOf(name: string): Promise<readonly LoggedEvent[]> {
    return (await this.#logs.get(name)?.read(this.#network.inspect(name).ticks())) ?? []
  }

  async stop(): Promise<void> {
    for (const name of this.#network.names) if (this.#network.isRunning(name)) await this.#network.crash(name)
    for (const store of [...this.#formerStores, ...this.#stores.values()]) await store.discard()
  }

  #say(what: string): void {
    this.trace.push({ atMs: toMillis(this.#network.now) - toMillis(this.#plan.start), what })
  }

  get #events(): number {
    return this.#network.names.reduce((sum, name) => sum + (this.#stores.get(name)?.head().revision ?? 0), 0)
  }

  /**
   * Lets time pass, with everything on the way; false when there was too much of it. It ends when the time is over, or as
   * soon as that is chosen; once everything is to settle, every step has ended then.
   */
  async #advance(ms: number, ends: 'inTime' | 'whenChosen' | 'settled'): Promise<boolean> {
    const { clock } = this.#network
    const untilMs = clock.now() + ms
    while (true) {
      await this.#quieten()
      const nextMs = Math.min(clock.nextWakeMs() ?? Infinity, ...this.#restarts.values())
      const next = this.#chooseNext(nextMs <= untilMs, ends)
      if (next === 'ended') continue
      if (next === 'act') return true
      if (nextMs > untilMs) break
      if (this.#events > this.#options.mostEvents) return false
      this.#findSleepers(nextMs)
      clock.setTo(Math.max(nextMs, clock.now()))
      for (const [name, atMs] of this.#restarts) if (atMs <= clock.now()) await this.#restart(name)
    }
    if (ends === 'whenChosen') return true
    this.#findSleepers(untilMs)
    clock.setTo(Math.max(untilMs, clock.now()))
    await this.#quieten()
    return true
  }

  /** What comes next at this instant: ends of steps, what is to be done, or more time. */
  #chooseNext(hasWake: boolean, ends: 'inTime' | 'whenChosen' | 'settled'): 'ended' | 'act' | 'time' {
    let hasEnded = false
    do {
      const { all } = this.#held
      const others = [
        ...(ends === 'whenChosen' ? (['act'] as const) : []),
        ...(hasWake || ends === 'inTime' ? (['time'] as const) : []),
      ]
      const among = all.length + others.length
      if (among === 0) break
      const chosen = this.chooser.choose(among)
      const step = all[chosen]
      const other = others[chosen - all.length]
      if (step === undefined) {
        if (hasEnded) break
        if (other === 'time' && all.length > 0) this.#say('more time passes first')
        return other ?? 'time'
      }
      if (this.#plan.order !== 'inTurn') this.#say(`${step.what} ends`)
      step.end()
      hasEnded = true
    } while (this.chooser.comesTogether())
    return hasEnded ? 'ended' : 'time'
  }

  /** Nothing happens before `nextMs`. A node that must act sooner, by the model, has missed its time. */
  #findSleepers(nextMs: number): void {
    for (const [name, watch] of this.#watches) {
      const at = watch.nextInstant
      if (at === undefined || !this.#network.isRunning(name) || this.#network.node(name).trouble !== undefined) continue
      if (toMillis(at) - (this.#clockOffsetsMs.get(name) ?? 0) >= nextMs) continue
      this.#sleptThrough.push(`${name} is idle, and by the model it must act at ${at}, by its own clock`)
    }
  }

  /** A tick is in a log: it has taken its time. */
  #takeTime(): void {
    const { clock } = this.#network
    if (this.#plan.tickMs === 0 || (this.#timedTicks += 1) > mostTimedTicks) return
    clock.setTo(clock.now() + this.#plan.tickMs)
  }

  /** Lets everyone do what there is to do now, those included that start again meanwhile. */
  async #quieten(): Promise<void> {
    this.#timedTicks = 0
    do await this.#network.runUntilQuiet()
    while (await this.#findFailed())
  }

  /**
   * Nodes whose power went out come up again later; one that stopped by itself is a matter for the judge. True when
   * there was one.
   */
  async #findFailed(): Promise<boolean> {
    let found = false
    for (const name of this.#network.names) {
      const failure = this.#network.failure(name)
      if (failure === undefined || this.#restarts.has(name)) continue
      found = true
      const isCut = this.#stores.get(name)?.faults.wasCut === true
      if (isCut) this.boundaries.count('power cuts')
      if (!isCut) this.#stopped.push(`the node of ${name} stopped by itself: ${failure.message}`)
      this.#say(isCut ? `the power of ${name} goes out` : `the node of ${name} stops by itself: ${failure.message}`)
      await this.#network.crash(name)
      this.#restarts.set(name, this.#network.clock.now() + (this.#downMs.get(name) ?? 0))
      if ((this.#downMs.get(name) ?? 0) === 0) await this.#restart(name)
    }
    return found
  }

  async #restart(name: string): Promise<void> {
    this.#restarts.delete(name)
    if (this.#network.isRunning(name)) return
    this.#say(`${name} starts again`)
    const store = this.#stores.get(name)
    await store?.reopen()
    if (store !== undefined) this.#watches.get(name)?.compareAll(store.reader)
    try {
      await this.#network.restart(name, { app: this.#appOf(name), ...(store === undefined ? {} : { store }) })
    } catch (error) {
      if (!(error instanceof CarillonError)) throw error
      // Its disk is full, or fails again: it is tried later, as whoever supervises it would.
      if (this.#stores.get(name)?.faults.wasCut !== true && error.code !== 'disk-full')
        this.#stopped.push(`the node of ${name} could not start: ${error.message}`)
      this.#restarts.set(name, this.#network.clock.now() + 1_000)
    }
  }

  #appOf(name: string): App {
    return this.#processes.get(name)?.begin() ?? this.#options.app
  }

  /** Another process leads the node of a party from now on, if the log lets it. */
  async #takeOver(name: string, isAlone: boolean): Promise<void> {
    const store = this.#stores.get(name)
    if (!(store instanceof SimulatedRemoteStore)) return
    const wasRunning = this.#network.isRunning(name)
    if (wasRunning && isAlone) await this.#network.crash(name)
    this.#restarts.delete(name)
    const successor = await store.successor()
    this.#formerStores.push(store)
    this.#stores.set(name, successor)
    this.#watches.get(name)?.compareAll(successor.reader)
    try {
      await this.#network.takeOver(name, { app: this.#appOf(name), store: successor })
      this.boundaries.count('takeovers')
      if (wasRunning && !isAlone) this.boundaries.count('takeovers from a process that is alive')
    } catch (error) {
      if (!(error instanceof CarillonError)) throw error
      // Its first tick was not to be; what supervises it starts it again.
      this.#say(`  it cannot: ${error.message}`)
      await this.#network.crash(name)
      this.#restarts.set(name, this.#network.clock.now() + 1_000)
    }
  }

  /** The node of a party is killed, something is done to its store, and it starts again. */
  async #startOn(name: string, change: (disk: SimulatedDisk) => Promise<void>): Promise<void> {
    const disk = this.#stores.get(name)
    if (!(disk instanceof SimulatedDisk)) return
    if (this.#network.isRunning(name)) await this.#network.crash(name)
    disk.crash()
    await disk.reopen()
    await change(disk)
    await this.#restart(name)
  }

  async #act(action: Action): Promise<void> {
    const network = this.#network
    this.#say(describeAction(action))
    switch (action.kind) {
      case 'work':
        if (network.isRunning(action.party)) await this.#options.workload(this.#turn(action.party, action.id))
        else this.#say('  its node is down')
        return
      case 'crash':
        if (!network.isRunning(action.party)) return
        this.#stores.get(action.party)?.crash()
        await network.crash(action.party)
        this.#restarts.set(action.party, network.clock.now() + action.downMs)
        if (action.downMs === 0) await this.#restart(action.party)
        return
      case 'powerCut':
        this.#downMs.set(action.party, action.downMs)
        this.#stores.get(action.party)?.faults.cutAt(action.side, action.commits)
        return
      case 'weather':
        network.transport.weather = action.weather
        return
      case 'partition':
        network.heal()
        network.partition(...action.groups)
        return
      case 'heal':
        network.heal()
        return
      case 'clock':
        this.#clockOffsetsMs.set(action.party, action.offsetMs)
        network.setClockOffset(action.party, { milliseconds: action.offsetMs })
        return
      case 'diskFull':
        this.#stores.get(action.party)?.faults.failNext(action.commits)
        return
      case 'diskSlow':
        this.#stores.get(action.party)?.faults.slowDown(action.turns)
        return
      case 'silence':
        this.#stores.get(action.party)?.faults.silence(action.appends, action.arrives)
        return
      case 'takeover':
        await this.#takeOver(action.party, action.isAlone)
        return
      case 'rebuild':
        await this.#startOn(action.party, async (disk) => {
          await (action.from === 'log' ? disk.rebuild() : disk.restore())
          this.boundaries.count(action.from === 'log' ? 'rebuilt views' : 'backups of backups restored')
        })
        return
      case 'upgrade':
        if (this.#processes.get(action.party)?.upgrade(action.versions) !== true || !network.isRunning(action.party))
          return
        this.boundaries.count('changes to a later version of the app')
        await network.stop(action.party)
        await this.#restart(action.party)
        return
      case 'attack': {
        const chance = new Chance(`attack ${this.#plan.seed} ${action.id}`)
        for (const what of (await this.#adversaries.get(action.party)?.act(chance)) ?? [])
          this.#say(`  ${action.party} ${what}`)
        return
      }
      case 'operate':
        if (network.isRunning(action.party)) await this.#operate(network.node(action.party), action.act)
        return
    }
  }

  #turn(name: string, id: number): Turn {
    const network = this.#network
    const node = network.node(name)
    return {
      name,
      node,
      parties: [
        ...this.#options.cast.workers.map((worker) => network.party(worker)),
        ...[...this.#adversaries.values()].map(({ me }) => me),
      ],
      now: instantFromMillis(network.clock.now()),
      chance: new Chance(`work ${this.#plan.seed} ${id}`),
      start: (flow, input) => this.#start(name, node, flow, input),
      ask: async (what, ask) => {
        this.#say(`  ${name} ${what}`)
        await this.#unlessRefused(() => ask(node))
      },
    }
  }

  async #start<I, R, F>(
    party: string,
    node: Node,
    flow: FlowDefinition<I, R, F>,
    input: I,
  ): Promise<FlowId | undefined> {
    let started: FlowId | undefined
    this.#say(`  ${party} asks for ${flow.name} ${JSON.stringify(flow.input.encode(input))}`)
    await this.#unlessRefused(async () => {
      const handle = await node.start(flow, input)
      started = handle.id
      this.#witness.told({ party, flow: handle.id })
      this.#say(`  it is told that flow ${handle.id.slice(0, 8)} has started`)
      void handle.result().then(
        (result) => {
          this.#witness.told({ party, flow: handle.id, result })
          this.#say(
            `  ${party} is told that flow ${handle.id.slice(0, 8)} returned ${result === undefined ? 'nothing' : JSON.stringify(result)}`,
          )
        },
        () => undefined,
      )
    })
    return started
  }

  async #operate(node: Node, act: OperatorAct): Promise<void> {
    await this.#unlessRefused(async () => {
      if (act === 'drain') await node.drain({ by: 'simulation' })
      if (act === 'endDraining') await node.endDraining({ by: 'simulation' })
      const show = act === 'resume' ? 'paused' : 'scheduled'
      const [first] = (await node.agenda({ show, limit: 1 })).items
      if (first === undefined) return
      if (act === 'trigger') await node.trigger(first.ref, { by: 'simulation' })
      if (act === 'pause') await node.pause(first.ref, { by: 'simulation' })
      if (act === 'resume') await node.resume(first.ref, { by: 'simulation' })
    })
  }

  /** What is asked of a node may be refused, also because it fails at that very moment. */
  async #unlessRefused(ask: () => Promise<unknown>): Promise<void> {
    try {
      await ask()
    } catch (error) {
      if (!(error instanceof CarillonError)) throw error
      this.#say(`  it is refused: ${messageOf(error)}`)
    }
  }

  /** Everyone can reach everyone, every clock is right, every disk works, and nobody is held back. */
  async #mend(): Promise<void> {
    this.#say('everything is mended')
    const network = this.#network
    network.heal()
    network.transport.weather = mended
    for (const name of network.names) {
      this.#stores.get(name)?.faults.mend()
      this.#clockOffsetsMs.delete(name)
      network.setClockOffset(name, { milliseconds: 0 })
      if (!network.isRunning(name)) await this.#restart(name)
    }
    this.#restarts.clear()
    for (const name of network.names) {
      const node = network.node(name)
      await node.endDraining({ by: 'simulation' })
      for (const { ref } of (await node.agenda({ show: 'paused', limit: 1_000 })).items)
        await node.resume(ref, { by: 'simulation' })
    }
  }
}
