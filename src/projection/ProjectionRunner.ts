/**
 * Keeps one projection up with the log: takes in what is missing, then follows. When its store is away it tries again; when
 * its code throws, or another process runs it as well, it stops. Nothing else notices.
 */
import type { ProjectionCheckpoint, ProjectionTarget, TargetProjection } from '../app/Projection.js'
import type { Logger } from '../engine/Logger.js'
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import type { PublicEvent } from '../log/PublicEvent.js'
import type { EventFeed } from '../subscription/EventFeed.js'
import { projectionLimits } from './limits.js'

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
  readonly #stopping = new AbortController()
  readonly #waits = new Set<() => void>()
  #running: Promise<void> = Promise.resolve()
  #revision = -1
  #isLive = false
  #error: CarillonError | undefined
  #hasStopped = false

  constructor(definition: Definition, target: ProjectionTarget, feed: EventFeed, logger: Logger) {
    this.definition = definition
    this.#target = target
    this.#feed = feed
    this.#logger = logger
  }

  start(): void {
    this.#running = this.#run().catch((error: unknown) => {
      this.#hasStopped = true
      this.#error =
        error instanceof CarillonError ? error : new CarillonError('projection-threw', messageOf(error), {}, error)
      this.#logger.error(this.#error.message, { projection: this.definition.name, code: this.#error.code })
      this.#tell()
    })
  }

  /** Ends it, with what it has taken in saved where that is possible. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
    this.#hasStopped = true
    this.#tell()
    try {
      await this.#target.close()
    } catch (error) {
      // What was not saved is folded again at the next start.
      this.#logger.warn(`Projection ${this.definition.name} was not saved: ${messageOf(error)}`, {})
    }
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
      signal?.throwIfAborted()
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

  #tell(): void {
    for (const wake of [...this.#waits]) wake()
  }

  async #run(): Promise<void> {
    const opened = await this.#untilDone(() => this.#target.open())
    if (this.#stopping.signal.aborted) return
    await this.#assertInLog(opened)
    let from = opened
    this.#revision = from?.revision ?? -1
    await this.#goLive(this.#feed.head.revision)
    let events: PublicEvent[] = []
    const { types } = this.definition
    const wanted = types === undefined ? undefined : new Set(types)
    for await (const tick of this.#feed.ticks(this.#revision + 1, this.#stopping.signal)) {
      for (const event of tick.events) if (wanted === undefined || wanted.has(event.type)) events.push(event)
      const { revision, hash } = tick.head
      const to = { revision, hash }
      const { revision: last } = this.#feed.head
      if (revision < last && events.length < projectionLimits.eventsPerBatch) continue
      if (events.length > 0 || revision - (from?.revision ?? -1) >= projectionLimits.revisionsPerCheckpoint) {
        const [batch, before] = [events, from]
        const stands = await this.#untilDone(() => this.#target.apply(batch, to, before))
        if (stands === undefined) return
        if (!stands) throw this.#fenced()
        from = to
        events = []
      }
      this.#revision = revision
      // What was recorded while this was taken in comes next: a busy log must not keep it from ever being up with it.
      await this.#goLive(last)
      this.#tell()
    }
  }

  async #goLive(last: number): Promise<void> {
    if (this.#isLive || this.#revision < last) return
    await this.#untilDone(async () => {
      await this.#target.caughtUp()
      return true
    })
    this.#isLive = true
    this.#tell()
  }

  #fenced(): CarillonError {
    const { name } = this.definition
    return new CarillonError(
      'projection-fenced',
      `Projection ${name} is also run by another process, which has gone on from where this one stood. This one has stopped. Let one process run it, or give the other one another place.`,
      { projection: name },
    )
  }

  /** A log that was restored to an earlier head, or another log, does not hold where the projection stands. */
  async #assertInLog(at: ProjectionCheckpoint | undefined): Promise<void> {
    if (at === undefined) return
    const ends = at.revision <= this.#feed.head.revision ? await this.#feed.hashAt(at.revision) : undefined
    if (ends === at.hash) return
    const { name } = this.definition
    throw new CarillonError(
      'projection-ahead',
      `Projection ${name} stands at revision ${at.revision} of a history that this log does not hold: the log was restored to an earlier head, or is another one. Give the definition a higher version, and it is folded anew from this log.`,
      { projection: name, revision: at.revision, head: this.#feed.head.revision },
    )
  }

  /** Tries again for as long as the store is away; undefined when it was stopped meanwhile. */
  async #untilDone<A>(act: () => Promise<A>): Promise<A | undefined> {
    let waitMs: number = projectionLimits.retryFirstMs
    for (;;) {
      try {
        const done = await act()
        if (this.#error !== undefined) this.#logger.info(`Projection ${this.definition.name} goes on.`, {})
        this.#error = undefined
        return done
      } catch (error) {
        if (isFinal(error)) throw error
        if (this.#error === undefined)
          this.#logger.warn(`Projection ${this.definition.name} waits for its store: ${messageOf(error)}`, {})
        this.#error =
          error instanceof CarillonError
            ? error
            : new CarillonError('projection-store-away', messageOf(error), {}, error)
        await pause(waitMs, this.#stopping.signal)
        if (this.#stopping.signal.aborted) return undefined
        waitMs = Math.min(waitMs * 2, projectionLimits.retryLongestMs)
      }
    }
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
    if (signal.aborted) done()
  })
