/**
 * The way to the server of one log, and the only place where the client is called. Every call has a deadline and ends in
 * an answer or a typed error. A client that was not answered in time is left, and a new one asks the cluster again.
 */
import { setMaxListeners } from 'node:events'
import { NO_STREAM, START, type BinaryEventData, type StreamMetadata } from '@eventstore/db-client'
import { CarillonError } from '../../errors/CarillonError.js'
import { logLimits } from '../../log/limits.js'
import { remoteLogLimits } from '../limits.js'
import { BackOff } from '../../engine/BackOff.js'
import { logClosed } from '../remote/logClosed.js'
import { pause } from '../../engine/pause.js'
import { untilAborted } from '../../engine/untilAborted.js'
import { withinDeadline } from '../remote/withinDeadline.js'
import { BatchAppends } from './BatchAppends.js'
import type { StreamEvent } from './decodeAnswer.js'
import { EventPieces, type StreamPiece } from './EventPieces.js'
import type { EventStoreDbAddress } from './EventStoreDbAddress.js'
import { eventStoreDbFailure, isMissingStream, isNotLeader, isSilence } from './eventStoreDbFailure.js'
import { eventOfAnswer, eventOfSubscription } from './incoming.js'
import { LogClient, type Channel, type ReadRequest } from './LogClient.js'

/** How long things may take. */
export type ConnectionDeadlines = {
  /** One answer of the server. */
  readonly answerMs: number
  /** The first answer of a server that was found anew, when there are others. */
  readonly proveMs: number
}

/** A server that has answered. Another one, or the same one after a new connection, is another value. */
export type ProvenServer = {
  readonly of: Channel
  readonly answered: Promise<void>
  takesBatches?: Promise<boolean>
}

/** Whether a server holds the event that an append is to follow. */
export type IsOurs = (server: ProvenServer, eventThere: () => Promise<StreamEvent | undefined>) => Promise<boolean>

/** A client, with what was made by it. */
type Current = {
  readonly client: LogClient
  readonly batches: BatchAppends
  /** Given when the client is left: nothing more comes from it. */
  readonly left: AbortController
  channel?: Promise<Channel>
  /** The last server that has answered, or is asked to. The client itself may have gone to another one since. */
  proof?: ProvenServer
}

type Stoppable = { readonly destroy: () => unknown }

/** Events as they are appended. */
export type LiveEvents = {
  /** The next events; undefined when the server has ended the subscription. */
  readonly next: () => Promise<StreamPiece>
  readonly stop: () => void
}

/** How often a call is repeated when the server says that another one leads. */
const leaderTries = 5

export class EventStoreDbConnection {
  readonly #address: EventStoreDbAddress
  readonly #deadlines: ConnectionDeadlines
  readonly #closed = new AbortController()
  #current: Current | undefined

  constructor(address: EventStoreDbAddress, deadlines: ConnectionDeadlines) {
    this.#address = address
    this.#deadlines = deadlines
    // An address the client cannot use is refused before anything else.
    this.#current = this.#connect()
  }

  /** The last event of the stream; undefined when it has none that can be read. */
  last(deadlineMs?: number): Promise<StreamEvent | undefined> {
    return this.#one({ isBackwards: true }, deadlineMs)
  }

  /** The first event at or after a revision. */
  from(revision: number): Promise<StreamEvent | undefined> {
    return this.#one({ fromRevision: revision })
  }

  /** What somebody has set the stream to keep. */
  async metadata(): Promise<StreamMetadata | undefined> {
    const { metadata } = await this.#call('Reading the metadata of the stream', ({ client }) =>
      client.getStreamMetadata(this.#address.stream, { requiresLeader: true }),
    )
    return metadata
  }

