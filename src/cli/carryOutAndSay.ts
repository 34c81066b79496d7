/**
 * An operator verb: carries a request out, then says what was done, by whom it was carried out, and where to look next.
 */
import type { OperatorRequest } from '../operator/OperatorRequest.js'
import { carryOut } from './carryOut.js'
import { printJson, printNote } from './print.js'
import type { Terminal } from './Terminal.js'
import { placeHint, type ApiOptions } from './verb.js'

export type OperatorVerb = {
  readonly request: OperatorRequest
  readonly did: string
  /** A command that shows the effect. */
  readonly look: string
  /** The same as data. */
  readonly data: Readonly<Record<string, unknown>>
}

export const carryOutAndSay = async (
  terminal: Terminal,
  options: ApiOptions,
  { request, did, look, data }: OperatorVerb,
): Promise<void> => {
  const by = await carryOut(options, request)
  if (printJson(terminal, options.json, { ...data, carriedOutBy: by })) return
  terminal.out(did)
  if (by === 'store') printNote(terminal, 'No node runs here; it takes effect when one is started.')
  printNote(terminal, `See: carillon ${look}${placeHint(options)}`)
}
