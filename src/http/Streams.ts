/**
 * Live streams: server-sent events with ids a client can resume from. So many are open at a time, each is cut off when
 * its reader falls too far behind, and none outlives the server, nor the token or the session it was opened with.
 */
import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { CarillonError } from '../errors/CarillonError.js'
import type { TakenEvent } from '../log/holdsEvent.js'
import { httpLimits } from './limits.js'
import type { Principal } from './Principal.js'

export type Stream = {
  /** False once the reader is gone or was cut off. */
  readonly isOpen: () => boolean
  readonly send: (message: { readonly id?: string; readonly event: string; readonly data: unknown }) => void
  readonly onClose: (callback: () => void) => void
  /** Bytes that wait to be read. */
  readonly unread: () => number
  /** Resolves when the reader has caught up, or is gone. */
  readonly drained: () => Promise<void>
}

/** Who asked for the stream, and where it is to be written. */
type Opening = { readonly reply: FastifyReply; readonly principal: Principal }

export class Streams {
  readonly #open = new Map<ServerResponse, Principal>()
  readonly #nowMs: () => number

  /** Expiry is judged by the machine's clock, as at the {@link Authenticator}. */
  constructor(nowMs: () => number = Date.now) {
    this.#nowMs = nowMs
  }

  /** Turns a request into a stream. Refused when the caller, or everyone together, has too many already. */
  open({ reply, principal }: Opening): Stream {
    const { from: caller, expiresAtMs = Infinity } = principal
    const ofCaller = [...this.#open.values()].filter(({ from }) => from === caller).length
    if (this.#open.size >= httpLimits.httpStreams || ofCaller >= httpLimits.httpStreamsPerCaller)
      throw new CarillonError(
        'rate-exceeded',
        `${ofCaller} live streams are open for ${caller}, ${this.#open.size} in all. Close some first.`,
      )
    reply.hijack()
    const { raw } = reply
    raw.writeHead(200, {
      ...(reply.getHeaders() as Record<string, string>),
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    })
    raw.write('retry: 1000\n\n')
    this.#open.set(raw, principal)
    /** Whether its token still holds. One that does not is hung up on before it hears another word. */
    const hasTime = (): boolean => {
      if (this.#nowMs() < expiresAtMs) return true
      raw.destroy()
      return false
    }
    const beat = setInterval(() => hasTime() && raw.write(': alive\n\n'), httpLimits.httpStreamBeatMs).unref()
    const callbacks: (() => void)[] = []
    raw.once('close', () => {
      clearInterval(beat)
      this.#open.delete(raw)
      for (const callback of callbacks) callback()
    })
    raw.on('error', () => raw.destroy())
    const isOpen = (): boolean => this.#open.has(raw) && raw.writable
    return {
      isOpen,
      send: ({ id, event, data }) => {
        if (!isOpen() || !hasTime()) return
        raw.write(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
        if (raw.writableLength > httpLimits.httpStreamUnreadBytes) raw.destroy()
      },
      onClose: (callback) => {
        callbacks.push(callback)
      },
      unread: () => raw.writableLength,
      drained: () =>
        raw.writableNeedDrain
          ? new Promise((resolve) => {
              const done = (): void => {
                raw.off('drain', done).off('close', done)
                resolve()
              }
              raw.on('drain', done).on('close', done)
            })
          : Promise.resolve(),
    }
  }

  /** Hangs up on whoever came with this token, or in this session. */
  endOf(gone: Pick<Principal, 'token'> | Pick<Principal, 'session'>): void {
    for (const [raw, { token, session }] of this.#open)
      if (('token' in gone && gone.token === token) || ('session' in gone && gone.session === session)) raw.destroy()
  }

  /** Hangs up on everyone. */
  close(): void {
    for (const raw of this.#open.keys()) raw.destroy()
  }
}

/** What a client saw last: from the header a browser sends when it comes back, or from the query. */
const lastSeen = (request: FastifyRequest, asked: string | undefined): string | undefined => {
  const header = request.headers['last-event-id']
  const text = typeof header === 'string' ? header : asked
  return text === '' ? undefined : text
}

/** The id of the event that a client saw last. */
export const lastEventId = (request: FastifyRequest, asked: string | undefined): number | undefined => {
  const text = lastSeen(request, asked)
  if (text === undefined) return undefined
  if (!/^\d{1,15}$/.test(text))
    throw new CarillonError('request-invalid', 'A last event id is a revision: a whole number from 0 on.')
  return Number(text)
}

/** An event that a client has seen. */
export type SeenEvent = Pick<TakenEvent, 'revision'> & Partial<TakenEvent>

/** The same, with the hash of the event where the client has sent it, too. */
export const lastEvent = (request: FastifyRequest, asked: string | undefined): SeenEvent | undefined => {
  const text = lastSeen(request, asked)
  const [, revision, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text ?? '') ?? []
  if (revision !== undefined && hash !== undefined) return { revision: Number(revision), hash }
  const id = lastEventId(request, asked)
  return id === undefined ? undefined : { revision: id }
}
