/**
 * What a node says, as lines of JSON written by pino: an instant, a level, a message, and fields such as `flow`, `ref`
 * and `code` that a machine can look for.
 */
import type { DestinationStream } from 'pino'
import type { Logger } from '../engine/Logger.js'
import { pinoLogger } from './libraries.js'

/** How lines are written. */
export type JsonLoggerOptions = {
  /** Least level that is written. Default `info`. */
  readonly level?: 'debug' | 'info' | 'warn' | 'error'
  /** Where to write. Default: stderr, as every line that is no result. */
  readonly to?: { readonly write: (line: string) => void }
  /** Fields of every line, such as the name of the node. */
  readonly fields?: Readonly<Record<string, string>>
}

/** No field of these names is ever written, wherever it came from. */
const secrets = ['token', 'secret', 'passphrase', 'authorization', 'cookie', 'privateKey', 'seed']

/** A logger that writes a line of JSON for everything a node says. */
export const jsonLogger = ({ level = 'info', to, fields = {} }: JsonLoggerOptions = {}): Logger => {
  const destination: DestinationStream = to ?? process.stderr
  const { pino, stdTimeFunctions } = pinoLogger()
  const lines = pino(
    {
      level,
      base: fields,
      timestamp: stdTimeFunctions.isoTime,
      messageKey: 'message',
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: secrets, remove: true },
    },
    destination,
  )
  return {
    ...(level === 'debug' ? { debug: (message, more) => lines.debug(more, message) } : {}),
    info: (message, more) => lines.info(more, message),
    warn: (message, more) => lines.warn(more, message),
    error: (message, more) => lines.error(more, message),
  }
}
