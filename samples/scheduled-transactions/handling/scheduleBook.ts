/**
 * The schedules there are: their indexes, by identity and by the second in which they expire, and whether one has
 * the signatures it needs, always computed from the primitive keys that have signed, against the key trees as they
 * are now. A schedule enters both indexes when it is created and leaves both when an identical create no longer
 * meets it.
 */
import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import type { FlowBody, PublicKey } from 'carillon'
import type { Books } from '../Books.js'
import { missingFrom, primitivesIn, requiredKeys, type Needs, type RequiredKeys } from '../model/Account.js'
import {
  identityOf,
  isSame,
  scheduleTextOf,
  spentOn,
  type Identity,
  type IdentityEntry,
  type Spent,
} from '../model/Identity.js'
import { refuse, type ResponseCode } from '../model/ResponseCode.js'
import { isPast, type End, type PastSchedule, type Schedule, type Signatories } from '../model/Schedule.js'
import { expiryCostOf, type Settings } from '../model/Settings.js'
import { witness, type SignatureMap, type SigPair } from '../model/SignatureMap.js'
import { signedTextOf, type SignedTransaction } from '../model/TransactionBody.js'
import type { AccountID, ScheduleID } from '../model/ids.js'

const entryOf = function* (books: Books, hash: string): FlowBody<IdentityEntry> {
  return (yield* books.identities.get(books.io, hash)) ?? { operator: books.io.me, hash, schedules: [], spent: [] }
}

const setEntry = function* (books: Books, entry: IdentityEntry): FlowBody<void> {
  if (entry.schedules.length + entry.spent.length === 0) yield* books.identities.take(books.io, entry.hash)
  else yield* books.identities.put(books.io, entry.hash, entry)
}

/** Whether a schedule is still there for whoever asks in this second. */
export const isThere = (schedule: Schedule | PastSchedule, second: number): boolean =>
  isPast(schedule) ? schedule.keptUntil !== null && second < schedule.keptUntil : second < schedule.expirationTime

/** The schedule that an identical create meets: found by hash, confirmed by equality. */
export const findIdentical = function* (
  books: Books,
  identity: Identity,
  hash: string,
  second: number,
  settings: Settings,
): FlowBody<Schedule | PastSchedule | undefined> {
  for (const id of (yield* entryOf(books, hash)).schedules) {
    const schedule = (yield* books.schedules.get(books.io, id)) ?? (yield* books.past.get(books.io, id))
    if (schedule !== undefined && isThere(schedule, second) && isSame(identityOf(schedule, settings), identity))
      return schedule
  }
  return undefined
}

/** The signatures on this identity that count no more. */
export const spentBefore = function* (books: Books, identity: Identity, hash: string): FlowBody<Spent> {
  return spentOn((yield* entryOf(books, hash)).spent, identity)
}

/** Cost of all that falls due in a second. */
export const bookedIn = function* (books: Books, second: number, settings: Settings): FlowBody<number> {
  const booked = (yield* books.seconds.get(books.io, String(second)))?.booked ?? {}
  return Object.entries(booked).reduce((sum, [kind, count]) => sum + count * expiryCostOf(kind, settings), 0)
}

/** Only chosen seconds are booked: how many schedules of the ordinary lifetime end in one is bounded by the throttle. */
const book = function* (books: Books, { kind, expirationTime, expirationGiven }: Schedule, by: 1 | -1): FlowBody<void> {
  if (!expirationGiven) return
  const before = (yield* books.seconds.get(books.io, String(expirationTime)))?.booked ?? {}
  const booked = Object.fromEntries(
    Object.entries({ ...before, [kind]: (before[kind] ?? 0) + by }).filter(([, count]) => count > 0),
  )
  if (Object.keys(booked).length === 0) yield* books.seconds.take(books.io, String(expirationTime))
  else
    yield* books.seconds.put(books.io, String(expirationTime), {
      operator: books.io.me,
      second: expirationTime,
      booked,
    })
}

const count = function* (books: Books, by: 1 | -1): FlowBody<void> {
  const consensus = yield* books.consensus()
  yield* books.setConsensus({ ...consensus, schedules: consensus.schedules + by })
}

/** A new schedule is there. */
export const enter = function* (books: Books, schedule: Schedule): FlowBody<void> {
  yield* books.schedules.put(books.io, schedule.schedule, schedule)
  const entry = yield* entryOf(books, schedule.identityHash)
  yield* setEntry(books, { ...entry, schedules: [...entry.schedules, schedule.schedule] })
  yield* book(books, schedule, 1)
  yield* count(books, 1)
}

/** An identical create no longer meets the schedule, and its place in its second is free. */
export const leave = function* (books: Books, schedule: Schedule): FlowBody<void> {
  const entry = yield* entryOf(books, schedule.identityHash)
  yield* setEntry(books, { ...entry, schedules: entry.schedules.filter((id) => id !== schedule.schedule) })
  yield* book(books, schedule, -1)
  yield* count(books, -1)
}

/**
 * What its signers have signed is used up when a schedule ends, however it does: it completes no later one, and neither
 * does what was signed before and never recorded. After an execution nobody's signature does, for no key was asked to
 * sign the same thing twice.
 */
