/**
 * The schedules there are: their indexes, by identity and by the second in which they expire, and whether one has
 * the signatures it needs, always computed from the primitive keys that have signed, against the key trees as they
 * are now. A schedule enters both indexes when it is created and leaves both when an identical create no longer
 * meets it.
 */
import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import type { FlowBody, PublicKey } from 'carillon'
import { bytesOf } from '../../shared/StateBooks.js'
import type { Books } from '../Books.js'
import { missingFrom, primitivesIn, requiredKeys, type Needs, type RequiredKeys } from '../model/Account.js'
import { identityOf, isSame, scheduleTextOf, spentOn, type IdentityEntry } from '../model/Identity.js'
import { refuse, type ResponseCode } from '../model/ResponseCode.js'
import { isPast, type End, type PastSchedule, type Schedule, type Signatories } from '../model/Schedule.js'
import { entryOf, expiryCostOf, type Settings } from '../model/Settings.js'
import { witness, type SignatureMap, type SigPair } from '../model/SignatureMap.js'
import { signedTextOf, type SignedTransaction } from '../model/TransactionBody.js'
import type { AccountID, ScheduleID } from '../model/ids.js'

const identityEntry = function* (books: Books, hash: string): FlowBody<IdentityEntry> {
  return (yield* books.identities.get(hash)) ?? { operator: books.io.me, hash, schedules: [], spent: [] }
}

const setEntry = (books: Books, entry: IdentityEntry): FlowBody<void> =>
  books.identities.keepIf(entry.schedules.length + entry.spent.length > 0, entry)

/** Whether a schedule is still there for whoever asks in this second. */
export const isThere = (schedule: Schedule | PastSchedule, second: number): boolean =>
  isPast(schedule) ? schedule.keptUntil !== null && second < schedule.keptUntil : second < schedule.expirationTime

/** A schedule, pending or past. */
export const findSchedule = function* (books: Books, id: ScheduleID): FlowBody<Schedule | PastSchedule | undefined> {
  return (yield* books.schedules.get(id)) ?? (yield* books.past.get(id))
}

/** The schedule that an identical create meets: found by hash, confirmed by equality. */
export const findIdentical = function* (
  books: Books,
  draft: Schedule,
  second: number,
): FlowBody<Schedule | PastSchedule | undefined> {
  const identity = identityOf(draft, books.settings)
  for (const id of (yield* identityEntry(books, draft.identityHash)).schedules) {
    const schedule = yield* findSchedule(books, id)
    if (schedule !== undefined && isThere(schedule, second) && isSame(identityOf(schedule, books.settings), identity))
      return schedule
  }
  return undefined
}

/** Cost of all that falls due in a second. */
export const bookedIn = function* (books: Books, second: number): FlowBody<number> {
  const booked = (yield* books.seconds.get(String(second)))?.booked ?? {}
  return Object.entries(booked).reduce((sum, [kind, count]) => sum + count * expiryCostOf(kind, books.settings), 0)
}

/** Only chosen seconds are booked: how many schedules of the ordinary lifetime end in one is bounded by the throttle. */
const book = function* (books: Books, { kind, expirationTime, expirationGiven }: Schedule, by: 1 | -1): FlowBody<void> {
  if (!expirationGiven) return
  const before = (yield* books.seconds.get(String(expirationTime)))?.booked ?? {}
  const booked = Object.fromEntries(
    Object.entries({ ...before, [kind]: (entryOf(before, kind) ?? 0) + by }).filter(([, count]) => count > 0),
  )
  const second = { operator: books.io.me, second: expirationTime, booked }
  yield* books.seconds.keepIf(Object.keys(booked).length > 0, second)
}

const count = function* (books: Books, by: 1 | -1): FlowBody<void> {
  const { schedules } = yield* books.consensus()
  yield* books.setConsensus({ schedules: schedules + by })
}

/** A new schedule is there. */
export const enter = function* (books: Books, schedule: Schedule): FlowBody<void> {
  yield* books.schedules.put(schedule)
  const entry = yield* identityEntry(books, schedule.identityHash)
  yield* setEntry(books, { ...entry, schedules: [...entry.schedules, schedule.schedule] })
  yield* book(books, schedule, 1)
  yield* count(books, 1)
}

/** An identical create no longer meets the schedule, and its place in its second is free. */
export const leave = function* (books: Books, schedule: Schedule): FlowBody<void> {
  const entry = yield* identityEntry(books, schedule.identityHash)
  yield* setEntry(books, { ...entry, schedules: entry.schedules.filter((id) => id !== schedule.schedule) })
  yield* book(books, schedule, -1)
  yield* count(books, -1)
}

/**
 * What its signers have signed is used up when a schedule ends, however it does: it completes no later one, and neither
 * does what was signed before and never recorded. After an execution nobody's signature does, for no key was asked to
 * sign the same thing twice.
 */
