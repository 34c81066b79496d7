/**
 * Issuing and revoking tokens: recorded with who did it. The secret is made by whoever asks and never comes here.
 */
import * as t from 'io-ts'
import type { OperatorReads } from './OperatorReads.js'
import { HashC } from '../encoding/hash.js'
import { CarillonError } from '../errors/CarillonError.js'
import type { DomainEvent } from '../log/events.js'
import { operatorLimits } from './limits.js'
import { InstantC, toMillis } from '../time/Instant.js'
import { PermissionC } from './Permission.js'
import { TokenIdC, TokenNameC, type TokenId } from './Token.js'

/** What is recorded of a token. */
export const NewTokenC = t.readonly(
  t.intersection([
    t.strict({ token: TokenIdC, name: TokenNameC, hash: HashC, permissions: t.readonlyArray(PermissionC) }),
    t.exact(t.partial({ expiresAt: InstantC })),
  ]),
  'NewToken',
)
/** What is recorded of a token when it is issued. */
export type NewToken = t.TypeOf<typeof NewTokenC>

export const issueToken = (reads: OperatorReads, asked: NewToken, by: string): DomainEvent => {
  const { tokens } = reads.views
  const refuse = (why: string): CarillonError => new CarillonError('request-invalid', why)
  if (asked.permissions.length === 0 || asked.permissions.length > operatorLimits.permissionsPerToken)
    throw refuse(`A token has 1 to ${operatorLimits.permissionsPerToken} permissions.`)
  if (asked.expiresAt !== undefined && toMillis(asked.expiresAt) <= reads.nowMs)
    throw refuse(`The token would have expired at ${asked.expiresAt}. Give an instant to come.`)
  if (tokens.standingOf(asked.token) !== 'unknown') throw refuse(`There is a token ${asked.token} already.`)
  if (tokens.unrevoked() >= operatorLimits.tokens)
    throw refuse(`There are ${operatorLimits.tokens} tokens already. Revoke some with "carillon token revoke".`)
  const { token, name, hash, permissions, expiresAt } = asked
  return {
    type: 'TokenIssued',
    token,
    name,
    hash,
    permissions,
    by,
    ...(expiresAt === undefined ? {} : { expiresAt }),
  }
}

export const revokeToken = (reads: OperatorReads, token: TokenId, by: string): readonly DomainEvent[] => {
  const standing = reads.views.tokens.standingOf(token)
  if (standing === 'unknown')
    throw new CarillonError('token-unknown', `There is no token ${token}. See: carillon token list`, { token })
  return standing === 'valid' ? [{ type: 'TokenRevoked', token, by }] : []
}
