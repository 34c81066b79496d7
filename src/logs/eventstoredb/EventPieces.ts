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

export class EventPieces {
  readonly #stream: Readable
  readonly #take: (object: unknown) => Incoming
  #failure: Error | undefined
  #hasEnded = false
  #wake: () => void = () => undefined

  /** `left` says when the client was left: nothing more comes from it then, not even an error. */
  constructor(stream: Readable, take: (object: unknown) => Incoming, left: AbortSignal) {
    this.#stream = stream
    this.#take = take
    const fail = (error: Error): void => {
      this.#failure ??= error
      this.#wake()
    }
    const end = (): void => {
      this.#hasEnded = true
      this.#wake()
    }
    stream.on('error', fail).on('end', end).on('close', end)
    stream.on('readable', () => this.#wake())
    const leave = (): void => fail(new Error('the connection was given up'))
    if (left.aborted) leave()
    left.addEventListener('abort', leave, { once: true })
    stream.once('close', () => left.removeEventListener('abort', leave))
  }

  /** The events that have arrived; waits for some if there are none. */
  async next(): Promise<StreamPiece> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure
      const piece = this.#arrived()
      if (piece.length > 0) return piece
      if (this.#hasEnded) return undefined
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  #arrived(): readonly StreamEvent[] {
    const piece: StreamEvent[] = []
    for (let next: unknown = this.#stream.read(); next !== null; next = this.#stream.read()) {
      const incoming = this.#take(next)
      if (incoming === 'no stream') throw new StreamNotFoundError()
      if (incoming !== undefined) piece.push(incoming)
    }
    return piece
  }
}
