/**
 * Decides on what another party's node has sent. Whatever arrives, the sender gets an acknowledgement or an
 * answer it can understand, and nothing is taken twice.
 */
import { canonicalText, Encoded, utf8Length } from '../encoding/canonical.js'
import { messageOf } from '../errors/CarillonError.js'
import { hasEnded } from '../flow/FlowRow.js'
import type { FlowStart } from '../flow/FlowStart.js'
import type { Party } from '../identity/Party.js'
import type { PublicKey } from '../identity/PublicKey.js'
import { messageLimits, type SessionLimits } from './limits.js'
import type { DomainEvent } from '../log/events.js'
import { otherRole, type Message, type SessionEnvelope, type WrittenMessage } from '../log/Message.js'
import type { NodeRead } from '../log/NodeTables.js'
import { responderIdOf, sessionIdOf } from '../log/SessionId.js'
import type { SessionInput } from './SessionInput.js'
import type { SessionReads } from './SessionReads.js'
import type { SessionRow } from './SessionRow.js'

type Incoming = Extract<SessionEnvelope, { readonly kind: 'message' }>
type Opening = Extract<Message, { readonly kind: 'open' }>

/** The flow that answers another one, in the versions it understands. */
type ResponderSignature = {
  readonly name: string
  readonly respondsTo: { readonly fromVersion: number; readonly toVersion: number } | undefined
}

/** What a decision about a message depends on. */
export type MessageReads = SessionReads & {
  readonly registry: { readonly responderTo: (flow: string) => ResponderSignature | undefined }
  readonly views: Pick<NodeRead, 'facts'>
  /** About how long an input waits that arrives now. */
  readonly waitMs: () => number
  readonly limits: { readonly session: SessionLimits }
}

/**
 * What to do once the tick is durable: acknowledge, keep silent so that it is sent again, keep silent because nobody who
 * means well would have sent it, or say how many messages of the session are taken.
 */
export type EnvelopeVerdict = 'acknowledge' | 'ignore' | 'refuse' | 'tellCredit'

/** What a sender hears of a message that is not taken. Nothing of it is recorded, so that refusing costs next to nothing. */
export type EnvelopeRefusal = {
  readonly code: string
  readonly message: string
  readonly details?: Readonly<Record<string, number>>
  /** When it may be sent again; never, when left out. */
  readonly retryAfterMs?: number
}

/** What becomes of an envelope. Where it starts a flow, the events are recorded between the start and the first operation. */
export type EnvelopeDecision = {
  readonly verdict: EnvelopeVerdict
  readonly events: readonly DomainEvent[]
  readonly start?: FlowStart
  readonly refusal?: EnvelopeRefusal
}

/** A budget of its sender is spent. */
export const overBudget = (message: string, retryAfterMs?: number): EnvelopeRefusal => ({
  code: 'member-budget-exceeded',
  message,
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
})

const silent = (verdict: EnvelopeVerdict): EnvelopeDecision => ({ verdict, events: [] })

const received = ({ session, seq, message }: Incoming): DomainEvent => ({
  type: 'MessageReceived',
  session,
  role: 'responder',
  seq,
  message,
})

/** A session that cannot be answered is not opened. Its opening is sent again until the other side has heard of that. */
const refuse = (code: string, message: string, details?: Readonly<Record<string, number>>): EnvelopeDecision => ({
  verdict: 'refuse',
  events: [],
  refusal: { code, message, ...(details === undefined ? {} : { details }) },
})

const notaryFlow = 'carillon/Notarise'
const leastRetryMs = 1_000

/** A notary with too much to do says when to come back, which costs it far less than to judge. */
const turnAway = (reads: MessageReads, opening: Opening): EnvelopeDecision | undefined => {
  if (opening.flow !== notaryFlow || reads.network.notaryKind(reads.me.key) === undefined) return undefined
  const waitMs = reads.waitMs()
  if (waitMs < reads.limits.session.notaryWaitMs) return undefined
  const retryAfterMs = Math.max(leastRetryMs, waitMs)
  const message = `${reads.me.name} has so many requests that this one would wait about ${Math.ceil(retryAfterMs / 1_000)} s. Ask again then.`
  return refuse('notary-busy', message, { retryAfterMs })
}

