/**
 * What a request comes to, by the names the seed's network gave them. Each has one meaning, said in a sentence.
 */
import { left, type Either } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { memoBytes } from './Settings.js'

const meanings = {
  OK: 'The precheck found nothing against it.',
  SUCCESS: 'It was done.',
  FAIL_INVALID: 'Something went wrong that nobody had foreseen; nothing was changed.',
  BUSY: 'The throttle for this operation is used up; try again in a second.',

  // The transaction around a request
  INVALID_TRANSACTION: 'The transaction says nothing that could be done.',
  INVALID_TRANSACTION_BODY: 'The body of the transaction contradicts itself, or uses a field this network has not.',
  TRANSACTION_OVERSIZE: 'The transaction is longer than the network takes.',
  TRANSACTION_ID_FIELD_NOT_ALLOWED: 'The transaction id has a field that only the network may set.',
  TRANSACTION_EXPIRED: 'The transaction came after the end of its valid duration.',
  INVALID_TRANSACTION_START: 'The transaction is not valid yet.',
  INVALID_TRANSACTION_DURATION: 'The valid duration is shorter or longer than allowed.',
  DUPLICATE_TRANSACTION: 'A transaction with this id has been handled already.',
  NOT_SUPPORTED: 'This network has no such operation.',
  PAYER_ACCOUNT_NOT_FOUND: 'The account that pays for the transaction does not exist.',
  PAYER_ACCOUNT_DELETED: 'The account that pays for the transaction has been deleted.',
  INVALID_PAYER_SIGNATURE: 'The payer has not signed.',
  INVALID_SIGNATURE: 'Somebody who must sign has not signed.',
  INSUFFICIENT_TX_FEE: 'The fee is more than the payer is willing to pay.',
  INSUFFICIENT_PAYER_BALANCE: 'The payer cannot pay.',
  MAX_CUSTOM_FEES_IS_NOT_SUPPORTED: 'The operation has no custom fees that could be limited.',
  MEMO_TOO_LONG: 'The memo is longer than 100 bytes.',
  INVALID_ZERO_BYTE_IN_STRING: 'The memo contains a zero byte.',
  MISSING_QUERY_HEADER: 'The question costs something, and brings no payment.',
  RECORD_NOT_FOUND: 'There is no record with this transaction id.',

  // Schedules
  INVALID_SCHEDULE_ID: 'There is no such schedule.',
  SCHEDULE_DELETED: 'The schedule has been executed, has been deleted, or has expired.',
  SCHEDULE_IS_IMMUTABLE: 'The schedule has no admin key, so nobody may delete it.',
  SCHEDULE_ALREADY_DELETED: 'The schedule has been deleted.',
  SCHEDULE_ALREADY_EXECUTED: 'The schedule has been executed.',
  SCHEDULE_PENDING_EXPIRATION: 'The schedule has expired and is about to be cleared.',
  INVALID_SCHEDULE_PAYER_ID: 'The account that is to pay for the execution does not exist.',
  INVALID_SCHEDULE_ACCOUNT_ID: 'The account that schedules does not exist.',
  ACCOUNT_ID_DOES_NOT_EXIST: 'The account does not exist.',
  INVALID_ADMIN_KEY: 'The admin key can never be satisfied.',
  NO_NEW_VALID_SIGNATURES: 'There is no signature that was not there before.',
  SOME_SIGNATURES_WERE_INVALID: 'A signature is wrong, is not needed, or has been used before.',
  SIGNATURE_OUT_OF_TIME:
    'A signature on the schedule does not say until when it is good, is not good any more, says a time too far ahead, or was made before an identical schedule had ended.',
  UNRESOLVABLE_REQUIRED_SIGNERS: 'Whose signatures are needed cannot be found out.',
  UNSCHEDULABLE_TRANSACTION: 'Transactions of this kind cannot be scheduled.',
  UNPARSEABLE_SCHEDULED_TRANSACTION: 'The scheduled transaction cannot be read.',
  SCHEDULED_TRANSACTION_NOT_IN_WHITELIST: 'Transactions of this kind cannot be scheduled.',
  IDENTICAL_SCHEDULE_ALREADY_CREATED: 'There is an identical schedule; the receipt names it.',
  IDENTICAL_SCHEDULE_HAS_OTHER_TERMS:
    'There is an identical schedule, which the receipt names, with another expiration or another word on waiting.',
  MAX_ENTITIES_IN_PRICE_REGIME_HAVE_BEEN_CREATED: 'There are as many schedules as the network takes.',
  SCHEDULE_EXPIRATION_TIME_MUST_BE_HIGHER_THAN_CONSENSUS_TIME: 'The expiration time is not in the future.',
  SCHEDULE_EXPIRATION_TIME_TOO_FAR_IN_FUTURE: 'The expiration time is too far in the future.',
  SCHEDULE_EXPIRY_NOT_CONFIGURABLE: 'This network takes no expiration times.',
  SCHEDULE_EXPIRY_IS_BUSY: 'So much falls due in this second already; take another one.',
  MISSING_EXPIRY_TIME: 'A schedule that waits for its expiry needs an expiration time.',

  // What schedules and transactions do
  INVALID_ACCOUNT_ID: 'One of the accounts does not exist.',
  ACCOUNT_DELETED: 'One of the accounts has been deleted.',
  INVALID_ACCOUNT_AMOUNTS: 'The amounts do not add up to nothing.',
  ACCOUNT_REPEATED_IN_ACCOUNT_AMOUNTS: 'One account appears twice in the transfer list.',
  TRANSFER_LIST_SIZE_LIMIT_EXCEEDED: 'The transfer list is longer than allowed.',
  INSUFFICIENT_ACCOUNT_BALANCE: 'An account has less than it is to give.',
  INVALID_INITIAL_BALANCE: 'An account cannot begin with less than nothing.',
  TRANSFER_ACCOUNT_SAME_AS_DELETE_ACCOUNT: 'What an account leaves cannot go to itself.',
  BAD_ENCODING: 'The key can never be satisfied.',
  INVALID_TOPIC_ID: 'There is no such topic.',
  INVALID_TOPIC_MESSAGE: 'The message is empty.',
  MESSAGE_SIZE_TOO_LARGE: 'The message is longer than allowed.',
  INVALID_CHUNK_NUMBER: 'The number of the chunk is not between one and their total.',
  INVALID_CHUNK_TRANSACTION_ID: 'The first transaction of the chunks is not the one that is named.',
  UNAUTHORIZED: 'The topic has no admin key, so nobody may change it.',
  AUTHORIZATION_FAILED: 'The payer may not do this.',
  CALLED_FLOW_FAILED: 'The flow that was called has failed.',
} as const

