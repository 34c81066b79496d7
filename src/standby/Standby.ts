/**
 * One of several processes of a node on a shared log: it leads, or it follows with warm views and takes over when the
 * leader is gone. The log decides between two that want to lead: one's start is appended, the other's is refused.
 */
import { randomUUID } from 'node:crypto'
import { Registry } from '../app/Registry.js'
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import { logLimits } from '../log/limits.js'
import { standbyLimits } from './limits.js'
import { engineLimits } from '../engine/limits.js'
import { timeLimits } from '../time/limits.js'
import type { Head } from '../log/Tick.js'
import { BackOff } from '../engine/BackOff.js'
import { mayPass } from '../logs/remote/mayPass.js'
import { pause } from '../engine/pause.js'
import type { Database } from '../storage/Database.js'
import { builtInFlows } from '../node/builtInFlows.js'
import { LogBackedStore } from '../storage/LogBackedStore.js'
import { silentLogger, type Logger } from '../engine/Logger.js'
import { decodedEvents } from '../history/foldLog.js'
import type { Leadership } from '../engine/Loop.js'
import type { Node } from '../node/Node.js'
import type { NodeOptions } from '../node/NodeOptions.js'
import { assertOwn, lead, open, prepare, type Opened, type Prepared } from '../node/startNode.js'
import { LeaderWatch } from './LeaderWatch.js'

/** How one of several processes of a node is started. */
export type StandbyOptions = NodeOptions & {
  /** Where the log is kept, for all processes of the node alike. */
  readonly log: NonNullable<NodeOptions['log']>
  /** How long a leader may be silent before another process leads. Give all processes the same. Default 10 seconds. */
  readonly leaseMs?: number
  /** Called when this process has begun to lead. */
  readonly onLeading?: (node: Node) => void
  /** Called when this process has begun to follow, at first and after it has led. */
  readonly onFollowing?: () => void
}

/** Whether this process leads, or follows the one that does. */
export type Role = 'leading' | 'following'

/** The process goes on following: another one leads, or the log is away. Anything else is a reason to end. */
const mayFollow = (error: unknown): boolean =>
  mayPass(error) || (error instanceof CarillonError && error.code === 'log-revision-conflict')

/** Asked through a function, because the compiler takes a property it has seen false to be false for ever. */
const isAborted = (signal: AbortSignal): boolean => signal.aborted

/** One of several processes of a node. Make one with {@link standBy}. */
export class Standby {
  readonly #prepared: Prepared
  readonly #registry: Registry
  readonly #opened: Opened
  readonly #store: LogBackedStore
  readonly #leaseMs: number
  readonly #logger: Logger
  readonly #stopping = new AbortController()
  readonly #process = randomUUID()
  /** Why the process neither leads nor follows any more. */
  #endedBy: Error | undefined
  readonly #waiting = new Set<{ readonly resolve: (node: Node) => void; readonly reject: (error: Error) => void }>()
  readonly #followers = new Set<() => void>()
  #node: Node | undefined
  #watch: LeaderWatch | undefined
  #trouble: CarillonError | undefined
  #hasRun = false
  #ended: Promise<void> = Promise.resolve()

  private constructor(prepared: Prepared, registry: Registry, opened: Opened, store: LogBackedStore, leaseMs: number) {
    this.#prepared = prepared
    this.#registry = registry
    this.#opened = opened
    this.#store = store
    this.#leaseMs = leaseMs
    this.#logger = prepared.options.logger ?? silentLogger
  }

  static async start(options: StandbyOptions): Promise<Standby> {
    const leaseMs = options.leaseMs ?? standbyLimits.leaseMs
    if (!Number.isSafeInteger(leaseMs) || leaseMs < standbyLimits.shortestLeaseMs)
      throw new CarillonError(
        'definition-invalid',
        `A lease of ${leaseMs} ms is too short: the leader could not renew it in time. Give at least ${standbyLimits.shortestLeaseMs} ms.`,
        { leaseMs },
      )
    const prepared = prepare(options)
    const registry = new Registry(options.app, builtInFlows(options.app))
    const opened = await open(prepared.options)
    const { store, key } = opened
    try {
      if (!(store instanceof LogBackedStore))
        throw new CarillonError(
          'definition-invalid',
          'A standby needs a log that its other processes can reach: give log.',
        )
      const name = prepared.options.party ?? store.views.facts.now.partyName ?? 'Me'
      assertOwn(store, name, key, registry.app.name)
      const standby = new Standby(prepared, registry, opened, store, leaseMs)
      standby.#ended = standby.#run(options)
      return standby
    } catch (error) {
      await opened.releaseHold()
      throw error
    }
  }