const answer = (reads: MessageReads, party: Party, envelope: Incoming, opening: Opening): EnvelopeDecision => {
  const turnedAway = turnAway(reads, opening)
  if (turnedAway !== undefined) return turnedAway
  const definition = reads.registry.responderTo(opening.flow)
  if (definition?.respondsTo === undefined)
    return refuse('flow-unknown', `${reads.me.name} has no flow that responds to ${opening.flow}.`)
  const { fromVersion, toVersion } = definition.respondsTo
  if (opening.version < fromVersion || opening.version > toVersion) {
    const understood = fromVersion === toVersion ? `version ${fromVersion}` : `versions ${fromVersion} to ${toVersion}`
    return refuse(
      'flow-version-unsupported',
      `${reads.me.name} understands ${understood} of ${opening.flow}, not version ${opening.version}.`,
    )
  }
  const { session } = envelope
  const id = responderIdOf(session)
  const input: SessionInput = { session, party, version: opening.version }
  return {
    verdict: 'acknowledge',
    start: {
      id,
      name: definition.name,
      input,
      encodedInput: input,
      origin: { kind: 'session', session, party: party.key },
    },
    events: [{ type: 'SessionOpened', session, role: 'responder', party: party.key, flow: id }, received(envelope)],
  }
}

/** The message as it can be recorded: one that cannot be reaches the flow as an error, and so ends the session. */
const recordable = (message: Message): WrittenMessage => {
  const unfit = (why: string): Message => ({
    kind: 'error',
    code: 'message-invalid',
    message: `A message was sent that cannot be recorded: ${why}`.slice(0, 1_000).toWellFormed(),
  })
  try {
    const written: WrittenMessage =
      message.kind === 'data' ? { kind: 'data', payload: new Encoded(canonicalText(message.payload)) } : message
    const bytes = utf8Length(canonicalText(written))
    return bytes > messageLimits.messageBytes
      ? unfit(`it takes ${bytes} bytes; at most ${messageLimits.messageBytes} are allowed.`)
      : written
  } catch (error) {
    return unfit(messageOf(error))
  }
}

/** Whether nobody at this end will ever read what still arrives. */
const isOver = (reads: SessionReads, session: SessionRow): boolean =>
  session.flowSeq === null || hasEnded(reads.views.flows.get(session.flowSeq))

/** The number below which messages of a session are taken: as many as its flow may leave unread, from the one it asks for next. */
export const creditOf = (limits: SessionLimits, { asked }: SessionRow): number => asked + limits.unreadMessages

/** Whether a message may be kept until it is read. The next one always may, or its flow would wait for ever. */
const hasRoom = (reads: MessageReads, session: SessionRow, seq: number, message: WrittenMessage): boolean => {
  if (seq <= session.asked) return true
  if (seq >= creditOf(reads.limits.session, session)) return false
  const { unreadBytes, unreadBytesPerParty } = reads.limits.session
  const bytes = canonicalText(message).length
  return (
    session.unreadBytes + bytes <= unreadBytes &&
    reads.views.sessions.unreadOf(session.party) + bytes <= unreadBytesPerParty
  )
}