const spend = function* (
  books: Books,
  schedule: Schedule,
  keys: Signatories['keys'],
  { as, at }: End,
  settings: Settings,
): FlowBody<void> {
  if (settings.onIdentical !== 'merge') return
  const identity = identityOf(schedule, settings)
  const entry = yield* entryOf(books, schedule.identityHash)
  const same = entry.spent.filter((one) => isSame(one.identity, identity)).flatMap((one) => one.keys)
  const others = entry.spent.filter((one) => !isSame(one.identity, identity))
  const spent = {
    identity,
    keys: [...new Set([...same, ...keys])],
    // The last second in which it could be signed.
    ended: Math.min(at.seconds, schedule.expirationTime - 1),
    ...(as === 'executed' ? { executed: true as const } : {}),
  }
  yield* setEntry(books, { ...entry, spent: [...others, spent] })
}

/** The schedule becomes history. Under `reject` it can still be met until the second in which it would have expired. */
export const endSchedule = function* (
  books: Books,
  schedule: Schedule,
  signers: Signatories['keys'],
  end: End,
  settings: Settings,
): FlowBody<void> {
  const isKept = settings.onIdentical === 'reject' && end.at.seconds < schedule.expirationTime
  yield* books.schedules.take(books.io, schedule.schedule)
  yield* books.signatories.take(books.io, schedule.schedule)
  yield* books.past.put(books.io, schedule.schedule, {
    ...schedule,
    signers,
    end,
    keptUntil: isKept ? schedule.expirationTime : null,
  })
  yield* spend(books, schedule, signers, end, settings)
  if (!isKept) yield* leave(books, schedule)
}

export type NotPending = { readonly code: ResponseCode; readonly past?: PastSchedule }

/**
 * The schedule that a sign or a delete is about, or why there is none. The seed's rules know one answer for whatever
 * is gone; the later ones tell executed and deleted schedules apart until their time is over.
 */
export const findPending = function* (
  books: Books,
  id: ScheduleID | undefined,
  second: number,
  { onIdentical, longTerm }: Settings,
): FlowBody<Either<NotPending, Schedule>> {
  if (id === undefined) return left({ code: 'INVALID_SCHEDULE_ID' })
  const schedule = yield* books.schedules.get(books.io, id)
  if (schedule !== undefined) {
    if (isThere(schedule, second)) return right(schedule)
    return left({ code: onIdentical === 'reject' && longTerm ? 'SCHEDULE_PENDING_EXPIRATION' : 'INVALID_SCHEDULE_ID' })
  }
  const past = yield* books.past.get(books.io, id)
  if (past === undefined || !isThere(past, second)) return left({ code: 'INVALID_SCHEDULE_ID' })
  return left({ code: past.end.as === 'deleted' ? 'SCHEDULE_ALREADY_DELETED' : 'SCHEDULE_ALREADY_EXECUTED', past })
}

/** The key trees that must be satisfied now. */
export const requiredNow = function* (
  books: Books,
  payer: AccountID,
  needed: Needs,
): FlowBody<Either<'UNRESOLVABLE_REQUIRED_SIGNERS', RequiredKeys>> {
  for (const id of [payer, ...needed.accounts, ...needed.receivers]) yield* books.account(id)
  for (const id of [...needed.topics, ...needed.topicAdmins]) yield* books.topics.get(books.io, id)
  return requiredKeys(payer, needed, books.lookup)
}

export type Signing = {
  /** Everybody who has signed, in the order in which they did. */
  readonly keys: readonly PublicKey[]
  /** How many of them are new. */
  readonly added: number
  readonly isReady: boolean
}

/** Whether a signature on a schedule counts in a second. */
const isInTime =
  (second: number, { signatureSecs }: Settings) =>
  ({ until }: SigPair): boolean =>
    until === undefined ? signatureSecs === undefined : second <= until && until <= second + (signatureSecs ?? Infinity)

/**
 * Which of the signatures submitted count for a schedule. Under `merge` they come in a map of their own and each must
 * count; under `reject` they are those on the transaction itself, of which some are about other things.
 */
export const signSchedule = function* (
  books: Books,
  schedule: Schedule,
  signed: SignedTransaction<{ readonly sigMap?: SignatureMap }>,
  settings: Settings,
): FlowBody<Either<ResponseCode, Signing>> {
  const required = yield* requiredNow(books, schedule.payerAccountID, schedule.needs)
  if (isLeft(required)) return required
  const known = yield* books.signers(schedule.schedule)
  const needed = primitivesIn(required.right)
  const identity = identityOf(schedule, settings)
  const isMerging = settings.onIdentical === 'merge'
  const onSchedule = signed.body.operation.sigMap ?? []
  if (isMerging && !onSchedule.every(isInTime(books.now.seconds, settings))) return refuse('SIGNATURE_OUT_OF_TIME')
  const found = isMerging
    ? witness(onSchedule, needed, scheduleTextOf(settings.ledgerID, identity))
    : witness(signed.sigMap, needed, signedTextOf(settings.ledgerID, signed.body))
  if (found.wrong > 0 || (isMerging && found.unneeded > 0)) return refuse('SOME_SIGNATURES_WERE_INVALID')
  if (isMerging) {
    const { isUsedUp, isStale } = yield* spentBefore(books, identity, schedule.identityHash)
    if ([...found.signed].some(isUsedUp)) return refuse('SOME_SIGNATURES_WERE_INVALID')
    if (onSchedule.some(isStale)) return refuse('SIGNATURE_OUT_OF_TIME')
  }
  const before = new Set(known)
  const added = [...found.signed].filter((key) => !before.has(key))
  const keys = [...known, ...added]
  return right({ keys, added: added.length, isReady: missingFrom(required.right, new Set(keys)) === undefined })
}
