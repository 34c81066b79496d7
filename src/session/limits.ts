/**
 * The limits of sessions with other parties.
 */
import type { LimitsLike } from '../limits.js'

const KiB = 1024

/** The limits of sessions with other parties. */
export const sessionLimits = {
  /** Messages of one session: twice what a flow can send, so that whoever sends more means no good, and no inbox is endless. */
  messagesPerSession: 20_000,
  /** Messages of one session that its flow has not asked for yet; its sender waits for credit. */
  unreadMessages: 1_000,
  /** Bytes of such messages, each character counted as one. The one that the flow waits for is always taken. */
  unreadBytes: 4 * 1024 * KiB,
  /** Bytes of such messages in all sessions with one party whose flows have not ended, likewise. */
  unreadBytesPerParty: 64 * 1024 * KiB,
  /**
   * A flow that another party has opened a session with waits so long for the first message in it. It allows for a sender that is
   * down for some days.
   */
  firstMessageMs: 604_800_000,
  /** Sessions that one party has opened here and whose flows have not ended; further ones are refused. */
  sessionsPerParty: 10_000,
  /**
   * Sessions that a party was refused and that are remembered, so that a copy of their opening gets the same answer: as many as
   * it may have under way.
   */
  refusedOpeningsPerParty: 1_000,
  /** Bytes of history, and of questions about it, that are taken for one transaction. They are kept until all has come and is seen to belong to it. */
  historyBytes: 256 * 1024 * KiB,
  /**
   * Messages and acknowledgements of one party in a minute; what comes beyond that is refused until there is room. A transaction
   * takes eight of them, so a party can make 500 a second with another one, more than two nodes on one machine manage.
   */
  messagesPerMinute: 240_000,
  /** Bytes of one party in a minute, likewise: 350 such transactions a second. All that is sent is recorded, so the log can grow as fast. */
  bytesPerMinute: 64 * 1024 * KiB,
  /** A notary whose callers would wait longer tells them so: they come back later, instead of standing in line. */
  notaryWaitMs: 5_000,
  /** Unacknowledged messages held in memory; the others wait in the outbox. */
  unacknowledged: 10_000,
  /** Unacknowledged messages to one party held in memory: one that is down must not take the room of the others. */
  unacknowledgedPerParty: 1_000,
  /**
   * Bytes of unacknowledged messages to one party: less than a connection buffers, so that a long history streams at the
   * pace at which it is taken, and nothing of it is dropped on the way and sent again.
   */
  unacknowledgedBytesPerParty: 2 * 1024 * KiB,
  /** What every party may have in memory even when those that are down have taken all the room. */
  unacknowledgedAtLeast: 16,
  /** First wait before an unacknowledged message is sent again; it doubles from there. */
  resendFirstMs: 1_000,
  /** Longest wait between two sends of a message, to a party that may be down for weeks. */
  resendLongestMs: 60_000,
} as const

/** The limits of a message. All members of a network share them. */
export const messageLimits = {
  /** A message to another party: less than a fact, so that the receiver can record whatever the sender could. */
  messageBytes: 224 * KiB,
  /** Messages of a session that may be sent before its other end has said how many it takes. */
  firstCredit: 64,
} as const

/** The limits of sessions, as a node was given them. */
export type SessionLimits = LimitsLike<typeof sessionLimits>
