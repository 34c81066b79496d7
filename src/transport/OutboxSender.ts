/**
 * Carries recorded messages to other parties and hands theirs to the loop. A message is sent when it is durable
 * here, and again and again until the other side says that it is durable there.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import { decodeWith } from '../encoding/decode.js'
import { countSignatures, signaturesIn } from '../finality/signaturesIn.js'
import type { FlowEngine } from '../engine/FlowEngine.js'
import type { NetworkMap } from '../identity/NetworkMap.js'
import type { PublicKey } from '../identity/PublicKey.js'
import { waitAfter } from '../flow/RetryPolicy.js'
import type { SessionLimits } from '../session/limits.js'
import { decideEnvelope } from '../session/decideMessage.js'
import { envelopeOf } from '../session/envelopeText.js'
import { EnvelopeC, isOfSession, otherRole, type Envelope } from '../log/Message.js'
import { endKey, type OutgoingRow } from '../session/SessionRow.js'
import type { Transport } from '../session/Transport.js'
import type { Clock } from '../time/Clock.js'
import type { Logger } from '../engine/Logger.js'
import type { Committed } from '../engine/Committed.js'
import type { HeadKeeper } from '../backup/HeadKeeper.js'
import type { Loop } from '../engine/Loop.js'
import type { SignatureThreads } from './SignatureThreads.js'
import type { TickStore } from '../storage/TickStore.js'

/** The post for one party: how much of it is held in memory, and up to where it was taken from the outbox. */
type Box = { held: number; heldBytes: number; lastRevision: number; hasMore: boolean }

const emptyBox = (): Box => ({ held: 0, heldBytes: 0, lastRevision: -1, hasMore: true })

type Waiting = {
  readonly to: PublicKey
  readonly envelope: Envelope
  readonly size: number
  nextMs: number
  tries: number
}

/** Messages taken from the outbox at a time: they may be large, and only some of them may fit. */
const takenAtOnce = 8

export type OutboxSenderParts = {
  readonly loop: Loop
  readonly store: TickStore
  readonly engine: FlowEngine
  readonly transport: Transport
  /** Asked anew each time: the map may change while the node runs. */
  readonly network: () => NetworkMap
  readonly clock: Clock
  readonly logger: Logger
  readonly limits: SessionLimits
  /** Verifies signatures ahead of the decision. Without it, decisions do so themselves. */
  readonly threads?: SignatureThreads
  /** Takes what others say about where logs stand. Without it, nobody does. */
  readonly heads?: HeadKeeper
}

export class OutboxSender {
  readonly #parts: OutboxSenderParts
  readonly #resend: Parameters<typeof waitAfter>[0]
  readonly #waiting = new Map<string, Waiting>()
  readonly #boxes = new Map<PublicKey, Box>()
  #cancelWake: () => void = () => undefined
  #stopped = false

  constructor(parts: OutboxSenderParts) {
    this.#parts = parts
    const { resendFirstMs, resendLongestMs } = parts.limits
    this.#resend = { firstWaitMs: resendFirstMs, longestWaitMs: resendLongestMs }
    parts.loop.follow((committed) => {
      this.#committed(committed)
    })
  }

