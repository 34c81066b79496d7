/**
 * Whether a schedule has the signatures it needs: always computed from the primitive keys that have signed, against
 * the key trees as they are now.
 */
import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import type { FlowBody, PublicKey } from 'carillon'
import type { Books } from '../Books.js'
import { identityOf, scheduleTextOf } from '../model/Identity.js'
import { missingFrom, primitivesIn, requiredKeys, type Needs, type RequiredKeys } from '../model/Needs.js'
import { refuse, type ResponseCode } from '../model/ResponseCode.js'
import type { Schedule } from '../model/Schedule.js'
import type { Settings } from '../model/Settings.js'
import { witness, type SignatureMap, type SigPair } from '../model/SignatureMap.js'
import { signedTextOf, type SignedTransaction } from '../model/TransactionBody.js'
import type { AccountID } from '../model/EntityId.js'
import { spentBefore } from './scheduleBook.js'

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
  const known = (yield* books.signatories.get(books.io, schedule.schedule))?.keys ?? []
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
