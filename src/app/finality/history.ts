/**
 * Handing a transaction's history from one party to another: first the two find out, by ids, what is lacking;
 * then that is sent, oldest first, page by page. Pages are kept as they arrive, so an interrupted transfer goes on where it
 * was; they are recorded once all of them are seen to be ancestors of what was asked for.
 */
import { CarillonError } from '../../errors/CarillonError.js'
import type { FlowBody } from '../FlowDefinition.js'
import { ask } from '../ask.js'
import type { Walked } from '../../finality/operations/walk.js'
import { Session } from '../Session.js'
import { ConsumedMessageC } from '../../session/ConsumedMessage.js'
import { finalityLimits } from '../../finality/limits.js'
import { bytesOfIds } from '../../flow/recordedBytes.js'
import type { PublicKey } from '../../identity/PublicKey.js'
import type { SignedTransaction } from '../../ledger/SignedTransaction.js'
import type { TransactionId } from '../../ledger/TransactionId.js'
import { logLimits } from '../../log/limits.js'
import { HeldC } from '../../finality/protocol.js'

/** What the other party does not hold of the history of these transactions, themselves included, newest first. */
const lackingOf = function* (session: Session, wanted: readonly TransactionId[]): FlowBody<readonly TransactionId[]> {
  const lacking: TransactionId[] = []
  let frontier = wanted
  let limit: number | undefined
  while (frontier.length > 0) {
    const walked = (yield* ask({ kind: 'walk', frontier, ...(limit === undefined ? {} : { limit }) })) as Walked
    limit = Math.min((limit ?? finalityLimits.historyFirstWalk) * 4, finalityLimits.historyWalk)
    const { ids } = yield* session.sendAndReceive({ type: 'ancestors', ids: [...walked.visited] }, HeldC)
    const held = new Set(ids)
    const lacks = walked.visited.filter((id) => !held.has(id))
    for (const id of lacks) lacking.push(id)
    if (held.size === 0) {
      frontier = walked.frontier
      continue
    }
    // Whoever holds a transaction holds its whole history, so there is no need to look beyond what is known. What
    // this walk had yet to come to may lie on another branch than all it has offered.
    const parents = lacks.length === 0 ? [] : ((yield* ask({ kind: 'parents', ids: lacks })) as TransactionId[])
    const beyond = new Set([...frontier, ...parents])
    frontier = walked.frontier.filter((id) => beyond.has(id))
  }
  return lacking
}

/** Sends everything the other party lacks of the history of these transactions, themselves included. */
export const sendHistory = function* (session: Session, wanted: readonly TransactionId[]): FlowBody<void> {
  // Walked newest first; sent oldest first, so that each can be verified when it arrives.
  const toSend = [...new Set(yield* lackingOf(session, wanted))].reverse()
  const { id, role } = session
  for (let sent = 0; sent < toSend.length;) {
    const ids = toSend.slice(sent, sent + pageLimit)
    sent += Number(yield* ask({ kind: 'vend', session: id, role, ids }))
  }
  yield* session.send({ type: 'historyEnd' })
}

/** More than ever fit into one page. */
const pageLimit = 500

/**
 * The record says after each page what is still missing, which is little beside pages that are as full as they can be. Beyond
 * so many times the bytes that came, and one fact, the pages were made small for it.
 */
const traceShare = 4

/**
 * Receives what is lacking until the other side says that this was all; sees, newest first, that all of it belongs to the
 * history that was asked for; and only then records it, oldest first.
 */
const receiveHistory = function* (session: Session, wanted: readonly TransactionId[]): FlowBody<void> {
  const { id, role, party } = session
  const place = { session: id, role, party: party.name }
  const pages: number[] = []
  let takenBytes = 0
  for (let isOver = false; !isOver;) {
    // The engine itself deals with each message: a flow that is run over its record need not see a whole history again.
    const taken = yield* Session.takeNext(session, (seq) => ({ kind: 'takeHistory', ...place, seq, takenBytes }))
    if (!ConsumedMessageC.is(taken)) continue
    if (taken.kept === true) pages.push(taken.seq)
    takenBytes += taken.bytes ?? 0
    isOver = taken.isLast
  }
  let frontier = wanted
  let room = traceShare * takenBytes + logLimits.factBytes
  for (const seq of [...pages].reverse()) {
    frontier = (yield* ask({ kind: 'traceHistory', ...place, seq, wanted: frontier, room })) as readonly TransactionId[]
    room -= bytesOfIds(frontier)
  }
  for (const seq of pages) yield* ask({ kind: 'recordHistory', ...place, seq })
}

/** What is known of a transaction whose history is asked for. */
export type Claims = {
  /** Keys whose signatures may still be missing. */
  readonly exceptKeys?: readonly PublicKey[]
  /** Whether no flow of this party has asked for it. */
  readonly isUnasked?: boolean
}

/** Makes sure that this node holds everything a transaction builds on, asking the sender for what it lacks. */
export const resolveDependencies = function* (
  session: Session,
  signed: SignedTransaction,
  { exceptKeys = [], isUnasked = false }: Claims = {},
): FlowBody<void> {
  const question = { kind: 'dependencies', signed, exceptKeys, isUnasked } as const
  const ids = (yield* ask(question)) as readonly TransactionId[]
  if (ids.length === 0) return
  yield* session.send({ type: 'fetch', ids: [...ids] })
  yield* receiveHistory(session, ids)
  const still = (yield* ask(question)) as readonly TransactionId[]
  if (still.length > 0) {
    throw new CarillonError(
      'state-unknown',
      `${session.party.name} did not send the history of its transaction: ${still.join(', ')} ${still.length === 1 ? 'is' : 'are'} missing.`,
      { party: session.party.name },
    )
  }
}
