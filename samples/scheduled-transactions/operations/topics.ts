/**
 * Topics: messages in order, each with its number and a hash over all before it. A submit key says who may submit.
 */
import { createHash } from 'node:crypto'
import * as t from 'io-ts'
import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import { canonicalText, IntegerC, type FlowBody } from 'carillon'
import type { Books } from '../Books.js'
import type { Topic } from '../model/Account.js'
import { entityOf, TopicIDC, type TopicID } from '../model/EntityId.js'
import { isKey, KeyTreeC, type KeyTree } from '../model/KeyTree.js'
import { needs } from '../model/Needs.js'
import { refuse, type ResponseCode } from '../model/ResponseCode.js'
import { showTransactionID, TransactionIDC } from '../model/TransactionID.js'
import { defineOperation, type Occasion } from './Operation.js'

const livingTopic = function* (books: Books, id: TopicID): FlowBody<Either<ResponseCode, Topic>> {
  const topic = yield* books.topics.get(books.io, id)
  return topic === undefined || topic.deleted ? refuse('INVALID_TOPIC_ID') : right(topic)
}

const areKeys = (...keys: readonly (KeyTree | null | undefined)[]): boolean =>
  keys.every((key) => key === undefined || key === null || isKey(key))

export const consensusCreateTopic = defineOperation({
  kind: 'consensusCreateTopic',
  example: { adminKey: 'ed25519:…', submitKey: 'ed25519:…' },
  asked: t.readonly(t.exact(t.partial({ adminKey: KeyTreeC, submitKey: KeyTreeC }))),
  check: ({ adminKey, submitKey }) => (areKeys(adminKey, submitKey) ? right(undefined) : refuse('BAD_ENCODING')),
  needs: ({ adminKey }) => needs({ keys: adminKey === undefined ? [] : [adminKey] }),
  *perform(books, { adminKey = null, submitKey = null }) {
    const consensus = yield* books.consensus()
    const topicID = entityOf(consensus.nextEntity)
    yield* books.setConsensus({ ...consensus, nextEntity: consensus.nextEntity + 1 })
    const topic = { topicID, adminKey, submitKey, sequenceNumber: 0, runningHash: '', deleted: false }
    yield* books.topics.put(books.io, topicID, { operator: books.io.me, ...topic })
    return right({ topicID })
  },
})

const change = function* (books: Books, id: TopicID, changes: Partial<Topic>): FlowBody<Either<ResponseCode, object>> {
  const topic = yield* livingTopic(books, id)
  if (isLeft(topic)) return topic
  if (topic.right.adminKey === null) return refuse('UNAUTHORIZED')
  yield* books.topics.put(books.io, id, { ...topic.right, ...changes })
  return right({})
}

export const consensusUpdateTopic = defineOperation({
  kind: 'consensusUpdateTopic',
  example: { topicID: '0.0.1002', submitKey: 'ed25519:…' },
  asked: t.readonly(t.strict({ topicID: TopicIDC, submitKey: t.union([KeyTreeC, t.null]) })),
  check: ({ submitKey }) => (areKeys(submitKey) ? right(undefined) : refuse('BAD_ENCODING')),
  needs: ({ topicID }) => needs({ topicAdmins: [topicID] }),
  perform: (books, { topicID, submitKey }) => change(books, topicID, { submitKey }),
})

export const consensusDeleteTopic = defineOperation({
  kind: 'consensusDeleteTopic',
  example: { topicID: '0.0.1002' },
  asked: t.readonly(t.strict({ topicID: TopicIDC })),
  needs: ({ topicID }) => needs({ topicAdmins: [topicID] }),
  perform: (books, { topicID }) => change(books, topicID, { deleted: true }),
})

const ChunkInfoC = t.readonly(t.strict({ initialTransactionID: TransactionIDC, total: IntegerC, number: IntegerC }))
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
  asked: t.readonly(
    t.intersection([t.strict({ topicID: TopicIDC, message: t.string }), t.exact(t.partial({ chunkInfo: ChunkInfoC }))]),
  ),
  needs: ({ topicID }) => needs({ topics: [topicID] }),
  *perform(books, { topicID, message, chunkInfo }, occasion) {
    if (message === '') return refuse('INVALID_TOPIC_MESSAGE')
    if (Buffer.byteLength(message) > occasion.settings.maxMessageBytes) return refuse('MESSAGE_SIZE_TOO_LARGE')
    const problem = chunkInfo === undefined ? undefined : problemOf(chunkInfo, occasion)
    if (problem !== undefined) return refuse(problem)
    const topic = yield* livingTopic(books, topicID)
    if (isLeft(topic)) return topic
    const sequenceNumber = topic.right.sequenceNumber + 1
    const entry = { after: topic.right.runningHash, sequenceNumber, message, at: occasion.consensusTimestamp }
    const runningHash = createHash('sha384').update(canonicalText(entry)).digest('hex')
    yield* books.topics.put(books.io, topicID, { ...topic.right, sequenceNumber, runningHash })
    return right({ topicSequenceNumber: sequenceNumber })
  },
})
