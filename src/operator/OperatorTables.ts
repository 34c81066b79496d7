/**
 * What the rules ask of the table of tokens.
 */

export type TokenRow = {
  readonly id: string
  readonly name: string
  readonly hash: string
  readonly permissions: readonly string[]
  readonly issuedMs: number
  readonly issuedBy: string
  readonly expiresMs: number | null
}

export interface TokensRead {
  readonly standingOf: (id: string) => 'unknown' | 'valid' | 'revoked'
  /** How many tokens have not been revoked. */
  readonly unrevoked: () => number
}

export interface Tokens extends TokensRead {
  readonly insert: (row: TokenRow) => void
  readonly revoke: (id: string, atMs: number, by: string) => void
}

/** What deciders may ask of the tokens. */
export interface OperatorRead {
  readonly tokens: TokensRead
}

/** What the evolver of tokens writes to. */
export interface OperatorTables extends OperatorRead {
  readonly tokens: Tokens
}
