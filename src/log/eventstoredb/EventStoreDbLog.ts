/**
 * A log in a stream of EventStoreDB or KurrentDB. The server checks the expected revision; that the history before it is
 * ours is checked by the hash of the event there, which never changes once it was seen.
 */
import { randomUUID } from 'node:crypto'
import {
  BACKWARDS,
  END,
  EventStoreDBClient,
  NO_STREAM,
  NotLeaderError,
  START,
  WrongExpectedVersionError,
  type RecordedEvent,
  type ResolvedEvent,
} from '@eventstore/db-client'
import { CarillonError, messageOf, NodeFault } from '../../errors/CarillonError.js'
import { limits } from '../../limits.js'
import type { AppendOutcome, EventLog } from '../EventLog.js'
import { BackOff } from '../remote/BackOff.js'
import { pause } from '../remote/pause.js'
import { withinDeadline } from '../remote/withinDeadline.js'
import { emptyHead, headAfter, type EncodedTick, type Head } from '../Tick.js'
import { addressInvalid, parseEventStoreDbAddress, type EventStoreDbAddress } from './EventStoreDbAddress.js'
import { eventStoreDbFailure, isMissingStream, surelyNotDone } from './eventStoreDbFailure.js'
import { appendBytes, metadataOf, TickAssembler, toStream } from './StreamTicks.js'

/** Where the log is. */
export type EventStoreDbLogOptions = {
  /** A connection string with the client's own options, TLS and credentials. */
  readonly url: string
  /** The stream that holds the log. Default `carillon`, or what `&stream=` in the connection string says. */
  readonly stream?: string
  /** How long an append may take before it counts as unknown and is looked for. Default 10 seconds. */
  readonly answerMs?: number
  /** What the server takes in one append. Default 1 MiB, the smallest that any version of the server is set to. */
  readonly maxAppendBytes?: number
}

/** How often a call is repeated when the server says that another one leads. */
const leaderTries = 5

/** Asked through a function, because the compiler takes a property it has seen false to be false for ever. */
const isAborted = (signal: AbortSignal): boolean => signal.aborted

const mayPass = (error: unknown): boolean =>
  error instanceof CarillonError && (error.consequence === 'retry' || error.code === 'log-access-denied')

/** What is read from a stream, one event after the other, until it is cancelled. */
type Reading = AsyncIterable<ResolvedEvent> & { readonly on: (event: 'error', listener: () => void) => unknown }

const connect = ({ connectionString }: EventStoreDbAddress): EventStoreDBClient => {
  let client: EventStoreDBClient
  try {
    client = EventStoreDBClient.connectionString(connectionString)
  } catch (error) {
    throw addressInvalid(messageOf(error).split('\n')[0] ?? '')
  }
  // Appends in batches over one shared call have no deadline, and a broken connection of one client takes those of others
  // with it. When the client believes that the server does not know them, each append is a call of its own.
  Object.defineProperty(client, 'supports', { value: () => Promise.resolve(false) })
  return client
}

/** A log in EventStoreDB. Open one with {@link EventStoreDbLog.open}. */
export class EventStoreDbLog implements EventLog {
  readonly #address: EventStoreDbAddress
  readonly #client: EventStoreDBClient
  readonly #answerMs: number
  readonly #maxAppendBytes: number
  readonly #closed = new AbortController()
  /** Two writers must never send the same ids, or the server would take the one's append for the other's. */
  readonly #writer = randomUUID()
  /** A head that is surely in the stream. */
  #seen: Head = emptyHead

  private constructor({ url, stream, answerMs, maxAppendBytes }: EventStoreDbLogOptions) {
    this.#address = parseEventStoreDbAddress(url, stream)
    this.#client = connect(this.#address)
    this.#answerMs = answerMs ?? limits.logAnswerMs
    this.#maxAppendBytes = maxAppendBytes ?? limits.esdbAppendBytes
  }

  /** Connects, and makes sure that the stream is one to keep a log in. */
  static async open(options: EventStoreDbLogOptions): Promise<EventStoreDbLog> {
    const log = new EventStoreDbLog(options)
    try {
      await log.head()
      await log.#assertKept()
      return log
    } catch (error) {
      await log.close()
      throw eventStoreDbFailure(error, log.where)
    }
  }

  /** Where the log is, for messages: without the password. */
  get where(): string {
    return this.#address.shown
  }

