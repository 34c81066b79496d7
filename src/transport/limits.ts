/**
 * The limits of connections with other parties.
 */
import type { LimitsLike } from '../limits.js'

const KiB = 1024

/** The limits of connections with other parties. */
export const transportLimits = {
  /** Bytes that wait for a connection to one party; what does not fit is dropped, and sent again when it is due. */
  outgoingBytes: 4 * 1024 * KiB,
  /** Envelopes of one party that are being decided, over all its connections; beyond that nothing more is read from them. */
  deliveriesUnderWay: 2_000,
  /** Bytes of them, likewise. */
  bytesUnderWay: 8 * 1024 * KiB,
  /** Connections whose handshake is not over; beyond that the oldest of them is dropped. */
  handshakesUnderWay: 64,
  /** Of these, connections of one address: one that has more loses its own oldest, so that it takes no one else's place. */
  handshakesPerAddress: 32,
  /** Connections with one party; a new one replaces the oldest, which may be half open after a crash over there. */
  connectionsPerParty: 3,
  /** A handshake that takes longer is given up. */
  handshakeMs: 10_000,
  /** A connection that has not greeted after so long is closed. */
  greetingMs: 10_000,
  /** After this long without a word an empty frame says that the connection is alive. */
  keepAliveMs: 15_000,
  /** A connection that brings no whole frame, or takes none, for so long is dead: three missed words. */
  silenceMs: 45_000,
  /** A connection without messages is closed after this long; the next message opens another. */
  idleConnectionMs: 300_000,
  /** First wait before a party is dialled again; it doubles from there. */
  reconnectFirstMs: 100,
  /** Longest wait between two dials: a party that comes back is met soon. */
  reconnectLongestMs: 10_000,
  /** How long a closing transport waits for what it has written to leave. */
  closeMs: 1_000,
  /** Time between two log lines about the same kind of refusal by the same side, so that a flood cannot fill the disk. */
  refusalLineMs: 10_000,
  /** Different refusals remembered for that. */
  refusalsRemembered: 1_000,
  /** Signatures in one message from which on they are verified in a thread: the loop is spared most of the work, the message waits a little longer. */
  signaturesPerThread: 10,
  /** Threads that verify signatures, on a machine that has so many cores to spare. */
  signatureThreads: 4,
} as const

/** The limits of what is sent over a connection. All members of a network share them. */
export const frameLimits = {
  /** A frame between nodes: room for the largest fact and its envelope. Whoever announces more is cut off at once. */
  frameBytes: 1024 * KiB,
  /** Envelopes in one frame, so that one frame is never more than a tick's worth of decisions. */
  envelopesPerFrame: 1_000,
  /** Nesting of what another party sends: composite keys within a transaction need about a hundred levels. */
  messageDepth: 256,
} as const

/** The limits of connections, as a node was given them. */
export type TransportLimits = LimitsLike<typeof transportLimits>
