/**
 * The end of an operator verb: what was done, by whom it was carried out, and where to look next.
 */
import type { CarriedOutBy } from './operate.js'
import type { Terminal } from './Terminal.js'
import { printJson } from './print.js'

export type Done = {
  readonly did: string
  readonly by: CarriedOutBy
  /** A command that shows the effect. */
  readonly look?: string
  /** The same as data. */
  readonly data: Readonly<Record<string, unknown>>
}

export const sayDone = (terminal: Terminal, json: boolean | undefined, { did, by, look, data }: Done): void => {
  if (printJson(terminal, json, { ...data, carriedOutBy: by })) return
  terminal.out(did)
  if (by === 'store') terminal.err(terminal.tone('dim', 'No node runs here; it takes effect when one is started.'))
  if (look !== undefined) terminal.err(terminal.tone('dim', `See: ${look}`))
}
