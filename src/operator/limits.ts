/**
 * The limits of what an operator may ask for.
 */
/** The limits of what an operator may ask for. */
export const operatorLimits = {
  /** A note that an operator leaves with an action. */
  noteLength: 1_000,
  /** Tokens of one node that have not been revoked: people and tools, not customers. */
  tokens: 1_000,
  /** Permissions of one token. */
  permissionsPerToken: 64,
  /** A permission: room for the name of a flow. */
  permissionLength: 200,
  /** The name of a token, which stands in every event it causes. */
  tokenNameLength: 40,
} as const
