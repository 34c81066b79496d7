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
import { messageLimits, type SessionLimits } from '../session/limits.js'
import {
  creditOf,
  decideEnvelope,
  overBudget,
  type EnvelopeDecision,
  type EnvelopeRefusal,
  type MessageReads,
} from '../session/decideMessage.js'
import { envelopeOf } from '../session/envelopeText.js'
import { EnvelopeC, isOfSession, otherRole, type Envelope, type SessionEnvelope } from '../log/Message.js'
import { endKey, type OutgoingRow } from '../session/SessionRow.js'
import { RepeatedWarnings } from '../engine/RepeatedWarnings.js'
import { KeptPerParty } from './KeptPerParty.js'
import { MemberBudgets } from './MemberBudgets.js'
import { RefusedOpenings } from './RefusedOpenings.js'
import type { Transport } from '../session/Transport.js'
import type { Clock } from '../time/Clock.js'
import type { Logger } from '../engine/Logger.js'
import type { Committed } from '../engine/Committed.js'
import type { HeadKeeper } from '../backup/HeadKeeper.js'
import type { Loop } from '../engine/Loop.js'
import type { SignatureThreads } from './SignatureThreads.js'
import type { TickStore } from '../storage/TickStore.js'

/** The post for one party: how much of it is held in memory, and up to where it was taken from the outbox. */
type Box = {
  held: number
  heldBytes: number
  lastRevision: number
  hasMore: boolean
  /** The first message that was passed over, because there is no credit for it. */
  passedOver?: number
}

const emptyBox = (): Box => ({ held: 0, heldBytes: 0, lastRevision: -1, hasMore: true })

type Waiting = {
  readonly to: PublicKey
  readonly envelope: Envelope
  readonly size: number
  /** This node's end of its session, and its number there. */
  readonly end: string
  readonly seq: number
  nextMs: number
  tries: number
}

