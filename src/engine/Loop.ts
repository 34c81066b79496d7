/**
 * The node's one loop. A tick takes a bounded batch of inputs, decides, makes everything it decided durable in
 * one commit, and only then releases: callers are answered, steps begin, followers are told.
 */
import { CarillonError, messageOf, NodeFault } from '../errors/CarillonError.js'
import type { FlowEngine } from './FlowEngine.js'
import type { EngineLimits } from './limits.js'
import { LineBuffer } from '../log/LineBuffer.js'
import { carillonVersion, logFormat } from '../log/logFormat.js'
import type { DomainEvent } from '../log/events.js'
import { Reopening } from './Reopening.js'
import type { Clock } from '../time/Clock.js'
import { latestInstantMs } from '../time/Instant.js'
import { Backlog } from './Backlog.js'
import { ClockWatch } from './ClockWatch.js'
import { Followers, type Follower } from './Followers.js'
import { FlowsToWake } from './FlowsToWake.js'
import { Inputs, type Input } from './Inputs.js'
import { LogTrouble } from './LogTrouble.js'
import type { Logger } from './Logger.js'
import type { ActiveTick } from './ActiveTick.js'
import { OpenTick, type NodeParts } from './OpenTick.js'
import { RecentMoves } from './RecentMoves.js'
import { runDue } from './runDue.js'
import { StepResumption } from './StepResumption.js'
import type { MapSerial } from '../log/NodeTables.js'
import type { AppendOutcome } from '../log/EventLog.js'
import type { EncodedTick } from '../log/Tick.js'
import type { PendingCommit, LoopStore } from './LoopStore.js'

/** A tick that is on its way to the disk: decided, not released. */
type Pending = { readonly commit: PendingCommit; readonly tick: OpenTick; readonly taken: readonly Input[] }

export type LoopParts = Omit<NodeParts, 'waitMs' | 'isWriterIdle' | 'moves' | 'lines'> & {
  readonly store: LoopStore
  readonly clock: Clock
  readonly engine: FlowEngine
  readonly logger: Logger
}

/** How a process comes to lead: by a start of the node, or because the process that led is gone. */
export type Leadership = {
  readonly reason: 'start' | 'takeover'
  readonly process?: string
  readonly leaseMs?: number
  readonly map?: MapSerial
  /** What else has changed since the node ran last, to be recorded with its start. */
  readonly alsoFirst?: readonly DomainEvent[]
}

export class Loop {
  readonly #parts: LoopParts
  readonly #limits: EngineLimits
  readonly #inputs: Inputs
  readonly #followers: Followers
  readonly #idleWaits = new Set<() => void>()
  readonly #stopWaits = new Set<(reason: CarillonError) => void>()
  #tickWaits: (() => void)[] = []
  readonly #backlog = new Backlog()
  #reopening: Reopening | undefined
  #stepResumption: StepResumption | undefined
  /** Whether the views may be decided by: false while the store checks them. */
  #isSound = true
  #ticking = false
  #pending: Pending | undefined
  #scheduled = false
  #stopped: CarillonError | undefined
  /** Set once the final events are recorded: nothing is taken on after them. */
  #closing: CarillonError | undefined
  /** Whether there was nothing to do before the tick that is under way. */
  #wasIdle = true
  readonly #trouble: LogTrouble
  readonly #moves: RecentMoves
  readonly #lines = new LineBuffer()
  readonly #clockWatch: ClockWatch
  readonly #flowsToWake: FlowsToWake
  #cancelWake: () => void = () => undefined
  #unwatchLog: (() => void) | undefined
  #onFailure: (error: CarillonError) => void = () => undefined

  constructor(parts: LoopParts) {
    this.#parts = parts
    this.#limits = parts.limits.engine
    this.#inputs = new Inputs(this.#limits)
    this.#moves = new RecentMoves(this.#limits)
    this.#followers = new Followers(parts.logger)
    this.#trouble = new LogTrouble(parts.clock, parts.logger, this.#limits)
    const { atMs, latestMs } = parts.store.views.facts.now
    this.#clockWatch = new ClockWatch(parts.logger, this.#limits, atMs)
    this.#flowsToWake = new FlowsToWake(latestMs)
  }

