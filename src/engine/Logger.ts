/**
 * Where a node says what happens to it, in words and fields. Secrets and keys never pass here.
 */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>

/** Where a node says what happens to it. */
export type Logger = {
  readonly info: (message: string, fields: LogFields) => void
  readonly warn: (message: string, fields: LogFields) => void
  readonly error: (message: string, fields: LogFields) => void
  /** What is only wanted when someone looks for something; a logger that does not want it has no such member. */
  readonly debug?: (message: string, fields: LogFields) => void
}

export const silentLogger: Logger = { info: () => undefined, warn: () => undefined, error: () => undefined }