/** A code of an app's own operations: its name space, a slash, its name. */
export type AppCode = `${string}/${string}`
const isAppCode = (value: unknown): value is AppCode =>
  typeof value === 'string' && /^[\w.-]{1,64}\/[\w.-]{1,64}$/.test(value)
const AppCodeC = new t.Type<AppCode, string>(
  'AppCode',
  isAppCode,
  (value, context) => (isAppCode(value) ? t.success(value) : t.failure(value, context)),
  t.identity,
)

export const ResponseCodeC = t.union([t.keyof(meanings), AppCodeC], 'ResponseCode')
export type ResponseCode = t.TypeOf<typeof ResponseCodeC>

const isOurs = (code: ResponseCode): code is keyof typeof meanings => Object.hasOwn(meanings, code)

/** What a code means, in a sentence. */
export const meaningOf = (code: ResponseCode): string =>
  isOurs(code) ? meanings[code] : 'A code of the operation’s own; its app says what it means.'

export const refuse = (code: ResponseCode): Either<ResponseCode, never> => left(code)

/** What is wrong with a memo: more than 100 bytes, or a zero byte among them. */
export const memoProblem = (memo: string): ResponseCode | undefined => {
  if (Buffer.byteLength(memo) > memoBytes) return 'MEMO_TOO_LONG'
  return memo.includes('\u0000') ? 'INVALID_ZERO_BYTE_IN_STRING' : undefined
}