  get role(): Role {
    return this.#node === undefined ? 'following' : 'leading'
  }

  /** The node, while this process leads. */
  get node(): Node | undefined {
    return this.#node
  }

  /** Whose process this is. */
  get partyName(): string {
    return this.#prepared.options.party ?? this.#store.views.facts.now.partyName ?? 'Me'
  }

  /** Where the views stand; whatever the log holds beyond it is still to come. */
  get head(): Head {
    return this.#store.head()
  }

  /** Where the log ends. Asks the log itself. */
  logHead(): Promise<Head> {
    return this.#store.logHead()
  }

  /** For how long nothing was heard of the leader, in milliseconds; 0 while this process leads. */
  get leaderSilentMs(): number {
    return this.#node === undefined ? (this.#watch?.silentMs() ?? 0) : 0
  }

  /** Why the log cannot be followed, or written, at the moment; undefined when all is well. */
  get trouble(): CarillonError | undefined {
    return this.#node === undefined ? (this.#trouble ?? this.#store.trouble()) : this.#node.trouble
  }

  /** @internal Asks the committed views, whether this process leads or follows. */
  readViews<A>(read: (db: Database) => A): Promise<A> {
    return this.#node?.readViews(read) ?? Promise.resolve(this.#store.reader).then(read)
  }

  /** Calls back whenever this process has begun to lead or to follow. */
  onRole(callback: () => void): () => void {
    this.#followers.add(callback)
    return () => void this.#followers.delete(callback)
  }

