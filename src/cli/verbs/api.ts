/**
 * `carillon api`: asks the HTTP API of a running node for anything it can do: an app's own addresses, and whatever a
 * script would rather ask for by its path.
 */
import { Argument, Option, type Command } from 'commander'
import type { Method } from '../../http/Route.js'
import { NodeApi } from '../NodeApi.js'
import { readJsonText } from '../readJsonText.js'
import { printable, type Terminal } from '../Terminal.js'
import { apiVerb, type ApiOptions } from '../verb.js'
import { watching, watchOption } from '../watching.js'

type Options = ApiOptions & { readonly data?: string; readonly method?: Method; readonly node?: string }

/** JSON with two spaces, for people; as it came, for programs. */
const shown = (text: string, type: string, json: boolean | undefined): string => {
  if (json === true || !type.includes('json')) return text.trimEnd()
  return JSON.stringify(JSON.parse(text), null, 2)
}

export const requestVerb = (real: Terminal): Command =>
  apiVerb(
    'api',
    'ask the HTTP API of a running node for anything it can do',
    [
      'api /openapi.json',
      'api /app/swaps',
      `api /flows --data '{"flow":"billing/Close","input":{}}'`,
      'api /status --watch',
    ],
    'print the answer as it came',
  )
    .addArgument(new Argument('<path>', 'below /api/v1, as the OpenAPI document lists it'))
    .addOption(
      new Option('--data <json>', 'the body of the request, or - to read it from stdin; the method is then POST'),
    )
    .addOption(new Option('--method <method>', 'GET, POST or DELETE').choices(['GET', 'POST', 'DELETE']))
    .addOption(new Option('--node <name>', 'which node, when several are served'))
    .addOption(watchOption())
    .action(
      watching(real, (terminal) => async (path: string, { json, data, method, node, ...place }: Options) => {
        const body = data === undefined ? undefined : JSON.stringify(readJsonText(data, '--data'))
        const asked = method ?? (body === undefined ? 'GET' : 'POST')
        const answer = await NodeApi.at(place, node).ask(asked, path, body === undefined ? {} : { body })
        for (const line of shown(answer.text, answer.type, json).split('\n')) terminal.out(printable(line))
      }),
    )
