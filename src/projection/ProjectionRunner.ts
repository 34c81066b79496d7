/**
 * Keeps one projection up with the log: takes in what is missing, then follows. When its store is away it tries again; when
 * its code throws, or another process runs it as well, it stops. Nothing else notices.
 */
import type { ProjectionCheckpoint, ProjectionTarget, TargetProjection } from '../app/Projection.js'
import { projectionFenced } from '../app/projectionFenced.js'
import type { Logger } from '../engine/Logger.js'
import { pause } from '../engine/pause.js'
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import { sentenceOf } from '../errors/sentenceOf.js'
import type { PublicEvent } from '../log/PublicEvent.js'
import { withinDeadline } from '../logs/remote/withinDeadline.js'
import type { EventFeed } from '../subscription/EventFeed.js'
import type { ProjectionLimits } from './limits.js'

/** How a projection stands. */
export type ProjectionStatus = {
  readonly name: string
  readonly version: number
  /** Catching up with the log, up with it, waiting for its store, or stopped by an error. */
  readonly state: 'catching up' | 'live' | 'waiting for its store' | 'stopped'
  /** The last revision that it has taken in; -1 before the first. */
  readonly revision: number
  /** How many revisions it is behind the log. */
  readonly lag: number
  readonly error?: { readonly code: string; readonly message: string }
}

type Definition = Pick<TargetProjection, 'name' | 'version' | 'types'>

type RunnerParts = { readonly feed: EventFeed; readonly logger: Logger; readonly limits: ProjectionLimits }

/** Errors after which trying again cannot help. */
const final: ReadonlySet<string> = new Set([
  'projection-threw',
  'projection-outdated',
  'projection-fenced',
  'projection-ahead',
])

const isFinal = (error: unknown): error is CarillonError => error instanceof CarillonError && final.has(error.code)

export class ProjectionRunner {
  readonly definition: Definition
  readonly #target: ProjectionTarget
  readonly #feed: EventFeed
  readonly #logger: Logger
  readonly #limits: ProjectionLimits
  readonly #stopping = new AbortController()
  readonly #waits = new Set<() => void>()
  #running: Promise<void> = Promise.resolve()
  #revision = -1
  #isLive = false
  #error: CarillonError | undefined
  #hasStopped = false

  constructor(definition: Definition, target: ProjectionTarget, { feed, logger, limits }: RunnerParts) {
    this.definition = definition
    this.#target = target
    this.#feed = feed
    this.#logger = logger
    this.#limits = limits
  }

  start(): void {
    this.#running = this.#run()
      .catch((error: unknown) => {
        this.#error =
          error instanceof CarillonError ? error : new CarillonError('projection-threw', messageOf(error), {}, error)
        this.#logger.error(this.#error.message, { projection: this.definition.name, code: this.#error.code })
      })
      .then(() => {
        // Its node may have failed, and nobody have stopped it.
        this.#hasStopped = true
        this.#tell()
      })
  }

  /** Ends it, with what it has taken in saved where that is possible. A store that does not answer is not waited for long. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    const { name } = this.definition
    // Saved later, it could be saved over what a new process has begun with.
    let isWaitedFor = true
    const ended = this.#running.then(() => (isWaitedFor ? this.#target.close() : undefined))
    try {
      await withinDeadline(ended, this.#limits.stopMs, 'Its store')
    } catch (error) {
      isWaitedFor = false
      const why = `Projection ${name} was not saved at the stop: ${sentenceOf(error)} It goes on from what was saved before.`
      this.#error ??= new CarillonError('projection-store-away', why, { projection: name }, error)
      this.#logger.warn(why, { projection: name, code: 'projection-store-away' })
    }
    this.#hasStopped = true
    this.#tell()
  }

  abandon(): void {
    this.#stopping.abort()
    this.#hasStopped = true
    this.#tell()
  }

  get status(): ProjectionStatus {
    const { name, version } = this.definition
    const error = this.#error
    return {
      name,
      version,
      state: this.#hasStopped
        ? 'stopped'
        : error !== undefined
          ? 'waiting for its store'
          : this.#isLive
            ? 'live'
            : 'catching up',
      revision: this.#revision,
      lag: Math.max(0, this.#feed.head.revision - this.#revision),
      ...(error === undefined ? {} : { error: { code: error.code, message: error.message } }),
    }
  }

  /** Whether it has once been up with the log. */
  get isLive(): boolean {
    return this.#isLive
  }

