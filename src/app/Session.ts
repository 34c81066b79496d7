/**
 * One end of a conversation with another party's flow. What comes from the other side is untrusted until a
 * codec has decoded it.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import { none, some, type Option } from 'fp-ts/lib/Option.js'
import type * as t from 'io-ts'
import { canonicalText, type Json } from '../encoding/canonical.js'
import { decodeWith } from '../encoding/decode.js'
import { CarillonError } from '../errors/CarillonError.js'
import type { Party } from '../identity/Party.js'
import type { TransactionId } from '../ledger/TransactionId.js'
import type { Message, SessionRole } from '../log/Message.js'
import type { SessionId } from '../log/SessionId.js'
import { endOfSession } from '../session/endOfSession.js'
import { ask } from './ask.js'
import type { FlowBody } from './FlowDefinition.js'
import type { Operation } from './Operation.js'
import { withinMsOf, type Timing, type Unbounded, type Within } from './within.js'

/** One end of a conversation with another party's flow. Call its operations with `yield*`. */
export class Session {
  readonly id: SessionId
  /** The party at the other end. */
  readonly party: Party
  readonly role: SessionRole
  /** @internal Told of every session that is opened while a flow is watched. */
  static opened: ((session: Session) => void) | undefined
  #taken: number
  /** Why nothing more will come, once that is known. */
  #over: CarillonError | undefined
  /** What this end has signed in the session and has not been told to be final. */
  readonly #signed = new Set<TransactionId>()

  /** @internal */
  constructor(id: SessionId, party: Party, role: SessionRole) {
    this.id = id
    this.party = party
    this.role = role
    // The responder's first message is the one that opened the session; the engine has taken it.
    this.#taken = role === 'responder' ? 1 : 0
    Session.opened?.(this)
  }

  /** Sends plain data. It is recorded first and arrives once, however often either side is restarted. */
  *send(payload: Json): FlowBody<void> {
    yield* ask({
      kind: 'send',
      session: this.id,
      role: this.role,
      party: this.party.name,
      payload: canonicalText(payload),
    })
  }

  receive<A>(codec: t.Decoder<unknown, A>, options?: Unbounded): FlowBody<A>
  receive<A>(codec: t.Decoder<unknown, A>, options: Within): FlowBody<Option<A>>
  /**
   * Waits for the other side's next message, and decodes it. With `within` it is an option: none when no message has come
   * in time. A later call gets it then.
   */
  *receive(codec: t.Decoder<unknown, unknown>, options?: Timing): FlowBody<unknown> {
    const withinMs = withinMsOf(options)
    if (this.#over !== undefined) throw this.#over
    const seq = this.#taken
    const message = (yield* ask({
      kind: 'receive',
      session: this.id,
      role: this.role,
      party: this.party.name,
      seq,
      withinMs,
    })) as Message | undefined
    if (message === undefined) {
      if (withinMs !== undefined) return none
      throw (this.#over = new CarillonError(
        'counterparty-silent',
        `${this.party.name} has opened a session and has sent no message in it for as long as a first message is waited for.`,
        { party: this.party.name },
      ))
    }
    this.#taken = seq + 1
    if (message.kind !== 'data') {
      this.#over = endOfSession(message, this.party.name)
      throw this.#over
    }
    const decoded = decodeWith(codec, message.payload)
    if (isLeft(decoded)) {
      throw new CarillonError(
        'message-invalid',
        `What ${this.party.name} sent cannot be understood: ${decoded.left.join('; ')}`,
        { party: this.party.name },
      )
    }
    return withinMs === undefined ? decoded.right : some(decoded.right)
  }

  /** @internal Notes what this end has signed in a session: that is what the session may make final. */
  static noteSigned(session: Session, id: TransactionId): void {
    session.#signed.add(id)
  }

  /** @internal Whether this end has signed anything in a session that is yet to be final. */
  static hasSigned(session: Session): boolean {
    return session.#signed.size > 0
  }

  /** @internal Takes a transaction from those that were signed in a session; false when it is none of them. */
  static takeSigned(session: Session, id: TransactionId): boolean {
    return session.#signed.delete(id)
  }

  /** @internal Lets the engine itself deal with the next message of a session, by the operation that is given its number. */
  static *takeNext(session: Session, operationFor: (seq: number) => Operation): FlowBody<unknown> {
    if (session.#over !== undefined) throw session.#over
    const seq = session.#taken
    session.#taken += 1
    try {
      return yield* ask(operationFor(seq))
    } catch (error) {
      if (error instanceof CarillonError && ['counterparty-failed', 'session-ended'].includes(error.code))
        session.#over = error
      throw error
    }
  }

  *sendAndReceive<A>(payload: Json, codec: t.Decoder<unknown, A>): FlowBody<A> {
    yield* this.send(payload)
    return yield* this.receive(codec)
  }

  /** Ends the session before the flow ends; otherwise that happens by itself. */
  *close(): FlowBody<void> {
    yield* ask({ kind: 'close', session: this.id, role: this.role })
  }
}
