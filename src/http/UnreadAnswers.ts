/**
 * Answers that wait to be read by whoever asked for them: of each token so many bytes, and of nobody an answer of which nothing
 * is taken any more. Otherwise a client that asks and does not read would fill the memory.
 */
import type { ServerResponse } from 'node:http'
import { CarillonError } from '../errors/CarillonError.js'
import { httpLimits } from './limits.js'
import type { Principal } from './Principal.js'

export class UnreadAnswers {
  readonly #limits: { readonly httpUnreadBytes: number; readonly httpUnreadMs: number }
  readonly #bytes = new Map<string, number>()

  constructor(limits: { readonly httpUnreadBytes: number; readonly httpUnreadMs: number } = httpLimits) {
    this.#limits = limits
  }

  /** Counts an answer that is about to be sent until it was taken; refuses one too many. The only one of a token may be of any size. */
  hold({ token, name }: Pick<Principal, 'token' | 'name'>, raw: ServerResponse, bytes: number): void {
    // Not called as long as something is taken, however slowly.
    raw.setTimeout(this.#limits.httpUnreadMs, () => raw.destroy())
    // Before the server sets the time for the next request on the connection.
    raw.prependOnceListener('finish', () => raw.socket?.setTimeout(0))
    const { socket } = raw.req
    // Whoever has gone reads nothing, and nothing is kept for it.
    if (token === undefined || socket.destroyed) return
    const before = this.#bytes.get(token) ?? 0
    if (before > 0 && before + bytes > this.#limits.httpUnreadBytes)
      throw new CarillonError(
        'rate-exceeded',
        `Answers to the token "${name}" of ${before} bytes have not been read yet. Read them, then ask again.`,
      )
    this.#bytes.set(token, before + bytes)
    const release = (): void => {
      raw.off('close', release)
      socket.off('close', release)
      const left = (this.#bytes.get(token) ?? 0) - bytes
      if (left > 0) this.#bytes.set(token, left)
      else this.#bytes.delete(token)
    }
    raw.once('close', release)
    // An answer that stands behind another on its connection does not hear that the connection has ended. There may be many.
    socket.setMaxListeners(0).once('close', release)
  }
}
