/**
 * The bounds of a transport between processes: those of limits.ts, which tests make smaller so as not to wait.
 */
import { limits } from '../limits.js'

/** The bounds of a transport's connections; tests make them smaller. */
export type Bounds = {
  readonly outgoingBytes: number
  readonly deliveriesUnderWay: number
  readonly handshakesUnderWay: number
  readonly connectionsPerParty: number
  readonly handshakeMs: number
  readonly keepAliveMs: number
  readonly silenceMs: number
  readonly idleConnectionMs: number
  readonly reconnectFirstMs: number
  readonly reconnectLongestMs: number
  readonly closeMs: number
}

export const boundsOf = (overrides: Partial<Bounds> = {}): Bounds => {
  const {
    outgoingBytes,
    deliveriesUnderWay,
    handshakesUnderWay,
    connectionsPerParty,
    handshakeMs,
    keepAliveMs,
    silenceMs,
    idleConnectionMs,
    reconnectFirstMs,
    reconnectLongestMs,
    closeMs,
  } = limits
  return {
    outgoingBytes,
    deliveriesUnderWay,
    handshakesUnderWay,
    connectionsPerParty,
    handshakeMs,
    keepAliveMs,
    silenceMs,
    idleConnectionMs,
    reconnectFirstMs,
    reconnectLongestMs,
    closeMs,
    ...overrides,
  }
}
