/**
 * A log in a stream of EventStoreDB or KurrentDB. The server checks the expected revision; that the history before it is
 * ours is checked by the hash of the event there, which never changes once it was seen.
 */
import { randomUUID } from 'node:crypto'
import { NodeFault, type CarillonError } from '../../errors/CarillonError.js'
import { logLimits } from '../../log/limits.js'
import { logsLimits } from '../limits.js'
import type { AppendOutcome, EventLog } from '../../log/EventLog.js'
import { BackOff } from '../../engine/BackOff.js'
import { logClosed } from '../remote/logClosed.js'
import { mayPass } from '../remote/mayPass.js'
import { pause } from '../../engine/pause.js'
import { emptyHead, headAfter, type EncodedTick, type Head } from '../../log/Tick.js'
import { addressInvalid, parseEventStoreDbAddress, type EventStoreDbAddress } from './EventStoreDbAddress.js'
import type { StreamEvent } from './decodeAnswer.js'
import { EventStoreDbConnection } from './EventStoreDbConnection.js'
import { eventStoreDbFailure, isWrongVersion, surelyNotAppended } from './eventStoreDbFailure.js'
import { followStream } from './followStream.js'
import { forgetsBecause, leadOut } from './StreamRetention.js'
import { dataBytes, metadataOf, StreamOrder, TickAssembler, toStream } from './StreamTicks.js'
import { tlsProblemOf } from './tlsProblem.js'

/** Where the log is. */
export type EventStoreDbLogOptions = {
  /** A connection string with the client's own options, TLS and credentials. */
  readonly url: string
  /** The stream that holds the log. Default `carillon`, or what `&stream=` in the connection string says. */
  readonly stream?: string
  /** How long an append may take before it counts as unknown and is looked for. Default 10 seconds. */
  readonly answerMs?: number
  /** How long a server that was found anew may take for its first answer, when there are others. Default 2 seconds. */
  readonly proveMs?: number
  /** After how long without an event a follower makes sure that the server is still there. Default 5 seconds. */
  readonly idleMs?: number
  /** How often the log makes sure that the stream still holds everything. Default 20 seconds. */
  readonly checkMs?: number
  /** What the server takes in one append. Default 1 MiB, the smallest that any version of the server is set to. */
  readonly maxAppendBytes?: number
}

/** Asked through a function, because the compiler takes a property it has seen false to be false for ever. */
const isAborted = (signal: AbortSignal): boolean => signal.aborted

/** A log in EventStoreDB. Open one with {@link EventStoreDbLog.open}. */
export class EventStoreDbLog implements EventLog {
  readonly #address: EventStoreDbAddress
  readonly #connection: EventStoreDbConnection
  readonly #options: Required<Omit<EventStoreDbLogOptions, 'url' | 'stream'>>
  /** Given when the log is closed, or can be used no longer. */
  readonly #ended = new AbortController()
  readonly #listeners = new Set<(error: CarillonError) => void>()
  /** Two writers must never send the same ids, or the server would take the one's append for the other's. */
  readonly #writer = randomUUID()
  /** A head that is surely in the stream. */
  #seen: Head = emptyHead
  #broken: CarillonError | undefined
  #timer: NodeJS.Timeout | undefined

