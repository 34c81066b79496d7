/**
 * A log in a stream of EventStoreDB or KurrentDB. The server checks the expected revision; that the history before it is
 * ours is checked by the hash of the event there, which never changes once it was seen.
 */
import { randomUUID } from 'node:crypto'
import type { StreamMetadata } from '@eventstore/db-client'
import { NodeFault, type CarillonError } from '../../errors/CarillonError.js'
import { logLimits } from '../../log/limits.js'
import { remoteLogLimits } from '../limits.js'
import type { AppendOutcome, EventLog } from '../../log/EventLog.js'
import { BackOff } from '../../engine/BackOff.js'
import { assertEncrypted } from '../remote/assertEncrypted.js'
import { logClosed } from '../remote/logClosed.js'
import { mayPass } from '../remote/mayPass.js'
import { pause } from '../../engine/pause.js'
import { untilAborted } from '../../engine/untilAborted.js'
import { emptyHead, headAfter, type EncodedTick, type Head } from '../../log/Tick.js'
import { addressInvalid, parseEventStoreDbAddress, type EventStoreDbAddress } from './EventStoreDbAddress.js'
import type { StreamEvent } from './decodeAnswer.js'
import { EventStoreDbConnection, type IsOurs, type ProvenServer } from './EventStoreDbConnection.js'
import { eventStoreDbFailure, isWrongVersion, surelyNotAppended } from './eventStoreDbFailure.js'
import { followStream } from './followStream.js'
import { forgetsBecause, leadOut } from './StreamRetention.js'
import { endsAt, lostBecause, metadataOf, StreamOrder, TickAssembler, toStream } from './StreamTicks.js'
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
  /** A head that was surely in the stream. */
  #seen: Head = emptyHead
  /** What was seen when the stream was last checked: it must still be there at the next check. */
  #seenAtCheck: Head = emptyHead
  /** A head that a server holds; another server is asked for it anew, since it may hold another history. */
  #verified: { readonly hash: string; readonly server: ProvenServer } | undefined
  #broken: CarillonError | undefined
  #unchecked: CarillonError | undefined
  readonly #uncheckedListeners = new Set<(error: CarillonError | undefined) => void>()
  #timer: NodeJS.Timeout | undefined

  private constructor({ url, stream, ...options }: EventStoreDbLogOptions) {
    this.#options = {
      answerMs: options.answerMs ?? remoteLogLimits.logAnswerMs,
      proveMs: options.proveMs ?? remoteLogLimits.logProveMs,
      idleMs: options.idleMs ?? remoteLogLimits.logIdleMs,
      checkMs: options.checkMs ?? remoteLogLimits.logCheckMs,
    }
    this.#address = parseEventStoreDbAddress(url, stream)
    const { hosts, usesTls } = this.#address
    const servers = hosts.map(({ host }) => ({ host, usesTls }))
    assertEncrypted(servers, this.#address, 'Write tls=true in the address, or leave it out.')
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
    /** The server that was asked to append; undefined as long as none was. */
    let asked: ProvenServer | undefined
    const isOurs: IsOurs = async (server, eventThere) => {
      asked = undefined
      const isInStream = await this.#isInStream(expected, server, eventThere)
      if (isInStream) asked = server
      return isInStream
    }
    try {
      this.#assertUsable()
      if (!(await this.#connection.append(expected.revision, toStream(tick, this.#writer), isOurs)))
        return { kind: 'refused', head: await this.#readHead() }
    } catch (error) {
      if (isWrongVersion(error)) return this.#refusal(expected)
      const isSure = asked === undefined || surelyNotAppended(error)
      return { kind: isSure ? 'failed' : 'unknown', error: this.#noteBroken(error) }
    }
    this.#seen = headAfter(tick)
    if (asked !== undefined) this.#verified = { hash: tick.hash, server: asked }
    return { kind: 'appended' }
  }

  /** A server may refuse before the event of the faster writer can be read: then the head is read again. */
  async #refusal(expected: Head): Promise<AppendOutcome> {
    const boundMs = Math.min(remoteLogLimits.logRefusalMs, this.#options.answerMs)
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
        handled ??= await untilAborted(this.#lastBefore(fromRevision), ended, () => undefined)
        if (handled === undefined) break
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

  readonly onUnchecked = (listener: (error: CarillonError | undefined) => void): (() => void) => {
    this.#uncheckedListeners.add(listener)
    if (this.#unchecked !== undefined) listener(this.#unchecked)
    return () => void this.#uncheckedListeners.delete(listener)
  }

  readonly assertWhole = async (): Promise<void> => {
    this.#assertUsable()
    const failure = await this.#lookAtStream()
    if (failure !== undefined) throw failure
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

  /** Whether a server holds this very head; the server itself compares no more than its revision. */
  async #isInStream(
    head: Head,
    server: ProvenServer,
    eventThere: () => Promise<StreamEvent | undefined>,
  ): Promise<boolean> {
    if (head.revision < 0) return true
    if (this.#verified?.server === server && this.#verified.hash === head.hash) return true
    return endsAt(head, await eventThere())
  }

  /** The last event before the tick that holds a revision; of one that is not there yet, the last there is. */
  async #lastBefore(revision: number): Promise<number> {
    const { revision: until } = await this.head()
    return revision > until ? until : (await this.#firstOfTick(Math.max(revision, 0))) - 1
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

  /** A stream that forgets, or has lost what was seen in it, is no log. */
  async #check(): Promise<void> {
    const [seen, before] = [this.#seen, this.#seenAtCheck]
    // The metadata last: if an event is gone, they say why.
    const first = await this.#connection.from(0)
    const there = before.revision < 0 ? undefined : await this.#connection.from(before.revision)
    let metadata: StreamMetadata | undefined
    let denied: unknown
    try {
      metadata = await this.#connection.metadata()
    } catch (error) {
      denied = error
    }
    const isEmptied = first === undefined && seen.revision >= 0
    const reason =
      forgetsBecause(metadata, first?.revision) ??
      (isEmptied ? 'its events are gone' : undefined) ??
      lostBecause(before, there)
    if (reason !== undefined) throw this.#foreign(reason, leadOut)
    if (denied !== undefined) throw eventStoreDbFailure(denied, this.where)
    this.#seenAtCheck = seen
  }

  /** Checks the stream, and tells everyone who wants to know what was found. */
  async #lookAtStream(): Promise<CarillonError | undefined> {
    try {
      await this.#check()
      this.#noteUnchecked(undefined)
      return undefined
    } catch (error) {
      const failure = this.#noteBroken(error)
      // A server that is away is told by the next append; that it lets nobody look is told by nothing else.
      if (failure.code === 'log-access-denied') this.#noteUnchecked(failure)
      return failure
    }
  }

  #checkAgain(): void {
    const look = async (): Promise<void> => {
      await this.#lookAtStream()
      if (!this.#ended.signal.aborted) this.#checkAgain()
    }
    this.#timer = setTimeout(() => void look(), this.#options.checkMs).unref()
  }

  #noteUnchecked(error: CarillonError | undefined): void {
    if (error?.code === this.#unchecked?.code) return
    this.#unchecked = error
    for (const listener of [...this.#uncheckedListeners]) listener(error)
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

  readonly #foreign = (what: string, advice = 'Choose another stream, or restore the one that was changed.') =>
    new NodeFault('log-foreign', `The log at ${this.where} is not as Carillon has made it: ${what}. ${advice}`, {
      where: this.where,
    })
}