/** Ends of sessions with a party whose credit is remembered; of the others what is known at first holds. */
const creditsKept = 10_000

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
  readonly #budgets: MemberBudgets
  readonly #refusedOpenings: RefusedOpenings
  readonly #warnings: RepeatedWarnings
  /** For the ends of sessions here: the number below which the other side takes messages. */
  readonly #credits = new KeptPerParty<number>(creditsKept)
  /** For the ends of sessions here whose other side has used up most of its credit: what it was told last. */
  readonly #told = new KeptPerParty<number>(creditsKept)
  #refused = 0
  #wereRefused = 0
  #cancelWake: () => void = () => undefined
  #stopped = false

  constructor(parts: OutboxSenderParts) {
    this.#parts = parts
    const { resendFirstMs, resendLongestMs } = parts.limits
    this.#resend = { firstWaitMs: resendFirstMs, longestWaitMs: resendLongestMs }
    this.#budgets = new MemberBudgets(parts.limits)
    this.#refusedOpenings = new RefusedOpenings(parts.limits.refusedOpeningsPerParty)
    this.#warnings = new RepeatedWarnings(parts.logger)
    parts.loop.follow((committed) => {
      this.#committed(committed)
    })
  }

  /** Messages of others that this node has refused because a budget of theirs was spent, since it started. */
  get refused(): number {
    return this.#refused
  }

  /** Messages of this node that others have refused so. */
  get wereRefused(): number {
    return this.#wereRefused
  }

  /** Sends what was left without an acknowledgement when the node last stopped. */
  start(): void {
    // Not before the start of the node is recorded: what others send belongs to the new term.
    this.#parts.transport.listen((from, envelopes, bytes) => this.#deliver(from, envelopes, bytes))
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
        if (this.#passesOver(row, box)) continue
        // One at least, however large; the rest when that is acknowledged.
        if (box.held > 0 && box.heldBytes + row.text.length > this.#parts.limits.unacknowledgedBytesPerParty) return
        this.#take(row, box)
      }
      box.hasMore = rows.length === wanted
    }
  }

  /** What there is no credit for takes no room from other sessions; it is taken when there is. */
  #passesOver({ session, role, party, seq, revision }: OutgoingRow, box: Box): boolean {
    const end = endKey(session, role)
    // Nothing is remembered of a session of before a restart: its next message is sent, and the answer tells.
    if (seq >= messageLimits.firstCredit && this.#credits.find(party, end) === undefined)
      this.#credits.keep(party, end, this.#waiting.has(`${end} ${seq - 1}`) ? messageLimits.firstCredit : seq + 1)
    const isHeld = this.#waiting.has(`${end} ${seq}`)
    if (!isHeld && seq <= this.#creditOf(party, end)) return false
    if (!isHeld) box.passedOver ??= revision
    box.lastRevision = revision
    return true
  }

  #take(row: OutgoingRow, box: Box): void {
    const { session, role, party, seq, text } = row
    box.lastRevision = row.revision
    box.held += 1
    box.heldBytes += text.length
    const end = endKey(session, role)
    const waiting = { to: party, envelope: envelopeOf(row), size: text.length, end, seq, nextMs: 0, tries: 0 }
    this.#waiting.set(`${end} ${seq}`, waiting)
  }

  #committed(committed: Committed): void {
    if (this.#stopped) return
    this.#extendCredits(committed)
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
        const isBeyond = !this.#hasCredit(waiting)
        waiting.tries += 1
        waiting.nextMs = nowMs + waitAfter(this.#resend, waiting.tries)
        if (isBeyond) {
          nextMs = Math.min(nextMs, waiting.nextMs)
          continue
        }
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

  #creditOf(party: PublicKey, end: string): number {
    return this.#credits.find(party, end) ?? messageLimits.firstCredit
  }

  /** Whether there is credit for a message; or it is the next beyond, which is sent now and then in case a word of credit was lost. */
  #hasCredit({ to, end, seq, tries }: Waiting): boolean {
    const credit = this.#creditOf(to, end)
    return seq < credit || (seq === credit && tries > 0)
  }

  /** The other side takes more than before; what waited for that is sent. */
  #takeCredit(from: PublicKey, envelope: SessionEnvelope): void {
    const credit = envelope.kind === 'credit' ? envelope.seq : envelope.kind === 'message' ? undefined : envelope.credit
    if (credit === undefined) return
    const role = otherRole(envelope.from)
    const end = endKey(envelope.session, role)
    const before = this.#creditOf(from, end)
    if (credit <= before || this.#parts.store.views.sessions.find(envelope.session, role)?.party !== from) return
    this.#credits.keep(from, end, credit)
    const probe = this.#waiting.get(`${end} ${before}`)
    const box = this.#boxes.get(from)
    // Nothing has waited for it: a word of credit costs no look at all that waits.
    if (probe === undefined && box?.passedOver === undefined) return
    if (probe !== undefined) {
      probe.nextMs = 0
      probe.tries = 0
    }
    if (box?.passedOver !== undefined) {
      box.lastRevision = Math.min(box.lastRevision, box.passedOver - 1)
      box.hasMore = true
      delete box.passedOver
      if (!this.#parts.loop.isTicking) this.#fillFor(from)
    }
    this.#sendDue()
  }

  /** Flows have read on: whoever has used up most of its credit hears of more. Only sessions that were read in are looked at. */
  #extendCredits(committed: Committed): void {
    const { store, transport, limits } = this.#parts
    if (this.#told.isEmpty) return
    for (const { session, role } of committed.awaited()) {
      const row = store.views.sessions.find(session, role)
      const end = endKey(session, role)
      const before = row === undefined ? undefined : this.#told.find(row.party, end)
      if (row === undefined || before === undefined) continue
      const credit = creditOf(limits, row)
      if (!row.closed && credit <= before) continue
      this.#told.forget(row.party, end)
      if (!row.closed) transport.send(row.party, [{ kind: 'credit', session, from: role, seq: credit }])
    }
  }

  /** What an answer to a message says about how many more are taken. */
  #creditFor({ session, from, seq }: SessionEnvelope): { readonly credit?: number } {
    const { store, limits } = this.#parts
    const role = otherRole(from)
    const row = store.views.sessions.find(session, role)
    if (row === undefined || row.closed) return {}
    const credit = creditOf(limits, row)
    const end = endKey(session, role)
    if (credit - seq <= limits.unreadMessages / 2) this.#told.keep(row.party, end, credit)
    return { credit }
  }

  #tellCredit(to: PublicKey, envelope: SessionEnvelope): void {
    const { credit } = this.#creditFor(envelope)
    if (credit === undefined) return
    const { session, from } = envelope
    this.#parts.transport.send(to, [{ kind: 'credit', session, from: otherRole(from), seq: credit }])
  }

  #refuse(to: PublicKey, envelope: SessionEnvelope, refusal: EnvelopeRefusal): void {
    const { transport, clock, network } = this.#parts
    this.#refused += 1
    const party = network().member(to)?.party.name ?? to
    this.#warnings.warn(to, `A message of ${party} was refused: ${refusal.message}`, { from: to }, clock.now())
    const { session, seq } = envelope
    const answer = { kind: 'refused', session, from: otherRole(envelope.from), seq } as const
    transport.send(to, [{ ...answer, ...refusal, ...this.#creditFor(envelope) }])
  }

  /** Another party does not take a message now: it is sent again when that party said, or when there is credit. */
  #takeRefusal(from: PublicKey, envelope: Extract<SessionEnvelope, { readonly kind: 'refused' }>): void {
    const { clock, network, limits } = this.#parts
    const waiting = this.#waiting.get(`${endKey(envelope.session, otherRole(envelope.from))} ${envelope.seq}`)
    if (waiting?.to !== from) return
    this.#wereRefused += 1
    const party = network().member(from)?.party.name ?? from
    this.#warnings.warn(from, `${party} refused a message: ${envelope.message}`, { to: from }, clock.now())
    const waitMs = Math.min(envelope.retryAfterMs ?? 0, limits.resendLongestMs)
    waiting.nextMs = Math.max(waiting.nextMs, clock.now() + waitMs)
  }

  /**
   * Resolves once everything in the batch has been decided on, one way or the other. Of a party that sends more than it
   * may, nothing is decided until it may again; a transport that waits takes nothing more from it meanwhile.
   */
  async #deliver(from: PublicKey, envelopes: readonly unknown[], bytes: number): Promise<void> {
    if (this.#stopped) return
    const { clock, network } = this.#parts
    const count = Math.max(1, envelopes.length)
    const waitMs = this.#budgets.take(from, count, bytes, clock.now())
    if (waitMs > 0) {
      const { messagesPerMinute, bytesPerMinute } = this.#parts.limits
      const party = network().member(from)?.party.name ?? from
      const why = `${party} has sent more than ${messagesPerMinute} messages or ${bytesPerMinute} bytes in a minute.`
      for (const value of envelopes) {
        const decoded = decodeWith(EnvelopeC, value)
        if (!isLeft(decoded) && decoded.right.kind === 'message')
          this.#refuse(from, decoded.right, overBudget(why, waitMs))
      }
      const heldMs = Math.max(waitMs, this.#budgets.hold(from, count, bytes, clock.now()))
      await new Promise<void>((resolve) => {
        clock.wakeAt(clock.now() + heldMs, resolve)
      })
      return
    }
    // A sign of life, which says nothing.
    if (envelopes.length === 0) return
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

  /** An opening that was refused for good is not judged again, also where its copy is decided before the answer is sent. */
  #judge(tick: MessageReads, from: PublicKey, envelope: SessionEnvelope): EnvelopeDecision {
    const before = this.#refusedOpenings.find(from, envelope)
    if (before !== undefined) return { verdict: 'refuse', events: [], refusal: before }
    const decided = decideEnvelope(tick, from, envelope)
    if (decided.refusal !== undefined) this.#refusedOpenings.keep(from, envelope, decided.refusal)
    return decided
  }

  async #decide(from: PublicKey, value: unknown): Promise<void> {
    const { loop, engine, transport, clock, heads } = this.#parts
    const decoded = decodeWith(EnvelopeC, value)
    if (isLeft(decoded)) {
      this.#warnings.warn(from, 'A message that cannot be understood was dropped.', { from }, clock.now())
      return
    }
    const envelope = decoded.right
    try {
      if (!isOfSession(envelope)) {
        await heads?.take(from, envelope)
        return
      }
      this.#takeCredit(from, envelope)
      if (envelope.kind === 'credit') return
      if (envelope.kind === 'refused') this.#takeRefusal(from, envelope)
      const ahead = this.#verifyAhead(envelope)
      if (ahead !== undefined) await ahead
      const { verdict, refusal } = await loop.submit((tick) => {
        const decided = this.#judge(tick, from, envelope)
        if (decided.start !== undefined) engine.start(tick, decided.start, decided.events)
        else for (const event of decided.events) tick.emit(event)
        return decided
      })
      if (verdict === 'tellCredit') this.#tellCredit(from, envelope)
      if (refusal !== undefined) this.#refuse(from, envelope, refusal)
      else if (verdict === 'refuse')
        this.#warnings.warn(from, 'A message was refused that its sender has no right to send.', { from }, clock.now())
      if (verdict === 'acknowledge' && !this.#stopped)
        transport.send(from, [
          {
            ...{ kind: 'ack', session: envelope.session, from: otherRole(envelope.from), seq: envelope.seq },
            ...this.#creditFor(envelope),
          },
        ])
    } catch {
      // Refused while the node is busy or has stopped; the sender tries again.
    }
  }
}