  /** A stream that forgets is no log. */
  async #assertKept(): Promise<void> {
    const { metadata } = await this.#ask(() =>
      withinDeadline(this.#client.getStreamMetadata(this.#address.stream), this.#answerMs, 'Reading the metadata'),
    )
    const forgets = ['maxAge', 'maxCount', 'truncateBefore'].find((name) => metadata !== undefined && name in metadata)
    if (forgets !== undefined) throw this.#foreign(`the stream has a ${forgets}, so that events are deleted from it`)
  }

  readonly head = async (): Promise<Head> => {
    const [last] = await this.#ask(() => this.#events({ fromRevision: END, direction: BACKWARDS, maxCount: 1 }))
    if (last === undefined) return emptyHead
    const metadata = metadataOf(last)
    if (metadata?.hash === undefined) throw this.#foreign(`its last event is a "${last.type}" that ends no tick`)
    const head = {
      tick: metadata.tick,
      revision: Number(last.revision),
      hash: metadata.hash,
      signature: metadata.signature ?? '',
    }
    this.#seen = head
    return head
  }

  readonly append: EventLog['append'] = async (expected, tick) => {
    try {
      if (!(await this.#isInStream(expected))) return { kind: 'refused', head: await this.head() }
    } catch (error) {
      return { kind: 'failed', error: eventStoreDbFailure(error, this.where) }
    }
    const events = toStream(tick, this.#writer)
    const bytes = appendBytes(events)
    if (bytes > this.#maxAppendBytes)
      return {
        kind: 'failed',
        error: new NodeFault(
          'log-limit-exceeded',
          `Tick ${tick.number} needs ${bytes} bytes in one append; ${this.where} is said to take ${this.#maxAppendBytes}. Raise MaxAppendSize of the server, and the limit the log was opened with.`,
          { bytes, limit: this.#maxAppendBytes },
        ),
      }
    try {
      await this.#ask(() =>
        withinDeadline(
          this.#client.appendToStream(this.#address.stream, [...events], {
            expectedRevision: expected.revision < 0 ? NO_STREAM : BigInt(expected.revision),
            requiresLeader: true,
            deadline: this.#answerMs,
          }),
          // The client's own deadline comes first; this one is for a call that it has lost sight of.
          this.#answerMs + limits.logGraceMs,
          'An append',
        ),
      )
      this.#seen = headAfter(tick)
      return { kind: 'appended' }
    } catch (error) {
      if (error instanceof WrongExpectedVersionError) return this.#refusal()
      return { kind: surelyNotDone(error) ? 'failed' : 'unknown', error: eventStoreDbFailure(error, this.where) }
    }
  }

  async #refusal(): Promise<AppendOutcome> {
    try {
      return { kind: 'refused', head: await this.head() }
    } catch (error) {
      return { kind: 'unknown', error: eventStoreDbFailure(error, this.where) }
    }
  }

  /** Whether the stream holds this very head; the server itself compares no more than its revision. */
  async #isInStream(head: Head): Promise<boolean> {
    if (head.revision < 0 || head.hash === this.#seen.hash) return true
    const [event] = await this.#ask(() => this.#events({ fromRevision: BigInt(head.revision), maxCount: 1 }))
    return event !== undefined && metadataOf(event)?.hash === head.hash
  }

  async *read(fromRevision: number): AsyncGenerator<EncodedTick> {
    const { revision: until } = await this.head()
    if (fromRevision > until) return
    const first = await this.#firstOfTick(Math.max(fromRevision, 0))
    const assembler = new TickAssembler((what) => this.#foreign(what))
    const reading = this.#client.readStream(this.#address.stream, {
      fromRevision: BigInt(first),
      maxCount: until - first + 1,
      requiresLeader: true,
    })
    try {
      let read = first
      for await (const event of this.#timely(reading)) {
        read += 1
        const tick = assembler.add(event)
        if (tick !== undefined) yield tick
      }
      if (read <= until) throw this.#foreign(`event ${read} is missing`)
    } catch (error) {
      throw eventStoreDbFailure(error, this.where)
    } finally {
      void reading.cancel().catch(() => undefined)
    }
  }

  async *follow(fromRevision: number, signal: AbortSignal): AsyncGenerator<EncodedTick> {
    const ended = AbortSignal.any([signal, this.#closed.signal])
    const backOff = new BackOff()
    /** The last event of the last tick that was handed on: a new subscription begins after it. */
    let handled: number | undefined
    while (!isAborted(ended)) {
      try {
        handled ??= (await this.#startOf(fromRevision)) - 1
        for await (const tick of this.#subscribe(handled, ended)) {
          backOff.succeeded()
          handled = headAfter(tick).revision
          if (handled < fromRevision) continue
          yield tick
          if (isAborted(ended)) return
        }
      } catch (error) {
        if (isAborted(ended)) return
        const failure = eventStoreDbFailure(error, this.where)
        if (!mayPass(failure)) throw failure
      }
      // A subscription has ended, which it never does by itself: the server went away, or another one leads.
      await pause(backOff.next(), ended)
    }
  }

  /** Where the tick begins that holds a revision; for one that is not there yet, the first that could. */
  async #startOf(revision: number): Promise<number> {
    const { revision: until } = await this.head()
    return revision > until ? until + 1 : this.#firstOfTick(Math.max(revision, 0))
  }

  async *#subscribe(after: number, ended: AbortSignal): AsyncGenerator<EncodedTick> {
    if (isAborted(ended)) return
    const assembler = new TickAssembler((what) => this.#foreign(what))
    const subscription = this.#client.subscribeToStream(this.#address.stream, {
      fromRevision: after < 0 ? START : BigInt(after),
      requiresLeader: true,
    })
    const end = (): void => {
      subscription.destroy()
    }
    ended.addEventListener('abort', end)
    try {
      for await (const { event } of this.#open(subscription)) {
        const tick = event === undefined ? undefined : assembler.add(event)
        if (tick !== undefined) yield tick
      }
    } catch (error) {
      if (!isAborted(ended)) throw error
    } finally {
      ended.removeEventListener('abort', end)
      void subscription.unsubscribe().catch(() => undefined)
    }
  }

  readonly close = async (): Promise<void> => {
    if (this.#closed.signal.aborted) return
    this.#closed.abort()
    // Without it the process would not end.
    await this.#client.dispose()
  }

  /** Some events, all at once. */
  async #events(options: {
    readonly fromRevision: bigint | typeof END
    readonly maxCount: number
    readonly direction?: typeof BACKWARDS
  }): Promise<readonly RecordedEvent[]> {
    const reading = this.#client.readStream(this.#address.stream, { ...options, requiresLeader: true })
    const events: RecordedEvent[] = []
    try {
      for await (const event of this.#timely(reading)) events.push(event)
      return events
    } catch (error) {
      if (isMissingStream(error)) return []
      throw error
    } finally {
      void reading.cancel().catch(() => undefined)
    }
  }

  /** What the client reads, each event within a deadline: it has none of its own. */
  async *#timely(reading: Reading): AsyncGenerator<RecordedEvent> {
    const events = this.#open(reading)[Symbol.asyncIterator]()
    for (;;) {
      const next = await withinDeadline(events.next(), this.#answerMs, 'An answer of the server')
      if (next.done === true) return
      if (next.value.event !== undefined) yield next.value.event
    }
  }

  /** An error that comes after a reading was given up has nobody left to tell; without a listener it would end the process. */
  #open(reading: Reading): AsyncIterable<ResolvedEvent> {
    if (isAborted(this.#closed.signal)) throw new Error('the log was closed')
    reading.on('error', () => undefined)
    return reading
  }

  async #firstOfTick(revision: number): Promise<number> {
    const [event] = await this.#ask(() => this.#events({ fromRevision: BigInt(revision), maxCount: 1 }))
    const metadata = event === undefined ? undefined : metadataOf(event)
    if (metadata === undefined) throw this.#foreign(`event ${revision} is not of a tick`)
    return revision - metadata.index
  }

  /** Asks the leader. A server that does not lead says who does, and the client then turns to that one. */
  async #ask<A>(call: () => Promise<A>): Promise<A> {
    const backOff = new BackOff(limits.logReadBackFirstMs)
    for (let tries = 1; ; tries++) {
      try {
        return await call()
      } catch (error) {
        if (!(error instanceof NotLeaderError) || tries >= leaderTries) throw error
        await pause(backOff.next(), this.#closed.signal)
      }
    }
  }

  #foreign(what: string): CarillonError {
    return new NodeFault(
      'log-foreign',
      `The log at ${this.where} is not as Carillon has made it: ${what}. Choose another stream, or restore the one that was changed.`,
      { where: this.where },
    )
  }
}
