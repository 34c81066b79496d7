/**
 * The operations every network has: transfers, accounts, whose balances never go below nothing, and topics, whose
 * messages each have a number and a hash over all before. Which of them may be scheduled is the whitelist's word,
 * not theirs.
 */
import { createHash } from 'node:crypto'
import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { canonicalText, IntegerC, type FlowBody } from 'carillon'
import { record } from '../../shared/record.js'
import type { Books } from '../Books.js'
import type { Account, Topic } from '../model/Account.js'
import { isKey, KeyTreeC, type KeyTree } from '../model/KeyTree.js'
import { refuse, type ResponseCode } from '../model/ResponseCode.js'
import { AccountAmountC } from '../model/TransactionRecord.js'
import { AccountIDC, showTransactionID, TopicIDC, TransactionIDC, type AccountID, type TopicID } from '../model/ids.js'
import { defineOperation, type Occasion, type Operation } from './Operation.js'

const badKey = (...keys: readonly (KeyTree | null | undefined)[]): ResponseCode | undefined =>
  keys.every((key) => key === undefined || key === null || isKey(key)) ? undefined : 'BAD_ENCODING'

const livingAccount = function* (books: Books, id: AccountID): FlowBody<Either<ResponseCode, Account>> {
  const account = yield* books.accounts.get(id)
  if (account === undefined) return refuse('INVALID_ACCOUNT_ID')
  return account.deleted ? refuse('ACCOUNT_DELETED') : right(account)
}

export const cryptoTransfer = defineOperation({
  kind: 'cryptoTransfer',
  example: {
    transfers: [
      { accountID: '0.0.1001', amount: -10 },
      { accountID: '0.0.2', amount: 10 },
    ],
  },
  asked: record('Transfer', { transfers: t.readonlyArray(AccountAmountC) }),
  problem: ({ transfers }) => {
    if (new Set(transfers.map(({ accountID }) => accountID)).size < transfers.length)
      return 'ACCOUNT_REPEATED_IN_ACCOUNT_AMOUNTS'
    // In whole numbers without end: a sum of many large amounts is no safe integer any more.
    const sum = transfers.reduce((all, { amount }) => all + BigInt(amount), 0n)
    return sum === 0n ? undefined : 'INVALID_ACCOUNT_AMOUNTS'
  },
  needs: ({ transfers }) => ({
    accounts: transfers.filter(({ amount }) => amount < 0).map(({ accountID }) => accountID),
    receivers: transfers.filter(({ amount }) => amount >= 0).map(({ accountID }) => accountID),
  }),
  *perform(books, { transfers }) {
    if (transfers.length > books.settings.maxTransfers) return refuse('TRANSFER_LIST_SIZE_LIMIT_EXCEEDED')
    for (const { accountID, amount } of transfers) {
      const account = yield* livingAccount(books, accountID)
      if (isLeft(account)) return account
      const balance = account.right.balance + amount
      if (balance < 0) return refuse('INSUFFICIENT_ACCOUNT_BALANCE')
      yield* books.accounts.put({ ...account.right, balance })
    }
    return right({})
  },
})

export const cryptoCreateAccount = defineOperation({
  kind: 'cryptoCreateAccount',
  example: { key: 'ed25519:…', initialBalance: 1_000, receiverSigRequired: false },
  asked: record('NewAccount', { key: KeyTreeC }, { initialBalance: IntegerC, receiverSigRequired: t.boolean }),
  problem: ({ key, initialBalance = 0 }) =>
    !isKey(key) ? 'BAD_ENCODING' : initialBalance < 0 ? 'INVALID_INITIAL_BALANCE' : undefined,
  needs: ({ key, receiverSigRequired = false }) => ({ keys: receiverSigRequired ? [key] : [] }),
  *perform(books, { key, initialBalance = 0, receiverSigRequired = false }, { payer }) {
    const paying = yield* livingAccount(books, payer)
    if (isLeft(paying)) return paying
    if (paying.right.balance < initialBalance) return refuse('INSUFFICIENT_PAYER_BALANCE')
    yield* books.accounts.put({ ...paying.right, balance: paying.right.balance - initialBalance })
    const accountID = yield* books.nextEntity()
    const account = { accountID, key, balance: initialBalance, receiverSigRequired, deleted: false }
    yield* books.accounts.put({ operator: books.io.me, ...account })
    return right({ accountID })
  },
})

/** Keys rotate: the old key must agree, and the new one must show that it is there. */
export const cryptoUpdateAccount = defineOperation({
  kind: 'cryptoUpdateAccount',
  example: { accountID: '0.0.1001', key: 'ed25519:…', receiverSigRequired: true },
  asked: record('AccountUpdate', { accountID: AccountIDC }, { key: KeyTreeC, receiverSigRequired: t.boolean }),
  problem: ({ key }) => badKey(key),
  needs: ({ accountID, key }) => ({ accounts: [accountID], keys: key === undefined ? [] : [key] }),
  *perform(books, { accountID, key, receiverSigRequired }) {
    const account = yield* livingAccount(books, accountID)
    if (isLeft(account)) return account
    yield* books.accounts.put({
      ...account.right,
      key: key ?? account.right.key,
      receiverSigRequired: receiverSigRequired ?? account.right.receiverSigRequired,
    })
    return right({})
  },
})