const decideIncoming = (reads: MessageReads, from: PublicKey, envelope: Incoming): EnvelopeDecision => {
  const member = reads.network.member(from)
  if (member === undefined) return silent('refuse')
  const role = otherRole(envelope.from)
  const session = reads.views.sessions.find(envelope.session, role)
  if (session === undefined) {
    // The answer to a session nobody opened here, or a message that overtook the one that opens its session.
    if (role === 'initiator' || envelope.message.kind !== 'open' || envelope.seq !== 0) return silent('ignore')
    // Nothing starts while the node drains; the sender tries again.
    if (reads.views.facts.now.draining) return silent('ignore')
    if (sessionIdOf(from, envelope.message.nonce) !== envelope.session) return silent('refuse')
    const { sessionsPerParty } = reads.limits.session
    if (from !== reads.me.key && reads.views.sessions.openedBy(from) >= sessionsPerParty) {
      const why = `${member.party.name} has ${sessionsPerParty} sessions open with ${reads.me.name}, and may have no more.`
      return { verdict: 'refuse', events: [], refusal: overBudget(why) }
    }
    return answer(reads, member.party, envelope, envelope.message)
  }
  // Another party's session: to someone who is not its other end it does not exist.
  if (session.party !== from) return silent('refuse')
  if (reads.views.sessions.hasArrived(session, envelope.seq) || isOver(reads, session)) return silent('acknowledge')
  // No flow could have sent so many, and none will read them.
  if (envelope.seq >= reads.limits.session.messagesPerSession) return silent('refuse')
  const message = recordable(envelope.message)
  // The sender has used up its credit and asks whether there is more.
  if (envelope.seq === creditOf(reads.limits.session, session)) return silent('tellCredit')
  if (!hasRoom(reads, session, envelope.seq, message)) {
    const { unreadMessages, unreadBytes, unreadBytesPerParty, resendFirstMs } = reads.limits.session
    const why = `${reads.me.name} has not read what was sent before; it keeps ${unreadMessages} messages and ${unreadBytes} bytes of a session unread, and ${unreadBytesPerParty} bytes of a party.`
    return { verdict: 'refuse', events: [], refusal: overBudget(why, resendFirstMs) }
  }
  return {
    verdict: 'acknowledge',
    events: [{ type: 'MessageReceived', session: envelope.session, role, seq: envelope.seq, message }],
  }
}

/**
 * The other end has refused a message for good. A session that it did not let be opened has ended: its flow hears why, and
 * what was still to be sent in it is not sent any more.
 */
const decideRefusal = (
  reads: SessionReads,
  envelope: Extract<SessionEnvelope, { readonly kind: 'refused' }>,
  session: SessionRow,
): EnvelopeDecision => {
  const { id, role, sent } = session
  const { sessions } = reads.views
  if (envelope.retryAfterMs !== undefined || envelope.seq !== 0 || role !== 'initiator') return silent('ignore')
  if (!sessions.isOutgoing(id, role, 0) || sessions.hasArrived(session, 0)) return silent('ignore')
  const { code, message, details } = envelope
  const unsent = Array.from({ length: sent }, (_, seq) => seq).filter((seq) => sessions.isOutgoing(id, role, seq))
  const end: DomainEvent[] = session.closed
    ? []
    : [
        { type: 'MessageSent', session: id, role, seq: sent, message: { kind: 'end' } },
        { type: 'MessageAcknowledged', session: id, role, seq: sent },
      ]
  // Nobody is there any more to hear of it.
  const heard: DomainEvent[] = isOver(reads, session)
    ? []
    : [
        {
          type: 'MessageReceived',
          session: id,
          role,
          seq: 0,
          message: recordable({ kind: 'error', code, message, ...(details === undefined ? {} : { details }) }),
        },
      ]
  return {
    verdict: 'ignore',
    events: [
      ...unsent.map((seq): DomainEvent => ({ type: 'MessageAcknowledged', session: id, role, seq })),
      ...end,
      ...heard,
    ],
  }
}

export const decideEnvelope = (reads: MessageReads, from: PublicKey, envelope: SessionEnvelope): EnvelopeDecision => {
  if (envelope.kind === 'message') return decideIncoming(reads, from, envelope)
  const role = otherRole(envelope.from)
  const session = reads.views.sessions.find(envelope.session, role)
  if (envelope.kind === 'refused')
    return session?.party === from ? decideRefusal(reads, envelope, session) : silent('ignore')
  if (envelope.kind === 'credit') return silent('ignore')
  const isAwaited = session?.party === from && reads.views.sessions.isOutgoing(envelope.session, role, envelope.seq)
  if (!isAwaited) return silent('ignore')
  return {
    verdict: 'ignore',
    events: [{ type: 'MessageAcknowledged', session: envelope.session, role, seq: envelope.seq }],
  }
}