  /** Records the start of the node and begins to tick. */
  async start(
    onFailure: (error: CarillonError) => void,
    { reason, alsoFirst = [], ...claim }: Leadership = { reason: 'start' },
  ): Promise<void> {
    this.#onFailure = onFailure
    this.#unwatchLog = this.#parts.store.onBroken?.((error) => void this.#logBroken(error))
    const { store, me, registry, network } = this.#parts
    const term = store.views.facts.now.term + 1
    this.#stepResumption = new StepResumption()
    const revision = await this.submit((tick) => {
      tick.emit({
        type: 'NodeStarted',
        reason,
        party: me,
        app: registry.app.name,
        appVersion: registry.app.version,
        term,
        format: logFormat,
        carillon: carillonVersion,
        network: tick.views.facts.signer?.network ?? network.id,
        ...claim,
      })
      for (const event of alsoFirst) tick.emit(event)
      return tick.views.facts.now.head.revision + 1
    })
    // A takeover is no start: what has ended stays ended.
    this.#reopening = new Reopening(revision, reason === 'takeover')
    this.#awaitSound()
    this.#schedule()
  }

  #awaitSound(): void {
    const { whenSound } = this.#parts.store
    if (whenSound === undefined) return
    this.#isSound = false
    whenSound().then(
      () => {
        this.#isSound = true
        this.#schedule()
      },
      (error: unknown) => {
        this.#isSound = true
        if (this.#stopped === undefined) this.#failed(error, [])
      },
    )
  }

  /** Hands an input to the next tick. Resolves once what it decided is durable; rejects with the reason if it was refused. */
  submit<A>(decide: (tick: ActiveTick) => A, options: { readonly mustBeRecorded?: boolean } = {}): Promise<A> {
    const closed = this.#stopped ?? this.#closing
    if (closed !== undefined) return Promise.reject(closed)
    const answer = this.#inputs.add(decide, options.mustBeRecorded ?? false)
    this.#schedule()
    return answer
  }

  /** Calls back with the events of every tick, after they are durable and in order. */
  follow(follower: Follower): () => void {
    return this.#followers.add(follower)
  }