const spend = function* (books: Books, schedule: Schedule, keys: Signatories['keys'], { as, at }: End): FlowBody<void> {
  if (!books.isMerging) return
  const identity = identityOf(schedule, books.settings)
  const entry = yield* identityEntry(books, schedule.identityHash)
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
): FlowBody<void> {
  const isKept = !books.isMerging && end.at.seconds < schedule.expirationTime
  yield* books.schedules.take(schedule.schedule)
  yield* books.signatories.take(schedule.schedule)
  yield* books.past.put({ ...schedule, signers, end, keptUntil: isKept ? schedule.expirationTime : null })
  yield* spend(books, schedule, signers, end)
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
): FlowBody<Either<NotPending, Schedule>> {
  const schedule = id === undefined ? undefined : yield* findSchedule(books, id)
  if (schedule === undefined) return left({ code: 'INVALID_SCHEDULE_ID' })
  const isHere = isThere(schedule, second)
  if (isPast(schedule)) {
    if (!isHere) return left({ code: 'INVALID_SCHEDULE_ID' })
    const code = schedule.end.as === 'deleted' ? 'SCHEDULE_ALREADY_DELETED' : 'SCHEDULE_ALREADY_EXECUTED'
    return left({ code, past: schedule })
  }
  if (isHere) return right(schedule)
  const isPending = !books.isMerging && books.settings.longTerm
  return left({ code: isPending ? 'SCHEDULE_PENDING_EXPIRATION' : 'INVALID_SCHEDULE_ID' })
}

/** The key trees that must be satisfied now. */
export const requiredNow = function* (
  books: Books,
  payer: AccountID,
  needed: Needs,
): FlowBody<Either<'UNRESOLVABLE_REQUIRED_SIGNERS', RequiredKeys>> {
  for (const id of [payer, ...needed.accounts, ...needed.receivers]) yield* books.accounts.get(id)
  for (const id of [...needed.topics, ...needed.topicAdmins]) yield* books.topics.get(id)
  return requiredKeys(payer, needed, books.lookup)
}

export type Signing = {
  /** Everybody who has signed, in the order in which they did. */
  readonly keys: readonly PublicKey[]
  /** How many of them are new. */
  readonly added: number
  /** Whether the schedule is executed now: it has all it needs, and does not wait. */
  readonly executes: boolean
}

/** Whether a signature on a schedule counts in a second. */
const isInTime =
  (second: number, { signatureSecs }: Settings) =>
  ({ until }: SigPair): boolean =>
    until === undefined ? signatureSecs === undefined : second <= until && until <= second + (signatureSecs ?? Infinity)

/** Under `merge` signatures come in a map of their own, and each must count. */
const witnessOnSchedule = function* (
  { settings, now, identities }: Books,
  schedule: Schedule,
  sigMap: SignatureMap,
  needed: readonly PublicKey[],
): FlowBody<Either<ResponseCode, ReadonlySet<PublicKey>>> {
  const identity = identityOf(schedule, settings)
  if (!sigMap.every(isInTime(now.seconds, settings))) return refuse('SIGNATURE_OUT_OF_TIME')
  const { signed, wrong, unneeded } = witness(sigMap, needed, scheduleTextOf(settings.ledgerID, identity))
  if (wrong + unneeded > 0) return refuse('SOME_SIGNATURES_WERE_INVALID')
  const { isUsedUp, isStale } = spentOn((yield* identities.get(schedule.identityHash))?.spent ?? [], identity)
  if ([...signed].some(isUsedUp)) return refuse('SOME_SIGNATURES_WERE_INVALID')
  return sigMap.some(isStale) ? refuse('SIGNATURE_OUT_OF_TIME') : right(signed)
}

/** Under `reject` they are those on the transaction itself, of which some are about other things. */
const witnessOnTransaction = (
  { settings }: Books,
  { sigMap, body }: SignedTransaction<unknown>,
  needed: readonly PublicKey[],
): Either<ResponseCode, ReadonlySet<PublicKey>> => {
  const { signed, wrong } = witness(sigMap, needed, signedTextOf(settings.ledgerID, body))
  return wrong > 0 ? refuse('SOME_SIGNATURES_WERE_INVALID') : right(signed)
}

/**
 * What the end of a schedule writes, most of it twice: as history and as what is used up. It must fit one commit, beside
 * the accounts of a fee, or the schedule could never end.
 */
const endsInOneCommit = function* (books: Books, schedule: Schedule, keys: Signatories['keys']): FlowBody<boolean> {
  const spent = books.isMerging ? bytesOf(yield* identityEntry(books, schedule.identityHash)) : 0
  return 2 * (bytesOf(schedule) + bytesOf(keys)) + spent <= 116 * 1_024
}

/** Which of the signatures submitted count for a schedule. */
export const signSchedule = function* (
  books: Books,
  schedule: Schedule,
  signed: SignedTransaction<{ readonly sigMap?: SignatureMap }>,
): FlowBody<Either<ResponseCode, Signing>> {
  const required = yield* requiredNow(books, schedule.payerAccountID, schedule.needs)
  if (isLeft(required)) return required
  const known = yield* books.signers(schedule.schedule)
  const needed = primitivesIn(required.right)
  const found = books.isMerging
    ? yield* witnessOnSchedule(books, schedule, signed.body.operation.sigMap ?? [], needed)
    : witnessOnTransaction(books, signed, needed)
  if (isLeft(found)) return found
  const added = [...found.right].filter((key) => !known.includes(key))
  const keys = [...known, ...added]
  if (!(yield* endsInOneCommit(books, schedule, keys))) return refuse('TRANSACTION_OVERSIZE')
  const isReady = missingFrom(required.right, new Set(keys)) === undefined
  return right({ keys, added: added.length, executes: isReady && !schedule.waitForExpiry })
}
