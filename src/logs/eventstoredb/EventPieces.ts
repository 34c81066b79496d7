/**
 * What the client reads, in the pieces in which it arrives: one wait a piece instead of one an event. Errors that come
 * after a reading was given up are swallowed, because without a listener they would end the process.
 */
import type { Readable } from 'node:stream'
import { StreamNotFoundError } from '@eventstore/db-client'
import type { StreamEvent } from './decodeAnswer.js'

/** Events that arrived together; undefined at the end. */
export type StreamPiece = readonly StreamEvent[] | undefined

/** What one object of a stream is: an event, the news that there is no stream, or nothing that matters. */
export type Incoming = StreamEvent | 'no stream' | undefined

/** Events that may wait to be taken; then the server is asked for no more until they are. */
const mostWaiting = 2_000

export class EventPieces {
  readonly #stream: Readable
  #arrived: StreamEvent[] = []
  #failure: Error | undefined
  #hasEnded = false
  #isWaking = false
  #wake: () => void = () => undefined

  /** `left` says when the client was left: nothing more comes from it then, not even an error. */
  constructor(stream: Readable, take: (object: unknown) => Incoming, left: AbortSignal) {
    this.#stream = stream
    const fail = (error: Error): void => {
      this.#failure ??= error
      this.#wake()
    }
    const end = (): void => {
      this.#hasEnded = true
      this.#wake()
    }
    stream.on('error', fail).on('end', end).on('close', end)
    stream.on('data', (object: unknown) => {
      const incoming = take(object)
      if (incoming === 'no stream') fail(new StreamNotFoundError())
      else if (incoming !== undefined) this.#add(incoming)
    })
    const leave = (): void => fail(new Error('the connection was given up'))
    if (left.aborted) leave()
    left.addEventListener('abort', leave, { once: true })
    stream.once('close', () => left.removeEventListener('abort', leave))
  }

  /** The events that have arrived; waits for some if there are none. */
  async next(): Promise<StreamPiece> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure
      if (this.#arrived.length > 0) return this.#takeAll()
      if (this.#hasEnded) return undefined
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  #add(event: StreamEvent): void {
    this.#arrived.push(event)
    if (this.#arrived.length >= mostWaiting) this.#stream.pause()
    if (this.#isWaking) return
    this.#isWaking = true
    // What came with the same packet comes one by one, and is taken together.
    setImmediate(() => {
      this.#isWaking = false
      this.#wake()
    })
  }

  #takeAll(): readonly StreamEvent[] {
    const piece = this.#arrived
    this.#arrived = []
    if (piece.length >= mostWaiting) this.#stream.resume()
    return piece
  }
}
