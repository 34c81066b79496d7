/**
 * What the rules ask of the table of tokens.
 */

export interface TokensRead {
  readonly standingOf: (id: string) => 'unknown' | 'valid' | 'revoked'
  /** How many tokens have not been revoked. */
  readonly unrevoked: () => number
}

/** What deciders may ask of the tokens. */
export interface OperatorRead {
  readonly tokens: TokensRead
}
