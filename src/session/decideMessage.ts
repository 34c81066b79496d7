/**
 * Decides on what another party's node has sent. Whatever arrives, the sender gets an acknowledgement or an
 * answer it can understand, and nothing is taken twice.
 */
import type { Decision, SigningDecision } from '../decision/Decision.js'
import type { FlowEngine } from '../flow/FlowEngine.js'
import type { SessionInput } from '../flow/Responder.js'
import type { PublicKey } from '../identity/PublicKey.js'
import type { Party } from '../identity/Party.js'
import { canonicalText, Encoded, utf8Length } from '../encoding/canonical.js'
import { messageOf } from '../errors/CarillonError.js'
import { hasEnded } from '../flow/FlowRow.js'
import { limits } from '../limits.js'
import { otherRole, type Message, type SessionEnvelope, type WrittenMessage } from '../log/Message.js'
import { responderIdOf, sessionIdOf } from '../log/SessionId.js'
import type { SessionRow } from './SessionRow.js'

type Incoming = Extract<SessionEnvelope, { readonly kind: 'message' }>
type Opening = Extract<Message, { readonly kind: 'open' }>

/**
 * What to do once the tick is durable: acknowledge, keep silent so that it is sent again, or keep silent because
 * nobody who means well would have sent it.
 */
export type Verdict = 'acknowledge' | 'ignore' | 'refuse'

/** A session that cannot be answered is recorded with its refusal, so that the other side surely hears of it. */
const refuse = (
  decision: Decision,
  from: PublicKey,
  envelope: Incoming,
  code: string,
  message: string,
  details?: Readonly<Record<string, number>>,
): void => {
  const { session } = envelope
  decision.emit({ type: 'SessionOpened', session, role: 'responder', party: from })
  decision.emit({ type: 'MessageReceived', session, role: 'responder', seq: envelope.seq, message: envelope.message })
  const error: Message = { kind: 'error', code, message, ...(details === undefined ? {} : { details }) }
  decision.emit({ type: 'MessageSent', session, role: 'responder', seq: 0, message: error })
}

const notaryFlow = 'carillon/Notarise'
const leastRetryMs = 1_000

/** A notary with too much to do says when to come back, which costs it far less than to judge. */
const turnAway = (decision: Decision, party: Party, envelope: Incoming, opening: Opening): boolean => {
  if (opening.flow !== notaryFlow || decision.network.notaryKind(decision.me.key) === undefined) return false
  const waitMs = decision.waitMs()
  if (waitMs < decision.notaryWaitMs) return false
  const retryAfterMs = Math.max(leastRetryMs, waitMs)
  const message = `${decision.me.name} has so many requests that this one would wait about ${Math.ceil(retryAfterMs / 1_000)} s. Ask again then.`
  refuse(decision, party.key, envelope, 'notary-busy', message, { retryAfterMs })
  return true
}

const answer = (
  decision: SigningDecision,
  engine: FlowEngine,
  party: Party,
  envelope: Incoming,
  opening: Opening,
): void => {
  const { session } = envelope
  if (turnAway(decision, party, envelope, opening)) return
  const definition = decision.registry.responderTo(opening.flow)
  if (definition?.respondsTo === undefined) {
    refuse(
      decision,
      party.key,
      envelope,
      'flow-unknown',
      `${decision.me.name} has no flow that responds to ${opening.flow}.`,
    )
    return
  }
  const { fromVersion, toVersion } = definition.respondsTo
  if (opening.version < fromVersion || opening.version > toVersion) {
    const understood = fromVersion === toVersion ? `version ${fromVersion}` : `versions ${fromVersion} to ${toVersion}`
    refuse(
      decision,
      party.key,
      envelope,
      'flow-version-unsupported',
      `${decision.me.name} understands ${understood} of ${opening.flow}, not version ${opening.version}.`,
    )
    return
  }
  const id = responderIdOf(session)
  const input: SessionInput = { session, party, version: opening.version }
  engine.start(
    decision,
    {
      id,
      definition,
      input,
      encodedInput: input,
      origin: { kind: 'session', session, party: party.key },
    },
    () => {
      decision.emit({ type: 'SessionOpened', session, role: 'responder', party: party.key, flow: id })
      decision.emit({
        type: 'MessageReceived',
        session,
        role: 'responder',
        seq: envelope.seq,
        message: envelope.message,
      })
    },
  )
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
    return bytes > limits.messageBytes
      ? unfit(`it takes ${bytes} bytes; at most ${limits.messageBytes} are allowed.`)
      : written
  } catch (error) {
    return unfit(messageOf(error))
  }
}

/** Whether nobody at this end will ever read what still arrives. */
const isOver = (decision: Decision, session: SessionRow): boolean =>
  session.flowSeq === null || hasEnded(decision.views.flows.get(session.flowSeq))

const decideIncoming = (
  decision: SigningDecision,
  engine: FlowEngine,
  from: PublicKey,
  envelope: Incoming,
): Verdict => {
  const member = decision.network.member(from)
  if (member === undefined) return 'refuse'
  const role = otherRole(envelope.from)
  const session = decision.views.sessions.find(envelope.session, role)
  if (session === undefined) {
    // The answer to a session nobody opened here, or a message that overtook the one that opens its session.
    if (role === 'initiator' || envelope.message.kind !== 'open' || envelope.seq !== 0) return 'ignore'
    // Nothing starts while the node drains; the sender tries again.
    if (decision.views.facts.now.draining) return 'ignore'
    if (sessionIdOf(from, envelope.message.nonce) !== envelope.session) return 'refuse'
    answer(decision, engine, member.party, envelope, envelope.message)
    return 'acknowledge'
  }
  // Another party's session: to someone who is not its other end it does not exist.
  if (session.party !== from) return 'refuse'
  if (decision.views.sessions.hasArrived(session, envelope.seq) || isOver(decision, session)) return 'acknowledge'
  // No flow could have sent so many, and none will read them.
  if (envelope.seq >= limits.messagesPerSession) return 'refuse'
  decision.emit({
    type: 'MessageReceived',
    session: envelope.session,
    role,
    seq: envelope.seq,
    message: recordable(envelope.message),
  })
  return 'acknowledge'
}

export const decideEnvelope = (
  decision: SigningDecision,
  engine: FlowEngine,
  from: PublicKey,
  envelope: SessionEnvelope,
): Verdict => {
  if (envelope.kind === 'message') return decideIncoming(decision, engine, from, envelope)
  const role = otherRole(envelope.from)
  const session = decision.views.sessions.find(envelope.session, role)
  if (session?.party === from && decision.views.sessions.isOutgoing(envelope.session, role, envelope.seq)) {
    decision.emit({ type: 'MessageAcknowledged', session: envelope.session, role, seq: envelope.seq })
  }
  return 'ignore'
}