  /** Calls back when the loop stops, for whatever reason; at once when it has stopped already. */
  whenStopped(callback: (reason: CarillonError) => void): void {
    if (this.#stopped === undefined) this.#stopWaits.add(callback)
    else callback(this.#stopped)
  }

  /** Resolves when there is nothing to do before the clock moves on. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#idleWaits.add(resolve)
      if (!this.isBusy) this.#settle()
    })
  }

  /** About how long an input waits that arrives now. */
  readonly waitMs = (): number => this.#backlog.waitMs(this.#inputs.length)

  /** Whether a tick is under way or about to be. */
  get isBusy(): boolean {
    return this.#ticking || this.#scheduled || this.#pending !== undefined
  }

  /** Why the last tick could not be written; undefined when all is well. */
  get trouble(): CarillonError | undefined {
    return this.#parts.store.trouble?.() ?? this.#trouble.error
  }

  get isTicking(): boolean {
    return this.#ticking
  }

  /** Resolves when the tick that is under way, if there is one, is over; the next has not begun then. */
  tickOver(): Promise<void> {
    return this.#ticking ? new Promise((resolve) => this.#tickWaits.push(resolve)) : Promise.resolve()
  }

  /** Stops ticking. Whoever still waits is told; nothing that was acknowledged is lost. */
  async stop(reason: CarillonError, finalEvents?: (tick: ActiveTick) => readonly DomainEvent[]): Promise<void> {
    if (this.#stopped !== undefined) return
    try {
      if (finalEvents !== undefined && this.#isSound) {
        const said = this.submit((tick) => {
          for (const event of finalEvents(tick)) tick.emit(event)
        })
        this.#closing = reason
        // A log that does not answer has had its time; the next start finds out what it holds.
        const enough = setTimeout(() => this.#parts.store.abandon?.(), this.#limits.finalEventsMs)
        await said.finally(() => clearTimeout(enough))
      }
    } catch (error) {
      // A full disk must not keep a node from stopping; the log then ends as after a crash.
      this.#parts.logger.warn(`The stop could not be recorded: ${messageOf(error)}`, {})
    }
    this.halt(reason)
    await this.abandonTick()
  }

  /** Ends the tick under way, however long its log would let it wait. */
  async abandonTick(): Promise<void> {
    const { store } = this.#parts
    store.abandon?.()
    await this.tickOver()
    store.resume?.()
  }

  /** Stops at once, without a word in the log, as a crash would. */
  halt(reason: CarillonError): void {
    this.#stopped ??= reason
    this.#cancelWake()
    this.#unwatchLog?.()
    const { stands, lost } = this.#settleBeforeStop()
    if (stands !== undefined) this.#release(stands)
    for (const input of lost) input.fail(this.#stopped)
    this.#inputs.failAll(this.#stopped)
    for (const callback of this.#stopWaits) callback(this.#stopped)
    this.#stopWaits.clear()
    this.#settle()
  }

  #schedule(): void {
    if (this.#scheduled || this.#ticking || this.#stopped !== undefined || !this.#isSound) return
    this.#scheduled = true
    this.#cancelWake()
    setImmediate(() => {
      this.#scheduled = false
      void this.#tick()
    })
  }

  /**
   * Whether a tick that is closed now would be on its way at once. What falls due at one instant after a pause belongs
   * into one tick, as far as it fits; what follows makes use of the disk.
   */
  readonly #isWriterIdle = (): boolean =>
    !this.#wasIdle && !this.#isCatchingUp() && (this.#parts.store.isWriterIdle?.() ?? false)

  async #tick(): Promise<void> {
    if (this.#ticking) return
    if (this.#stopped !== undefined) {
      // Who has asked since the stop was told that this tick is about to begin.
      this.#settle()
      return
    }
    this.#ticking = true
    const { store } = this.#parts
    const taken: Input[] = []
    const beganMs = this.#parts.clock.now()
    this.#clockWatch.look(beganMs, this.#parts.clock.steadyMs?.())
    let retryLater: boolean
    try {
      const tick = new OpenTick(
        {
          ...this.#parts,
          waitMs: this.waitMs,
          isWriterIdle: this.#isWriterIdle,
          moves: this.#moves,
          lines: this.#lines,
        },
        store.views,
        // The tick before may be on its way to the disk still; this one follows it.
        store.views.facts.now.head,
        Math.min(this.#parts.clock.now(), latestInstantMs),
      )
      store.begin()
      this.#decide(tick, taken)
      retryLater = !(await this.#close(tick, taken))
      if (tick.isEmpty && !retryLater)
        retryLater = this.#trouble.error !== undefined && !(await this.#trouble.probe(store))
    } catch (error) {
      retryLater = this.#failed(error, taken)
    }
    this.#backlog.took(taken.length, this.#parts.clock.now() - beganMs)
    this.#ticking = false
    this.#wasIdle = false
    const waits = this.#tickWaits
    this.#tickWaits = []
    for (const resolve of waits) resolve()
    try {
      this.#next(retryLater)
    } catch (error) {
      this.#failed(error, [])
    }
  }

  /** Inputs, woken flows and due activities take turns at going first, so that none can starve the others. */
  #decide(tick: OpenTick, taken: Input[]): void {
    const phases = [
      () => {
        this.#inputs.decide(tick, taken)
      },
      () => {
        this.#wakeFlows(tick)
      },
      () => {
        // What a start attempts again comes to an end; what is due may go on for ever.
        this.#reopening?.decide(tick, this.#parts.engine)
        if (!tick.views.facts.now.draining) runDue(tick, this.#parts.engine)
      },
    ]
    // The tick that records the start of the node, or its stop, starts nothing: that belongs to the term it opens, or
    // to none.
    const onlyInputs = this.#reopening === undefined || this.#closing !== undefined
    // A log that cannot be written does not move on, and the turns must all the same.
    const first = onlyInputs ? 0 : (tick.views.facts.now.head.tick + this.#trouble.failures) % phases.length
    const turns = [...phases.slice(first), ...phases.slice(0, first)]
    for (const phase of onlyInputs ? turns.slice(0, 1) : turns) phase()
    if (onlyInputs) return
    this.#stepResumption?.decide(tick, this.#parts.engine)
  }

  #wakeFlows(tick: OpenTick): void {
    for (const row of this.#flowsToWake.of(tick.views.flows, tick.nowMs, this.#limits.wakesPerTick)) {
      if (tick.isFull()) return
      this.#parts.engine.wake(tick, row)
    }
  }

  /** Ends the tick, once the one before it stands. True when it stands too, or is on its way. */
  async #close(tick: OpenTick, taken: Input[]): Promise<boolean> {
    const { store, engine } = this.#parts
    const sealed = tick.isEmpty ? undefined : tick.seal()
    const before = this.#pending
    // Even a tick that states nothing has decided upon the one before, and may answer with what that one says.
    if (before !== undefined && !this.#awaitPending(before, taken)) return false
    try {
      if (sealed === undefined) {
        store.rollback()
      } else {
        if (this.#handOver(tick, sealed, taken)) return true
        const result = store.commit(sealed)
        if (!this.#isAppended(result instanceof Promise ? await result : result, taken)) return false
      }
      engine.live.committed()
    } finally {
      // Only now, when no tick is open whose rows a follower could see.
      if (before !== undefined) this.#release(before.tick)
    }
    this.#release(tick)
    return true
  }

  /** Sends the tick on its way, if the store takes it; the next is then decided as if it stood. */
  #handOver(tick: OpenTick, sealed: EncodedTick, taken: readonly Input[]): boolean {
    // How far the work after a start has come is known when it is released: decided upon before, it would be done twice.
    const commit = this.#isCatchingUp() ? undefined : this.#parts.store.handOver?.(sealed)
    if (commit === undefined) return false
    this.#parts.engine.live.handedOver()
    this.#pending = { commit, tick, taken }
    commit.whenDone(() => {
      this.#pendingDone(commit)
    })
    return true
  }

  /** Waits for the pending tick. True when it is in the log; otherwise what was decided since is rolled back with it. */
  #awaitPending({ commit, taken }: Pending, since: Input[]): boolean {
    this.#pending = undefined
    // Beforehand, so that they are told even if the store breaks.
    since.unshift(...taken)
    const outcome = commit.outcome()
    if (outcome.kind === 'appended') {
      this.#parts.engine.live.pendingCommitted()
      since.splice(0, taken.length)
    }
    return this.#isAppended(outcome, since)
  }

  /** The pending tick was committed, or has failed, before another was decided. */
  #pendingDone(commit: PendingCommit): void {
    const pending = this.#pending
    if (pending?.commit !== commit) return
    if (this.#ticking) {
      void this.tickOver().then(() => {
        this.#pendingDone(commit)
      })
      return
    }
    const lost: Input[] = []
    let retryLater = false
    try {
      if (this.#awaitPending(pending, lost)) this.#release(pending.tick)
      else retryLater = true
      if (!this.#scheduled) this.#next(retryLater)
    } catch (error) {
      this.#next(this.#failed(error, lost))
    }
  }

  /** What is pending when the node stops is committed or fails by itself. */
  #settleBeforeStop(): { readonly stands?: OpenTick; readonly lost: readonly Input[] } {
    const pending = this.#pending
    this.#pending = undefined
    try {
      if (pending?.commit.outcome().kind === 'appended') return { stands: pending.tick, lost: [] }
    } catch {
      // The store is beyond use; whoever stops the node says why.
    }
    return { lost: pending?.taken ?? [] }
  }

  /** True when a tick was written. Whoever waits for one that was not is told, or waits for the next. */
  #isAppended(outcome: AppendOutcome, taken: readonly Input[]): boolean {
    const { engine } = this.#parts
    switch (outcome.kind) {
      case 'appended':
        this.#trouble.over()
        return true
      case 'refused':
        throw new CarillonError(
          'log-revision-conflict',
          `Another process has appended to this node's log, up to revision ${outcome.head.revision}. This node steps down; nothing it had not acknowledged was recorded.`,
          { revision: outcome.head.revision },
        )
      case 'failed':
      case 'unknown': {
        engine.live.rolledBack()
        this.#flowsToWake.rolledBack()
        const { error } = outcome
        // What trying again cannot mend would be tried for ever.
        if (error.consequence === 'stop') throw error
        this.#troubled(error, taken)
        return false
      }
    }
  }

  /** Callers are told, those who wait as well: nobody knows when the log can be written again. */
  #troubled(error: CarillonError, taken: readonly Input[]): void {
    this.#trouble.met(error)
    this.#inputs.giveBack(taken, error)
  }

  /** Tells everyone, also when something is wrong with telling one of them; that is thrown when all have been told. */
  #release(tick: OpenTick): void {
    const failures: unknown[] = []
    for (const action of tick.releases) {
      try {
        action()
      } catch (error) {
        failures.push(error)
      }
    }
    this.#followers.tell(tick)
    if (failures.length > 0) throw failures[0]
  }

  /** True when the same tick may be tried again later; otherwise the node stops. */
  #failed(error: unknown, undecided: readonly Input[]): boolean {
    const { store, engine, logger } = this.#parts
    const wasStopped = this.#stopped !== undefined
    try {
      store.rollback()
    } catch {
      // The store is already out of its transaction, or beyond use; the error that led here says why.
    }
    engine.live.rolledBack()
    this.#flowsToWake.rolledBack()
    const { stands, lost } = this.#settleBeforeStop()
    if (stands !== undefined) this.#release(stands)
    const taken = [...lost, ...undecided]
    const known =
      error instanceof CarillonError
        ? error
        : new NodeFault('invariant-broken', `Unexpected error: ${messageOf(error)}`, {}, error)
    if (known.consequence === 'retry' && !wasStopped) {
      this.#troubled(known, taken)
      return true
    }
    for (const input of taken) input.fail(known)
    this.halt(known)
    if (wasStopped) return false
    logger.error(`The node stops: ${known.message}`, { code: known.code })
    try {
      this.#onFailure(known)
    } catch (thrown) {
      logger.error(`The handler of the node's failure threw: ${messageOf(thrown)}`, {})
    }
    return false
  }

  /** The log can be used no longer, and the node need not wait for its next tick to find out. */
  async #logBroken(error: CarillonError): Promise<void> {
    await this.tickOver()
    if (this.#stopped === undefined) this.#failed(error, [])
  }

  #next(retryLater: boolean): void {
    if (this.#stopped !== undefined) {
      this.#settle()
      return
    }
    if (retryLater || this.#trouble.isWaiting()) {
      this.#wakeAt(this.#trouble.retryAtMs())
      // Until the clock moves on there is nothing to do, and whoever moves it may be waiting to hear that.
      this.#settle()
      return
    }
    if (this.#inputs.length > 0 || this.#isCatchingUp()) {
      this.#schedule()
      return
    }
    const { views } = this.#parts.store
    const nowMs = this.#parts.clock.now()
    if (this.#pending !== undefined) {
      // Whatever else there is to do would wait for the disk; so it is looked for when the tick is committed.
      const isDue = !views.facts.now.draining && views.activities.isDueAhead(nowMs)
      if (isDue || views.flows.isToWake(nowMs)) this.#schedule()
      return
    }
    const wakes = [
      views.flows.nextWakeMs(),
      views.facts.now.draining ? undefined : views.activities.nextDueMs(),
    ].filter((at) => at !== undefined)
    const nextMs = wakes.length === 0 ? undefined : Math.min(...wakes)
    if ((nextMs !== undefined && nextMs <= nowMs) || this.#flowsToWake.hasReadyAhead(views.flows, nowMs)) {
      this.#schedule()
      return
    }
    if (nextMs !== undefined) this.#wakeAt(nextMs)
    this.#wasIdle = true
    this.#settle()
  }

  /** After a start: there may be occurrences to open again, or steps to run again, beyond what one tick took. */
  #isCatchingUp(): boolean {
    const reopening =
      this.#reopening !== undefined && !this.#reopening.isDone && !this.#parts.store.views.facts.now.draining
    return reopening || this.#stepResumption?.isDone === false
  }

  #wakeAt(atMs: number): void {
    this.#cancelWake()
    this.#cancelWake = this.#parts.clock.wakeAt(atMs, () => {
      this.#schedule()
    })
  }

  #settle(): void {
    const waits = [...this.#idleWaits]
    this.#idleWaits.clear()
    for (const resolve of waits) resolve()
  }
}