  /** Resolves when it has taken in a revision, and has been up with the log once. */
  async reached(revision: number, signal?: AbortSignal): Promise<void> {
    for (;;) {
      if (this.#isLive && this.#revision >= revision) return
      if (this.#hasStopped) throw this.#stoppedError()
      if (signal?.aborted === true) throw this.#waitAborted(revision, signal)
      await new Promise<void>((resolve) => {
        const done = (): void => {
          this.#waits.delete(done)
          signal?.removeEventListener('abort', done)
          resolve()
        }
        this.#waits.add(done)
        signal?.addEventListener('abort', done)
      })
    }
  }

  #stoppedError(): CarillonError {
    return (
      this.#error ??
      this.#feed.stopped ??
      new CarillonError('node-stopped', `Projection ${this.definition.name} has ended with its node.`)
    )
  }

  #waitAborted(revision: number, { reason }: AbortSignal): CarillonError {
    const { name } = this.definition
    return new CarillonError(
      'wait-aborted',
      `Waiting for projection ${name} to take in revision ${revision} was aborted by its caller.`,
      { projection: name, revision },
      reason,
    )
  }

  #tell(): void {
    for (const wake of [...this.#waits]) wake()
  }

  async #run(): Promise<void> {
    const opened = await this.#untilDone(() => this.#target.open((at) => this.#feed.holds(at)))
    if (this.#stopping.signal.aborted) return
    await this.#assertInLog(opened)
    let from = opened
    this.#revision = from?.revision ?? -1
    // Where the log ended when a batch began: a log that grows meanwhile must not keep a batch from its end.
    let until = this.#feed.head.revision
    await this.#goLive(until)
    let events: PublicEvent[] = []
    const { types } = this.definition
    const wanted = types === undefined ? undefined : new Set(types)
    for await (const tick of this.#feed.ticks(this.#revision + 1, this.#stopping.signal)) {
      for (const event of tick.events) if (wanted === undefined || wanted.has(event.type)) events.push(event)
      const { revision, hash } = tick.head
      const to = { revision, hash }
      const isFar = revision - (from?.revision ?? -1) >= this.#limits.revisionsPerCheckpoint
      if (revision < until && events.length < this.#limits.eventsPerBatch && !isFar) continue
      if (events.length > 0 || isFar) {
        const [batch, before] = [events, from]
        const stands = await this.#untilDone(() => this.#target.apply(batch, to, before))
        if (stands === undefined) return
        if (!stands) throw projectionFenced(this.definition.name)
        from = to
        events = []
      }
      this.#revision = revision
      await this.#goLive(until)
      if (revision >= until) until = this.#feed.head.revision
      this.#tell()
    }
  }

  async #goLive(until: number): Promise<void> {
    if (this.#isLive || this.#revision < until) return
    await this.#untilDone(async () => {
      await this.#target.caughtUp()
      return true
    })
    this.#isLive = true
    this.#tell()
  }

  /** A log that was restored to an earlier head, or another log, does not hold where the projection stands. */
  async #assertInLog(at: ProjectionCheckpoint | undefined): Promise<void> {
    if (at === undefined || (await this.#feed.holds(at))) return
    const { name } = this.definition
    throw new CarillonError(
      'projection-ahead',
      `Projection ${name} stands at revision ${at.revision} of a history that this log does not hold: the log was restored to an earlier head, or is another one. Give the definition a higher version, and it is folded anew from this log.`,
      { projection: name, revision: at.revision, head: this.#feed.head.revision },
    )
  }

  /** Tries again for as long as the store is away; undefined when it was stopped meanwhile. */
  async #untilDone<A>(act: () => Promise<A>): Promise<A | undefined> {
    const { name } = this.definition
    let waitMs: number = this.#limits.retryFirstMs
    for (;;) {
      const slow = setTimeout(() => {
        this.#storeAway(new Error(`It has not answered for ${this.#limits.answerMs} ms.`))
      }, this.#limits.answerMs).unref()
      try {
        const done = await act()
        if (this.#error !== undefined) this.#logger.info(`Projection ${name} goes on.`, { projection: name })
        this.#error = undefined
        return done
      } catch (error) {
        if (isFinal(error)) throw error
        this.#storeAway(error)
      } finally {
        clearTimeout(slow)
      }
      await pause(waitMs, this.#stopping.signal)
      if (this.#stopping.signal.aborted) return undefined
      // oxlint-disable-next-line no-useless-assignment -- the next round of the loop reads it, which the rule does not see
      waitMs = Math.min(waitMs * 2, this.#limits.retryLongestMs)
    }
  }

  #storeAway(error: unknown): void {
    if (this.#hasStopped) return
    const { name } = this.definition
    if (this.#error === undefined)
      this.#logger.warn(`Projection ${name} waits for its store: ${messageOf(error)}`, { projection: name })
    this.#error =
      error instanceof CarillonError
        ? error
        : new CarillonError(
            'projection-store-away',
            `Projection ${name} waits for its store: ${sentenceOf(error)} It goes on by itself when it can.`,
            { projection: name },
            error,
          )
  }
}