  private constructor({ url, stream, ...options }: EventStoreDbLogOptions) {
    this.#options = {
      answerMs: options.answerMs ?? logsLimits.logAnswerMs,
      proveMs: options.proveMs ?? logsLimits.logProveMs,
      idleMs: options.idleMs ?? logsLimits.logIdleMs,
      checkMs: options.checkMs ?? logsLimits.logCheckMs,
      maxAppendBytes: options.maxAppendBytes ?? logsLimits.esdbAppendBytes,
    }
    this.#address = parseEventStoreDbAddress(url, stream)
    this.#connection = new EventStoreDbConnection(this.#address, this.#options)
  }

  /** Connects, and makes sure that the stream is one to keep a log in. */
  static async open(options: EventStoreDbLogOptions): Promise<EventStoreDbLog> {
    const log = new EventStoreDbLog(options)
    try {
      await log.#readHead()
      await log.#check()
      log.#checkAgain()
      return log
    } catch (error) {
      await log.close()
      const failure = eventStoreDbFailure(error, log.where)
      if (failure.code !== 'log-unreachable') throw failure
      // To wait for a server whose certificate will not be trusted helps nobody.
      const problem = await tlsProblemOf(log.#address, log.#options.proveMs)
      throw problem === undefined ? failure : addressInvalid(problem)
    }
  }

  /** Where the log is, for messages: without the password. */
  get where(): string {
    return this.#address.shown
  }

  /** The version of the server, as it says itself. */
  serverVersion(): Promise<string> {
    return this.#connection.serverVersion()
  }

  readonly head = async (): Promise<Head> => {
    this.#assertUsable()
    return this.#readHead()
  }

  readonly append: EventLog['append'] = async (expected, tick) => {
    try {
      this.#assertUsable()
      if (!(await this.#isInStream(expected))) return { kind: 'refused', head: await this.#readHead() }
    } catch (error) {
      return { kind: 'failed', error: this.#noteBroken(error) }
    }
    const events = toStream(tick, this.#writer)
    const bytes = dataBytes(events)
    if (bytes > this.#options.maxAppendBytes) return { kind: 'failed', error: this.#tooLarge(tick, bytes) }
    try {
      await this.#connection.append(expected.revision, events)
      this.#seen = headAfter(tick)
      return { kind: 'appended' }
    } catch (error) {
      if (isWrongVersion(error)) return this.#refusal(expected)
      return { kind: surelyNotAppended(error) ? 'failed' : 'unknown', error: this.#noteBroken(error) }
    }
  }

  /** A server may refuse before the event of the faster writer can be read: then the head is read again. */
  async #refusal(expected: Head): Promise<AppendOutcome> {
    const boundMs = Math.min(logsLimits.logRefusalMs, this.#options.answerMs)
    const backOff = new BackOff(logLimits.logReadBackFirstMs, boundMs / 4)
    const giveUpAt = performance.now() + boundMs
    try {
      for (;;) {
        const head = await this.#readHead()
        if (head.hash !== expected.hash) return { kind: 'refused', head }
        if (performance.now() > giveUpAt) break
        await pause(backOff.next(), this.#ended.signal)
      }
    } catch (error) {
      return { kind: 'unknown', error: this.#noteBroken(error) }
    }
    const what = `The log at ${this.where} has refused an append at revision ${expected.revision} and shows nothing beyond it.`
    return { kind: 'unknown', error: new NodeFault('log-unreachable', what, { revision: expected.revision }) }
  }

  async *read(fromRevision: number): AsyncGenerator<EncodedTick> {
    this.#assertUsable()
    const { revision: until } = await this.#readHead()
    if (fromRevision > until) return
    const first = await this.#firstOfTick(Math.max(fromRevision, 0))
    const order = new StreamOrder(first, this.#foreign)
    const assembler = new TickAssembler(this.#foreign)
    for await (const piece of this.#connection.read(first, until - first + 1))
      for (const event of piece) {
        order.assertNext(event)
        const tick = assembler.add(event)
        if (tick !== undefined) yield tick
      }
    if (order.next <= until) throw this.#foreign(`event ${order.next} is missing`)
  }

  async *follow(fromRevision: number, signal: AbortSignal): AsyncGenerator<EncodedTick> {
    const ended = AbortSignal.any([signal, this.#ended.signal])
    const backOff = new BackOff(logLimits.logRetryFirstMs, logLimits.logFollowLongestMs)
    /** The last event of the last tick that was handed on: a new subscription begins after it. */
    let handled: number | undefined
    while (!isAborted(ended)) {
      try {
        handled ??= (await this.#startOf(fromRevision)) - 1
        const live = followStream(this.#connection, handled, { ...this.#options, ended, foreign: this.#foreign })
        for await (const tick of live) {
          backOff.succeeded()
          handled = headAfter(tick).revision
          if (handled < fromRevision) continue
          yield tick
          if (isAborted(ended)) break
        }
      } catch (error) {
        if (!isAborted(ended) && !mayPass(error)) throw this.#noteBroken(error)
      }
      // A subscription has ended, which it never does by itself: the server went away, or another one leads.
      await pause(backOff.next(), ended)
    }
    if (this.#broken !== undefined && !isAborted(signal)) throw this.#broken
  }

  readonly onBroken = (listener: (error: CarillonError) => void): (() => void) => {
    this.#listeners.add(listener)
    if (this.#broken !== undefined) listener(this.#broken)
    return () => void this.#listeners.delete(listener)
  }

  readonly close = (): Promise<void> => {
    clearTimeout(this.#timer)
    this.#ended.abort()
    this.#connection.close()
    return Promise.resolve()
  }

  async #readHead(): Promise<Head> {
    const last = await this.#connection.last()
    if (last === undefined) {
      if (this.#seen.revision >= 0) throw this.#foreign('its events are gone', leadOut)
      return emptyHead
    }
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

  /** Whether the stream holds this very head; the server itself compares no more than its revision. */
  async #isInStream(head: Head): Promise<boolean> {
    if (head.revision < 0 || head.hash === this.#seen.hash) return true
    const event = await this.#connection.from(head.revision)
    return event?.revision === BigInt(head.revision) && metadataOf(event)?.hash === head.hash
  }

  /** Where the tick begins that holds a revision; for one that is not there yet, the first that could. */
  async #startOf(revision: number): Promise<number> {
    const { revision: until } = await this.head()
    return revision > until ? until + 1 : this.#firstOfTick(Math.max(revision, 0))
  }

  async #firstOfTick(revision: number): Promise<number> {
    const event = await this.#connection.from(revision)
    this.#assertAt(revision, event)
    const metadata = event === undefined ? undefined : metadataOf(event)
    if (metadata === undefined) throw this.#foreign(`event ${revision} is not of a tick`)
    return revision - metadata.index
  }

  /** A server that no longer has an event gives the next one that it has. */
  #assertAt(revision: number, event: StreamEvent | undefined): void {
    if (event === undefined) throw this.#foreign(`event ${revision} is missing`, leadOut)
    new StreamOrder(revision, this.#foreign).assertNext(event)
  }

  /** A stream that forgets is no log. */
  async #check(): Promise<void> {
    // The metadata last: if an event is gone, they say why.
    const first = await this.#connection.from(0)
    const metadata = await this.#connection.metadata()
    const reason = forgetsBecause(metadata, first?.revision)
    if (reason !== undefined) throw this.#foreign(reason, leadOut)
  }

  #checkAgain(): void {
    const look = async (): Promise<void> => {
      try {
        await this.#check()
      } catch (error) {
        // What may pass is told by the next append.
        this.#noteBroken(error)
      }
      if (!this.#ended.signal.aborted) this.#checkAgain()
    }
    this.#timer = setTimeout(() => void look(), this.#options.checkMs).unref()
  }

  #assertUsable(): void {
    if (this.#broken !== undefined) throw this.#broken
    if (this.#ended.signal.aborted) throw logClosed(this.where)
  }

  /** Remembers that the log can be used no longer, and tells everyone who wants to know. */
  #noteBroken(error: unknown): CarillonError {
    const failure = eventStoreDbFailure(error, this.where)
    if (failure.code !== 'log-foreign' || this.#broken !== undefined || this.#ended.signal.aborted) return failure
    this.#broken = failure
    for (const listener of [...this.#listeners]) listener(failure)
    this.#ended.abort()
    return failure
  }

  #tooLarge(tick: EncodedTick, bytes: number): CarillonError {
    const limit = this.#options.maxAppendBytes
    return new NodeFault(
      'log-limit-exceeded',
      `Tick ${tick.number} has ${bytes} bytes of data for one append; ${this.where} is said to take ${limit}. Raise MaxAppendSize of the server, and the limit the log was opened with, to ${Math.max(bytes, logsLimits.esdbAppendBytes)} or more.`,
      { bytes, limit },
    )
  }

  readonly #foreign = (what: string, advice = 'Choose another stream, or restore the one that was changed.') =>
    new NodeFault('log-foreign', `The log at ${this.where} is not as Carillon has made it: ${what}. ${advice}`, {
      where: this.where,
    })
}
