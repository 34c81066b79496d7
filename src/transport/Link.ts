/**
 * The way to one other party: what waits to be sent, the connections there are, and the dialling when there is none.
 * What waits is bounded and each envelope waits once; what does not fit is dropped, for it is sent again later.
 */
import type { TLSSocket } from 'node:tls'
import { canonicalText } from '../encoding/canonical.js'
import { waitAfter } from '../flow/RetryPolicy.js'
import type { Party } from '../identity/Party.js'
import { frameLimits } from './limits.js'
import { isOfSession, type Envelope } from '../log/Message.js'
import type { TransportLimits } from './limits.js'
import { Connection, type ConnectionEvents } from './Connection.js'
import { Inflow } from './Inflow.js'
import type { Refusals } from './Refusals.js'

export type LinkParts = {
  readonly party: Party
  readonly limits: TransportLimits
  readonly refusals: Refusals
  readonly deliver: ConnectionEvents['deliver']
  /** Opens an authenticated socket to the party; rejects with the reason. Undefined when it has no address. */
  readonly dial: (() => Promise<TLSSocket>) | undefined
}

const keyOf = (envelope: Envelope): string =>
  isOfSession(envelope)
    ? `${envelope.kind} ${envelope.session} ${envelope.from} ${envelope.seq}`
    : `${envelope.kind} ${'checkpoint' in envelope ? envelope.checkpoint.signature : ''}`

export class Link {
  readonly #parts: LinkParts
  readonly #waiting = new Map<string, string>()
  readonly #inflow: Inflow
  #waitingBytes = 0
  #connections: Connection[] = []
  #dialling = false
  #failures = 0
  #redial: NodeJS.Timeout | undefined
  #flushing: NodeJS.Immediate | undefined
  #closed = false

  constructor(parts: LinkParts) {
    this.#parts = parts
    this.#inflow = new Inflow(parts.limits)
  }

  get connections(): number {
    return this.#connections.length
  }

  send(envelopes: readonly Envelope[]): void {
    if (this.#closed) return
    for (const envelope of envelopes) this.#enqueue(envelope)
    // What is said in one turn of the host's loop travels in one frame.
    this.#flushing ??= setImmediate(() => {
      this.#flushing = undefined
      this.#flush()
    })
  }

  /** Takes over a socket that is authenticated as this party's, whoever dialled. */
  adopt(socket: TLSSocket): void {
    if (this.#closed) {
      socket.destroy()
      return
    }
    const { party, limits, refusals, deliver } = this.#parts
    const connection: Connection = new Connection(socket, party.key, limits, this.#inflow, {
      deliver,
      ready: () => {
        this.#failures = 0
        this.#flush()
      },
      drained: () => this.#flush(),
      closed: (reason) => {
        if (reason !== undefined) refusals.tell(party.name, `The connection was closed: ${reason}.`)
        this.#connections = this.#connections.filter((each) => each !== connection)
        if (this.#waiting.size > 0) this.#dialLater()
      },
    })
    this.#connections.push(connection)
    while (this.#connections.length > limits.connectionsPerParty) this.#connections[0]?.close()
  }

  close(): void {
    this.#flush()
    this.#closed = true
    clearTimeout(this.#redial)
    clearImmediate(this.#flushing)
    this.#waiting.clear()
    for (const connection of [...this.#connections]) connection.close()
  }

  #enqueue(envelope: Envelope): void {
    const { party, limits, refusals } = this.#parts
    const key = keyOf(envelope)
    if (this.#waiting.has(key)) return
    const text = canonicalText(envelope)
    const bytes = Buffer.byteLength(text, 'utf8')
    if (bytes + 2 > frameLimits.frameBytes) {
      refusals.tell(party.name, 'A message is larger than a frame and was dropped.', { bytes })
      return
    }
    if (this.#waitingBytes + bytes > limits.outgoingBytes) {
      refusals.tell(party.name, 'More waits to be sent than there is room for; the rest is sent again later.')
      return
    }
    this.#waiting.set(key, text)
    this.#waitingBytes += bytes
  }

  #flush(): void {
    if (this.#closed || this.#waiting.size === 0) return
    while (this.#waiting.size > 0) {
      // The newest connection is the one most surely alive.
      const connection = this.#connections.findLast(({ hasRoom }) => hasRoom)
      if (connection === undefined) break
      connection.send(this.#takeBatch())
    }
    if (this.#waiting.size > 0 && this.#connections.length === 0) this.#dialLater()
  }

  #takeBatch(): readonly string[] {
    const texts: string[] = []
    let bytes = 2
    for (const [key, text] of this.#waiting) {
      const size = Buffer.byteLength(text, 'utf8')
      if (texts.length === frameLimits.envelopesPerFrame || bytes + size + 1 > frameLimits.frameBytes) break
      texts.push(text)
      bytes += size + 1
      this.#waiting.delete(key)
      this.#waitingBytes -= size
    }
    return texts
  }

  /** Dials now, or after a wait that doubles with each failure and is never the same for two nodes. */
  #dialLater(): void {
    const { dial, party, limits, refusals } = this.#parts
    if (this.#closed || this.#dialling || this.#redial !== undefined) return
    if (dial === undefined) {
      refusals.tell(party.name, 'It has no address in the network map; it is sent to when it connects by itself.')
      return
    }
    const policy = { firstWaitMs: limits.reconnectFirstMs, longestWaitMs: limits.reconnectLongestMs }
    const waitMs = this.#failures === 0 ? 0 : waitAfter(policy, this.#failures) * (0.5 + Math.random() / 2)
    // Counts as failed until the other side has greeted.
    this.#failures += 1
    this.#redial = setTimeout(() => {
      this.#redial = undefined
      void this.#dial(dial)
    }, waitMs).unref()
  }

  async #dial(dial: () => Promise<TLSSocket>): Promise<void> {
    if (this.#closed || this.#connections.length > 0) return
    const { party, refusals } = this.#parts
    this.#dialling = true
    try {
      const socket = await dial()
      this.#dialling = false
      this.adopt(socket)
    } catch (error) {
      this.#dialling = false
      refusals.tell(party.name, `It cannot be reached: ${error instanceof Error ? error.message : String(error)}.`)
      if (this.#waiting.size > 0) this.#dialLater()
    }
  }
}