  /** The version of the server, as it says itself. */
  async serverVersion(): Promise<string> {
    const { answerMs } = this.#deadlines
    return (await this.#call('Asking for the version', ({ client }) => client.features(answerMs))).version
  }

  /**
   * Appends to the leader after a revision, all events or none. -1 stands for a stream that is not there yet. False when
   * the server that would be asked does not hold what the append is to follow.
   */
  append(after: number, events: readonly BinaryEventData[], isOurs: IsOurs): Promise<boolean> {
    return this.#call('An append', async (current, server) => {
      if (!(await isOurs(server, () => this.#oneOrNone(current, { fromRevision: after })))) return false
      // The first append of a stream goes alone, and so do all of them on servers before 21.10.
      if (after >= 0 && (await this.#takesBatches(current, server))) {
        await current.batches.append(this.#address.stream, BigInt(after), events)
        return true
      }
      await current.client.appendToStream(this.#address.stream, [...events], {
        expectedRevision: after < 0 ? NO_STREAM : BigInt(after),
        requiresLeader: true,
        // The deadline of the call itself comes later, so that it can never be mistaken for the server's answer.
        deadline: this.#deadlines.answerMs + remoteLogLimits.logGraceMs,
      })
      return true
    })
  }

  /** Whether the server says that it takes batch appends. When it does not answer that, single appends do. */
  #takesBatches({ client }: Current, server: ProvenServer): Promise<boolean> {
    server.takesBatches ??= client.features(this.#deadlines.proveMs).then(
      ({ takesBatches }) => takesBatches,
      () => false,
    )
    return server.takesBatches
  }

  /** Events from a revision on, in the pieces in which they arrive. */
  async *read(fromRevision: number, maxCount: number): AsyncGenerator<readonly StreamEvent[]> {
    const { current, stream, pieces, first } = await this.#call('An answer of the server', (now) =>
      this.#open(now, { fromRevision, maxCount }),
    )
    try {
      for (let piece = first; piece !== undefined;) {
        yield piece
        piece = await this.#within(current, 'An answer of the server', pieces.next(), this.#deadlines.answerMs)
      }
    } finally {
      stream.destroy()
    }
  }

  /** Events after a revision, and then those that are appended. Resolves when the server has confirmed it. */
  subscribe(after: number): Promise<LiveEvents> {
    return this.#call('The confirmation of a subscription', async (current) => {
      const subscription = current.client.subscribeToStream(this.#address.stream, {
        fromRevision: after < 0 ? START : BigInt(after),
        requiresLeader: true,
      })
      const stop = (): void => {
        subscription.destroy()
        void subscription.unsubscribe().catch(() => undefined)
      }
      const pieces = new EventPieces(subscription, eventOfSubscription, current.left.signal)
      try {
        await new Promise((resolve, reject) => {
          subscription.once('confirmation', resolve).once('error', reject).once('close', resolve)
        })
      } catch (error) {
        stop()
        throw error
      }
      const next = async (): Promise<StreamPiece> => {
        try {
          return await pieces.next()
        } catch (error) {
          throw this.#failed(error, current)
        }
      }
      return { next, stop }
    })
  }

  close(): void {
    this.#closed.abort()
    if (this.#current !== undefined) this.#leave(this.#current)
  }

  #one(request: Omit<ReadRequest, 'stream' | 'maxCount'>, deadlineMs?: number): Promise<StreamEvent | undefined> {
    return this.#call('An answer of the server', (current) => this.#oneOrNone(current, request), deadlineMs)
  }

  async #oneOrNone(
    current: Current,
    request: Omit<ReadRequest, 'stream' | 'maxCount'>,
  ): Promise<StreamEvent | undefined> {
    try {
      return await this.#oneOf(current, request)
    } catch (error) {
      if (isMissingStream(error)) return undefined
      throw error
    }
  }

  async #oneOf(current: Current, request: Omit<ReadRequest, 'stream' | 'maxCount'>): Promise<StreamEvent | undefined> {
    const { stream, first } = await this.#open(current, { ...request, maxCount: 1 })
    stream.destroy()
    return first?.[0]
  }

  /** Begins to read, up to the first events. */
  async #open(
    current: Current,
    request: Omit<ReadRequest, 'stream'>,
  ): Promise<{ current: Current; stream: Stoppable; pieces: EventPieces; first: StreamPiece }> {
    const call = await current.client.openRead({ ...request, stream: this.#address.stream })
    const pieces = new EventPieces(call, eventOfAnswer, current.left.signal)
    const stop = (): void => {
      call.cancel()
      call.destroy()
    }
    try {
      return { current, stream: { destroy: stop }, pieces, first: await pieces.next() }
    } catch (error) {
      stop()
      throw error
    }
  }

  /** Asks the leader, within a deadline. A server that does not lead says who does, and the client turns to that one. */
  async #call<A>(
    what: string,
    work: (current: Current, server: ProvenServer) => Promise<A>,
    deadlineMs: number = this.#deadlines.answerMs,
  ): Promise<A> {
    const backOff = new BackOff(logLimits.logReadBackFirstMs)
    for (let tries = 1; ; tries++) {
      try {
        const [current, server] = await this.#use()
        return await this.#within(current, what, work(current, server), deadlineMs)
      } catch (error) {
        if (!isNotLeader(error) || tries >= leaderTries) throw error
        await pause(backOff.next(), this.#closed.signal)
      }
    }
  }

  async #within<A>(current: Current, what: string, work: Promise<A>, deadlineMs: number): Promise<A> {
    try {
      // Whoever closes the log waits for nobody.
      const unlessClosed = untilAborted(work, this.#closed.signal, () => {
        throw logClosed(this.#address.shown)
      })
      return await withinDeadline(unlessClosed, deadlineMs, what)
    } catch (error) {
      throw this.#failed(error, current)
    }
  }

  #failed(error: unknown, current: Current): CarillonError {
    const failure = eventStoreDbFailure(error, this.#address.shown)
    // The client itself stays with a server that accepts connections and says nothing.
    if (isSilence(failure)) this.#leave(current)
    return failure
  }

  /** A client that has found a server which answers. */
  async #use(): Promise<readonly [Current, ProvenServer]> {
    if (this.#closed.signal.aborted) throw logClosed(this.#address.shown)
    const current = (this.#current ??= this.#connect())
    current.channel = current.client.channel()
    const channel = await this.#within(
      current,
      'Looking for the leader of the cluster',
      current.channel,
      remoteLogLimits.logConnectMs,
    )
    if (current.proof?.of !== channel) current.proof = { of: channel, answered: this.#prove(current) }
    const { proof } = current
    try {
      await proof.answered
    } catch (error) {
      if (current.proof === proof) delete current.proof
      throw error
    }
    return [current, proof]
  }

  /** What a cluster names as its leader may be frozen: it is used only when it has answered, and not waited for long. */
  async #prove(current: Current): Promise<void> {
    const { answerMs, proveMs } = this.#deadlines
    const answer = this.#oneOf(current, { isBackwards: true })
    try {
      await this.#within(current, 'The first answer', answer, this.#address.isCluster ? proveMs : answerMs)
    } catch (error) {
      // Whatever else the server says, it has answered.
      if (error instanceof CarillonError && error.consequence === 'retry') throw error
    }
  }

  #connect(): Current {
    const client = LogClient.connect(this.#address)
    const left = new AbortController()
    // Every reading listens, and there may be many.
    setMaxListeners(0, left.signal)
    return { client, batches: new BatchAppends(client), left }
  }

  #leave(current: Current): void {
    if (this.#current === current) this.#current = undefined
    current.left.abort()
    // Ends what is under way. Without it the process would not end either.
    void current.client.dispose().catch(() => undefined)
    void current.channel?.then(
      (channel) => channel.close(),
      () => undefined,
    )
  }
}