/** What an account leaves goes to another one. Its key stays known. */
export const cryptoDelete = defineOperation({
  kind: 'cryptoDelete',
  example: { deleteAccountID: '0.0.1001', transferAccountID: '0.0.2' },
  asked: record('AccountDelete', { deleteAccountID: AccountIDC, transferAccountID: AccountIDC }),
  problem: ({ deleteAccountID, transferAccountID }) =>
    deleteAccountID === transferAccountID ? 'TRANSFER_ACCOUNT_SAME_AS_DELETE_ACCOUNT' : undefined,
  needs: ({ deleteAccountID, transferAccountID }) => ({
    accounts: [deleteAccountID],
    receivers: [transferAccountID],
  }),
  *perform(books, { deleteAccountID, transferAccountID }) {
    const leaving = yield* livingAccount(books, deleteAccountID)
    if (isLeft(leaving)) return leaving
    const heir = yield* livingAccount(books, transferAccountID)
    if (isLeft(heir)) return heir
    yield* books.accounts.put({ ...heir.right, balance: heir.right.balance + leaving.right.balance })
    yield* books.accounts.put({ ...leaving.right, balance: 0, deleted: true })
    return right({})
  },
})

const livingTopic = function* (books: Books, id: TopicID): FlowBody<Either<ResponseCode, Topic>> {
  const topic = yield* books.topics.get(id)
  return topic === undefined || topic.deleted ? refuse('INVALID_TOPIC_ID') : right(topic)
}

export const consensusCreateTopic = defineOperation({
  kind: 'consensusCreateTopic',
  example: { adminKey: 'ed25519:…', submitKey: 'ed25519:…' },
  asked: t.readonly(t.exact(t.partial({ adminKey: KeyTreeC, submitKey: KeyTreeC }))),
  problem: ({ adminKey, submitKey }) => badKey(adminKey, submitKey),
  needs: ({ adminKey }) => ({ keys: adminKey === undefined ? [] : [adminKey] }),
  *perform(books, { adminKey = null, submitKey = null }) {
    const topicID = yield* books.nextEntity()
    const topic = { topicID, adminKey, submitKey, sequenceNumber: 0, runningHash: '', deleted: false }
    yield* books.topics.put({ operator: books.io.me, ...topic })
    return right({ topicID })
  },
})

const change = function* (books: Books, id: TopicID, changes: Partial<Topic>): FlowBody<Either<ResponseCode, object>> {
  const topic = yield* livingTopic(books, id)
  if (isLeft(topic)) return topic
  if (topic.right.adminKey === null) return refuse('UNAUTHORIZED')
  yield* books.topics.put({ ...topic.right, ...changes })
  return right({})
}

export const consensusUpdateTopic = defineOperation({
  kind: 'consensusUpdateTopic',
  example: { topicID: '0.0.1002', submitKey: 'ed25519:…' },
  asked: record('TopicUpdate', { topicID: TopicIDC, submitKey: t.union([KeyTreeC, t.null]) }),
  problem: ({ submitKey }) => badKey(submitKey),
  needs: ({ topicID }) => ({ topicAdmins: [topicID] }),
  perform: (books, { topicID, submitKey }) => change(books, topicID, { submitKey }),
})

export const consensusDeleteTopic = defineOperation({
  kind: 'consensusDeleteTopic',
  example: { topicID: '0.0.1002' },
  asked: record('TopicDelete', { topicID: TopicIDC }),
  needs: ({ topicID }) => ({ topicAdmins: [topicID] }),
  perform: (books, { topicID }) => change(books, topicID, { deleted: true }),
})

const ChunkInfoC = record('ChunkInfo', { initialTransactionID: TransactionIDC, total: IntegerC, number: IntegerC })
type ChunkInfo = t.TypeOf<typeof ChunkInfoC>

/** A message in parts: the first names its own transaction, the others are paid for by the same account. */
const problemOf = (
  { initialTransactionID, total, number }: ChunkInfo,
  occasion: Occasion,
): ResponseCode | undefined => {
  if (number < 1 || number > total) return 'INVALID_CHUNK_NUMBER'
  const isRight =
    number === 1
      ? showTransactionID(initialTransactionID) === showTransactionID(occasion.transactionID)
      : initialTransactionID.accountID === occasion.transactionID.accountID
  return isRight ? undefined : 'INVALID_CHUNK_TRANSACTION_ID'
}

export const consensusSubmitMessage = defineOperation({
  kind: 'consensusSubmitMessage',
  example: { topicID: '0.0.1002', message: 'hello' },
  asked: record('Message', { topicID: TopicIDC, message: t.string }, { chunkInfo: ChunkInfoC }),
  needs: ({ topicID }) => ({ topics: [topicID] }),
  *perform(books, { topicID, message, chunkInfo }, occasion) {
    if (message === '') return refuse('INVALID_TOPIC_MESSAGE')
    if (Buffer.byteLength(message) > books.settings.maxMessageBytes) return refuse('MESSAGE_SIZE_TOO_LARGE')
    const problem = chunkInfo === undefined ? undefined : problemOf(chunkInfo, occasion)
    if (problem !== undefined) return refuse(problem)
    const topic = yield* livingTopic(books, topicID)
    if (isLeft(topic)) return topic
    const sequenceNumber = topic.right.sequenceNumber + 1
    const entry = { after: topic.right.runningHash, sequenceNumber, message, at: occasion.consensusTimestamp }
    const runningHash = createHash('sha384').update(canonicalText(entry)).digest('hex')
    yield* books.topics.put({ ...topic.right, sequenceNumber, runningHash })
    return right({ topicSequenceNumber: sequenceNumber })
  },
})

export const builtIn: readonly Operation[] = [
  ...[cryptoTransfer, cryptoCreateAccount, cryptoUpdateAccount, cryptoDelete],
  ...[consensusCreateTopic, consensusUpdateTopic, consensusDeleteTopic, consensusSubmitMessage],
]