  /** Sends what was left without an acknowledgement when the node last stopped. */
  start(): void {
    // Not before the start of the node is recorded: what others send belongs to the new term.
    this.#parts.transport.listen((from, envelopes) => this.#deliver(from, envelopes))
    for (const party of this.#parts.store.views.sessions.addressees()) this.#boxes.set(party, emptyBox())
    if (!this.#parts.loop.isTicking) this.#fill()
    this.#sendDue()
  }

  stop(): void {
    this.#stopped = true
    this.#cancelWake()
  }

  /** Takes messages from the outbox, in order, for every party as far as there is room for its own. */
  #fill(): void {
    for (const party of this.#boxes.keys()) this.#fillFor(party)
  }

  #fillFor(party: PublicKey): void {
    const box = this.#boxes.get(party) ?? emptyBox()
    this.#boxes.set(party, box)
    while (box.hasMore) {
      const room = Math.min(
        this.#parts.limits.unacknowledgedPerParty - box.held,
        // However many others are down, there is always room for some to one that is not.
        Math.max(
          this.#parts.limits.unacknowledged - this.#waiting.size,
          this.#parts.limits.unacknowledgedAtLeast - box.held,
        ),
      )
      if (room <= 0) return
      const wanted = Math.min(room, takenAtOnce)
      const rows = this.#parts.store.views.sessions.outgoing(party, box.lastRevision, wanted)
      for (const row of rows) {
        // One at least, however large; the rest when that is acknowledged.
        if (box.held > 0 && box.heldBytes + row.text.length > this.#parts.limits.unacknowledgedBytesPerParty) return
        this.#take(row, box)
      }
      box.hasMore = rows.length === wanted
    }
  }

  #take(row: OutgoingRow, box: Box): void {
    const { session, role, party, seq, text } = row
    box.lastRevision = row.revision
    box.held += 1
    box.heldBytes += text.length
    const waiting = { to: party, envelope: envelopeOf(row), size: text.length, nextMs: 0, tries: 0 }
    this.#waiting.set(`${endKey(session, role)} ${seq}`, waiting)
  }

  #committed(committed: Committed): void {
    if (this.#stopped) return
    let isFreed = false
    for (const { session, role, seq } of committed.messages('MessageAcknowledged')) {
      const key = `${endKey(session, role)} ${seq}`
      const waiting = this.#waiting.get(key)
      const box = waiting === undefined ? undefined : this.#boxes.get(waiting.to)
      if (waiting === undefined || box === undefined) continue
      this.#waiting.delete(key)
      box.held -= 1
      box.heldBytes -= waiting.size
      isFreed ||= box.hasMore
    }
    const { sessions } = this.#parts.store.views
    for (const { session, role } of committed.messages('MessageSent')) {
      const party = sessions.find(session, role)?.party
      if (party === undefined) continue
      const box = this.#boxes.get(party)
      if (box === undefined) this.#boxes.set(party, emptyBox())
      else box.hasMore = true
      isFreed = true
    }
    if (!isFreed) return
    this.#fill()
    this.#sendDue()
  }

  /** Sends everything whose time has come, one batch a party. */
  #sendDue(): void {
    const nowMs = this.#parts.clock.now()
    const batches = new Map<PublicKey, Envelope[]>()
    let nextMs = Number.POSITIVE_INFINITY
    for (const waiting of this.#waiting.values()) {
      if (waiting.nextMs <= nowMs) {
        waiting.tries += 1
        waiting.nextMs = nowMs + waitAfter(this.#resend, waiting.tries)
        const batch = batches.get(waiting.to) ?? []
        batch.push(waiting.envelope)
        batches.set(waiting.to, batch)
      }
      nextMs = Math.min(nextMs, waiting.nextMs)
    }
    for (const [to, envelopes] of batches) this.#parts.transport.send(to, envelopes)
    this.#cancelWake()
    if (nextMs === Number.POSITIVE_INFINITY || this.#stopped) return
    this.#cancelWake = this.#parts.clock.wakeAt(nextMs, () => {
      if (this.#stopped) return
      // While a tick is open its messages are in the view, but not yet durable; its commit fills the post.
      if (!this.#parts.loop.isTicking) this.#fill()
      this.#sendDue()
    })
  }

  /** Resolves once everything in the batch has been decided on, one way or the other. */
  async #deliver(from: PublicKey, envelopes: readonly unknown[]): Promise<void> {
    if (this.#stopped) return
    this.#parts.heads?.heardFrom(from)
    await Promise.all(envelopes.map((value) => this.#decide(from, value)))
  }

  /** What is verified before the decision need not be in it; a page of history brings enough of that to pay. */
  #verifyAhead(envelope: Envelope): Promise<void> | undefined {
    const { threads, network } = this.#parts
    if (threads?.isWorth(countSignatures(envelope)) !== true) return undefined
    try {
      return threads.verify(signaturesIn(network().id, envelope))
    } catch {
      // What cannot even be sealed is for the decision to refuse, with an answer to its sender.
      return undefined
    }
  }

  async #decide(from: PublicKey, value: unknown): Promise<void> {
    const { loop, engine, transport, logger, heads } = this.#parts
    const decoded = decodeWith(EnvelopeC, value)
    if (isLeft(decoded)) {
      logger.warn('A message that cannot be understood was dropped.', { from })
      return
    }
    const envelope = decoded.right
    try {
      if (!isOfSession(envelope)) {
        await heads?.take(from, envelope)
        return
      }
      const ahead = this.#verifyAhead(envelope)
      if (ahead !== undefined) await ahead
      const verdict = await loop.submit((tick) => {
        const decided = decideEnvelope(tick, from, envelope)
        if (decided.start !== undefined) engine.start(tick, decided.start, decided.events)
        else for (const event of decided.events) tick.emit(event)
        return decided.verdict
      })
      if (verdict === 'refuse') logger.warn('A message was refused that its sender has no right to send.', { from })
      if (verdict === 'acknowledge' && !this.#stopped)
        transport.send(from, [
          { kind: 'ack', session: envelope.session, from: otherRole(envelope.from), seq: envelope.seq },
        ])
    } catch {
      // Refused while the node is busy or has stopped; the sender tries again.
    }
  }
}
