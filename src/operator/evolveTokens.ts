/**
 * Writes what events say about tokens.
 */
import type { EventOf } from '../log/events.js'
import { toMillis } from '../time/Instant.js'
import type { OperatorTables } from './OperatorTables.js'

export const evolveTokens = (
  { tokens }: OperatorTables,
  event: EventOf<'TokenIssued' | 'TokenRevoked'>,
  atMs: number,
): void => {
  if (event.type === 'TokenRevoked') {
    tokens.revoke(event.token, atMs, event.by)
    return
  }
  const { token, name, hash, permissions, by, expiresAt } = event
  const expiresMs = expiresAt === undefined ? null : toMillis(expiresAt)
  tokens.insert({ id: token, name, hash, permissions, issuedMs: atMs, issuedBy: by, expiresMs })
}
