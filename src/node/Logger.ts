/**
 * Where a node says what happens to it, in words and fields. Secrets and keys never pass here.
 */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>

/** Where a node says what happens to it. */
export type Logger = {
  readonly info: (message: string, fields: LogFields) => void
  readonly warn: (message: string, fields: LogFields) => void
  readonly error: (message: string, fields: LogFields) => void
}

export const silentLogger: Logger = { info: () => undefined, warn: () => undefined, error: () => undefined }
