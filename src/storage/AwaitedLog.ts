/**
 * The log of a store whose log is kept elsewhere, as the store asks it. A call ends as soon as the store waits no longer,
 * whatever the server does; and an error that says the log is lost also says where the copy in the store folder ends.
 */
import { CarillonError, NodeFault } from '../errors/CarillonError.js'
import { untilAborted } from '../engine/untilAborted.js'
import type { AppendOutcome, EventLog } from '../log/EventLog.js'
import type { EncodedTick, Head } from '../log/Tick.js'

export type AwaitedLogOptions = {
  /** Given when the store waits no longer. */
  readonly signal: () => AbortSignal
  /** The last revision of the copy in the store folder; undefined when there is no copy. */
  readonly copyRevision: () => number | undefined
}

const abandoned = (): never => {
  throw new CarillonError(
    'node-stopped',
    'The node stops, and waits no longer for an answer of its log. The next start reads the log and goes on from it.',
  )
}

/** Whether an error says that the log is lost, and not yet where a copy of it ends. */
export const wantsCopyRevision = (error: unknown): error is CarillonError =>
  error instanceof CarillonError && error.code === 'log-foreign' && error.details['copyRevision'] === undefined

/** An error that says the log is lost, with where a copy of it ends: of several copies, the newest is to be used. */
export const withCopyRevision = <E>(error: E, revision: number | undefined): E | NodeFault =>
  wantsCopyRevision(error) && revision !== undefined && revision >= 0
    ? new NodeFault(
        error.code,
        `${error.message} The copy in this store folder ends at revision ${revision}; if the node has standbys, use the store folder whose copy ends last.`,
        { ...error.details, copyRevision: revision },
        error,
      )
    : error

export class AwaitedLog {
  readonly #log: EventLog
  readonly #options: AwaitedLogOptions

  constructor(log: EventLog, options: AwaitedLogOptions) {
    this.#log = log
    this.#options = options
  }

  head(): Promise<Head> {
    return this.#answer(this.#log.head())
  }

  async append(expected: Head, tick: EncodedTick): Promise<AppendOutcome> {
    const outcome = await this.#answer(this.#log.append(expected, tick))
    if (outcome.kind !== 'failed' && outcome.kind !== 'unknown') return outcome
    return { kind: outcome.kind, error: this.#told(outcome.error) }
  }

  read(fromRevision: number): AsyncIterable<EncodedTick> {
    return this.#each(this.#log.read(fromRevision))
  }

  follow(fromRevision: number, signal: AbortSignal): AsyncIterable<EncodedTick> {
    return this.#each(this.#log.follow(fromRevision, signal))
  }

  async assertWhole(): Promise<void> {
    await this.#answer(this.#log.assertWhole?.() ?? Promise.resolve())
  }

  onBroken(listener: (error: CarillonError) => void): () => void {
    return this.#log.onBroken?.((error) => listener(this.#told(error))) ?? (() => undefined)
  }

  onUnchecked(listener: (error: CarillonError | undefined) => void): () => void {
    return this.#log.onUnchecked?.(listener) ?? (() => undefined)
  }

  close(): Promise<void> {
    return this.#log.close()
  }

  #told<E>(error: E): E | NodeFault {
    return withCopyRevision(error, this.#options.copyRevision())
  }

  async #answer<A>(work: Promise<A>): Promise<A> {
    try {
      return await untilAborted(work, this.#options.signal(), abandoned)
    } catch (error) {
      throw this.#told(error)
    }
  }

  async *#each(ticks: AsyncIterable<EncodedTick>): AsyncGenerator<EncodedTick> {
    const iterator = ticks[Symbol.asyncIterator]()
    try {
      for (;;) {
        const next = await this.#answer(iterator.next())
        if (next.done === true) return
        yield next.value
      }
    } finally {
      // Not awaited: a reader that waits for a silent server ends when its own deadline has passed.
      iterator.return?.().catch(() => undefined)
    }
  }
}