  /** Resolves with the node as soon as this process leads; rejects when it has ended. */
  leading(): Promise<Node> {
    if (this.#node !== undefined) return Promise.resolve(this.#node)
    if (this.#endedBy !== undefined) return Promise.reject(this.#endedBy)
    return new Promise((resolve, reject) => this.#waiting.add({ resolve, reject }))
  }

  /** Stops in good order: a leader says so in the log, so that a standby leads at once. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#ended
  }

  async #run({ onLeading, onFollowing, onFailure }: StandbyOptions): Promise<void> {
    const { signal } = this.#stopping
    let failure: unknown
    try {
      while (!signal.aborted) {
        onFollowing?.()
        this.#store.resume()
        const reason = await this.#withPatience(0, () => this.#follow(signal))
        if (reason === undefined || isAborted(signal)) break
        const steppedDown = await this.#lead(reason, onLeading)
        if (steppedDown !== undefined && !mayFollow(steppedDown)) throw steppedDown
      }
    } catch (error) {
      // Whoever was told to stop has waited no longer for the log.
      const isStop = error instanceof CarillonError && error.code === 'node-stopped' && isAborted(signal)
      if (!isStop) failure = error
    }
    const ended = failure instanceof Error ? failure : new CarillonError('node-stopped', 'The process has stopped.')
    this.#endedBy = ended
    for (const { reject } of this.#waiting) reject(ended)
    this.#waiting.clear()
    await this.#opened.releaseHold()
    if (failure === undefined) return
    this.#logger.error(`The process ends: ${ended.message}`, {})
    onFailure?.(ended)
  }

  /** Does what needs the log. When the process is told to stop meanwhile, the log is waited for no longer than so. */
  async #withPatience<A>(ms: number, work: () => Promise<A>): Promise<A> {
    const { signal } = this.#stopping
    let timer: NodeJS.Timeout | undefined
    const stop = (): void => {
      timer = setTimeout(() => this.#store.abandon(), ms)
    }
    signal.addEventListener('abort', stop, { once: true })
    // A signal that was given before somebody listens calls nobody.
    if (signal.aborted) stop()
    try {
      return await work()
    } finally {
      signal.removeEventListener('abort', stop)
      clearTimeout(timer)
    }
  }

  /** Follows until this process should lead, and says why; undefined when it is to stop. */
  async #follow(signal: AbortSignal): Promise<Leadership['reason'] | undefined> {
    const backOff = new BackOff(logLimits.logRetryFirstMs, logLimits.logFollowLongestMs)
    let watch: LeaderWatch | undefined
    while (!isAborted(signal)) {
      const enough = new AbortController()
      let timer: NodeJS.Timeout | undefined
      try {
        // Whether there is a leader at all is in what was appended until now.
        await this.#store.catchUp()
        this.#trouble = undefined
        const watching = (watch ??= new LeaderWatch(this.#leaseMs, this.#store.views.facts.now.running))
        this.#watch = watching
        timer = this.#abortWhenSilent(watching, enough)
        await this.#store.follow(AbortSignal.any([signal, enough.signal]), (tick) => {
          backOff.succeeded()
          watching.hear(decodedEvents(tick))
          if (watching.remainingMs() === 0) enough.abort()
        })
      } catch (error) {
        if (!mayFollow(error)) throw error
        if (error instanceof CarillonError) this.#trouble = error
        this.#logger.warn(`The log cannot be followed; trying again. ${messageOf(error)}`, {})
        await pause(backOff.next(), signal)
        continue
      } finally {
        clearInterval(timer)
      }
      if (isAborted(signal) || watch.remainingMs() > 0) continue
      // The silence may have been this process's own, stopped or cut off: then there is something new.
      if (await this.#hasMissed(watch, backOff)) continue
      const hasBeenRunning = watch.hasHeard || this.#hasRun
      return hasBeenRunning ? 'takeover' : 'start'
    }
    return undefined
  }

  /** Whether this process has more to follow before it may lead, or cannot lead yet. */
  async #hasMissed(watch: LeaderWatch, backOff: BackOff): Promise<boolean> {
    try {
      if (await this.#store.catchUp()) {
        watch.heardOf(this.#store.views.facts.now.running)
        if (watch.remainingMs() > 0) return true
      }
      // Whoever leads a log that forgets would acknowledge what only its own copy keeps.
      await this.#store.assertLogWhole()
      return false
    } catch (error) {
      if (!mayFollow(error)) throw error
      this.#logger.warn(`This process cannot lead yet; trying again. ${messageOf(error)}`, {})
      await pause(backOff.next(), this.#stopping.signal)
      return true
    }
  }

  #abortWhenSilent(watch: LeaderWatch, enough: AbortController): NodeJS.Timeout {
    const look = (): void => {
      if (watch.remainingMs() === 0) enough.abort()
    }
    look()
    return setInterval(look, Math.min(Math.ceil(this.#leaseMs / 20), timeLimits.longestTrustedWaitMs))
  }

  /** Leads until another process does, or this one is stopped. Gives what made it step down. */
  async #lead(reason: Leadership['reason'], onLeading: StandbyOptions['onLeading']): Promise<Error | undefined> {
    let stepDown: (error: Error) => void = () => undefined
    const steppedDown = new Promise<Error>((resolve) => (stepDown = resolve))
    const { signal } = this.#stopping
    const stopped = new Promise<undefined>((resolve) => {
      signal.addEventListener('abort', () => resolve(undefined), { once: true })
      // A signal that was given before somebody listens calls nobody.
      if (signal.aborted) resolve(undefined)
    })
    const options = { ...this.#prepared.options, onFailure: stepDown }
    // The store is this process's, for as long as it lives, whether it leads or follows.
    const opened = { ...this.#opened, releaseHold: () => Promise.resolve() }
    let node: Node
    try {
      node = await this.#withPatience(engineLimits.finalEventsMs, () =>
        lead({ ...this.#prepared, options }, this.#registry, opened, {
          reason,
          process: this.#process,
          leaseMs: this.#leaseMs,
        }),
      )
    } catch (error) {
      return error instanceof Error ? error : new Error(messageOf(error))
    }
    this.#node = node
    this.#hasRun = true
    this.#tellRole()
    onLeading?.(node)
    for (const { resolve } of this.#waiting) resolve(node)
    this.#waiting.clear()
    const why = await Promise.race([steppedDown, stopped])
    // Ends what goes on beside the loop; the log has the last word already.
    if (why === undefined) await node.stop()
    else await node.crash()
    this.#node = undefined
    this.#watch = undefined
    this.#tellRole()
    return why
  }

  #tellRole(): void {
    for (const follower of [...this.#followers]) follower()
  }
}

/**
 * Starts one of several processes of a node. It leads at once when nobody else does, follows otherwise, and resolves as
 * soon as its views are up to date.
 */
export const standBy = (options: StandbyOptions): Promise<Standby> => Standby.start(options)
