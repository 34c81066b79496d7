/**
 * One authenticated connection with another party's node. It reads no faster than the node decides, writes no more
 * than its bound, and ends itself when the other side is silent, stuck, idle or does not keep to the protocol.
 */
import type { TLSSocket } from 'node:tls'
import type { PublicKey } from '../identity/PublicKey.js'
import { messageOf } from '../errors/CarillonError.js'
import type { Envelope } from '../log/Message.js'
import type { TransportLimits } from './limits.js'
import type { Inflow } from './Inflow.js'
import { envelopesFrame, FrameReader, FrameRefused, greetingFrame, protocolVersion, type Frame } from './Frame.js'

export type ConnectionEvents = {
  /** The other side has greeted: it has accepted us, and may be written to. */
  readonly ready: () => void
  /** There is room to write again. */
  readonly drained: () => void
  readonly deliver: (from: PublicKey, envelopes: readonly Envelope[], bytes: number) => void | Promise<void>
  /** The connection is over; with a reason when the other side is to blame. */
  readonly closed: (reason?: string) => void
}

export class Connection {
  readonly #socket: TLSSocket
  readonly #party: PublicKey
  readonly #limits: TransportLimits
  readonly #events: ConnectionEvents
  readonly #reader = new FrameReader()
  readonly #inflow: Inflow
  readonly #watch: NodeJS.Timeout
  #ready = false
  #closed = false
  #underWay = 0
  readonly #openedMs = performance.now()
  #heardMs = performance.now()
  #saidMs = performance.now()
  /** When a message last passed, either way. */
  #usedMs = performance.now()
  #fullSinceMs: number | undefined

  constructor(socket: TLSSocket, party: PublicKey, limits: TransportLimits, inflow: Inflow, events: ConnectionEvents) {
    this.#socket = socket
    this.#party = party
    this.#limits = limits
    this.#inflow = inflow
    this.#events = events
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => this.#hear(chunk))
    socket.on('drain', () => {
      this.#fullSinceMs = undefined
      if (!this.#closed) events.drained()
    })
    // A reset is how the other side's crash looks from here; the close that follows says all there is to say.
    socket.on('error', () => undefined)
    socket.on('end', () => this.close())
    socket.on('close', () => this.#over())
    this.#watch = setInterval(() => this.#look(), Math.max(10, limits.keepAliveMs / 3)).unref()
    this.#write(greetingFrame())
  }

  /** Whether it may be written to now. */
  get hasRoom(): boolean {
    return this.#ready && !this.#closed && this.#fullSinceMs === undefined
  }

  /** Sends envelopes that were encoded before, as one frame. */
  send(texts: readonly string[]): void {
    this.#usedMs = performance.now()
    this.#write(envelopesFrame(texts))
  }

  /** Ends in good order: what was written still leaves, within the bound. */
  close(reason?: string): void {
    if (this.#closed) return
    this.#socket.end()
    setTimeout(() => this.#socket.destroy(), this.#limits.closeMs).unref()
    this.#over(reason)
  }

  /** Ends at once: nothing more is read or written. */
  #refuse(reason: string): void {
    this.#socket.destroy()
    this.#over(reason)
  }

  #over(reason?: string): void {
    if (this.#closed) return
    this.#closed = true
    this.#inflow.leave(this)
    clearInterval(this.#watch)
    this.#events.closed(reason)
  }

  #write(frame: Buffer): void {
    if (this.#closed || !this.#socket.writable) return
    this.#saidMs = performance.now()
    if (!this.#socket.write(frame)) this.#fullSinceMs ??= this.#saidMs
  }

  #hear(chunk: Buffer): void {
    if (this.#closed) return
    try {
      for (const frame of this.#reader.feed(chunk)) {
        this.#take(frame)
        if (this.#isClosed()) return
      }
    } catch (error) {
      this.#refuse(
        error instanceof FrameRefused
          ? `a frame was refused, since ${error.message}`
          : `a frame could not be taken: ${messageOf(error)}`,
      )
    }
  }

  /** Read anew: taking a frame may have closed the connection. */
  #isClosed(): boolean {
    return this.#closed
  }

  #take(frame: Frame): void {
    this.#heardMs = performance.now()
    if (frame.kind === 'greeting') {
      if (frame.protocol !== protocolVersion)
        throw new FrameRefused(`it greets with protocol ${frame.protocol}, and this node speaks ${protocolVersion}`)
      if (this.#ready) throw new FrameRefused('it greets a second time')
      this.#ready = true
      this.#events.ready()
      return
    }
    if (!this.#ready) throw new FrameRefused('it comes before the greeting')
    const { envelopes, bytes } = frame
    if (envelopes.length > 0) this.#usedMs = this.#heardMs
    // An empty frame is read, too: whoever sends many of them has used up its share like anyone else.
    const count = Math.max(1, envelopes.length)
    this.#underWay += count
    this.#inflow.begin(count, bytes)
    void Promise.resolve(this.#events.deliver(this.#party, envelopes, bytes)).finally(() => {
      this.#underWay -= count
      this.#inflow.end(count, bytes)
    })
    // The loop has as much of this party as is good for the others; TCP holds the rest back at its sender.
    this.#inflow.hold(this)
  }

  /** Reads nothing more until it is resumed. */
  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    if (this.#closed) return
    // Its words waited in our buffer; they do not count as silence.
    this.#heardMs = performance.now()
    this.#socket.resume()
  }

  #look(): void {
    const nowMs = performance.now()
    const { keepAliveMs, silenceMs, idleConnectionMs, greetingMs } = this.#limits
    if (!this.#ready && nowMs - this.#openedMs >= greetingMs) {
      this.#refuse('it did not greet in time')
    } else if (nowMs - this.#heardMs >= silenceMs && !this.#socket.isPaused()) {
      this.#refuse('nothing was heard for too long; the connection is half open or stuck')
    } else if (this.#fullSinceMs !== undefined && nowMs - this.#fullSinceMs >= silenceMs) {
      this.#refuse('it takes nothing of what is sent')
    } else if (nowMs - this.#usedMs >= idleConnectionMs && this.#underWay === 0) {
      this.close()
    } else if (nowMs - this.#saidMs >= keepAliveMs && this.#fullSinceMs === undefined) {
      this.#write(envelopesFrame([]))
    }
  }
}
