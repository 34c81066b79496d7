/**
 * `carillon api`: asks the HTTP API of a running node, so that whatever a program or the dashboard can do can be done
 * here too: panels and their actions, sessions, metrics, the clock, an app's own addresses. It lets itself in through
 * the socket that only the owner of the store can open, and leaves when it is done.
 */
import { Argument, Option, type Command } from 'commander'
import { CarillonError, messageOf, reviveError } from '../../errors/CarillonError.js'
import { ControlClient } from '../../node/ControlClient.js'
import { readJsonText } from '../readJsonText.js'
import { printable, type Terminal } from '../Terminal.js'
import { verb, type StoreOptions } from '../verb.js'
import { watching, watchOption } from '../watching.js'

type Options = StoreOptions & { readonly data?: string; readonly method?: string; readonly node?: string }

const enter = async (store: string): Promise<{ readonly url: string; readonly cookie: string }> => {
  const client = await ControlClient.connect(store)
  if (client === undefined)
    throw new CarillonError(
      'node-not-running',
      `No node runs on ${store}. Start one with "carillon run <app-module>".`,
      {
        store,
      },
    )
  const link = await client.link().finally(() => client.close())
  const [url = '', secret = ''] = link.split('/#link=')
  const response = await ask(`${url}/api/v1/session`, 'POST', { origin: url }, JSON.stringify({ secret }))
  return { url, cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '' }
}

const ask = async (
  address: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
): Promise<Response> => {
  try {
    return await fetch(address, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body }),
    })
  } catch (error) {
    throw new CarillonError(
      'address-unavailable',
      `${address} does not answer: ${messageOf(error)}.`,
      { address },
      error,
    )
  }
}

/** A problem of the API is an error of ours again, with its code and its words. */
const assertAnswered = (response: Response, text: string): void => {
  if (response.ok) return
  const problem = ((): { readonly code?: unknown; readonly detail?: unknown } => {
    try {
      return Object(JSON.parse(text)) as object
    } catch {
      return {}
    }
  })()
  const detail = typeof problem.detail === 'string' ? problem.detail : `The node answered ${response.status}.`
  throw reviveError({ code: typeof problem.code === 'string' ? problem.code : 'request-invalid', message: detail })
}

/** JSON with two spaces, for people; as it came, for programs. */
const shown = (text: string, type: string, json: boolean | undefined): string => {
  if (json === true || !type.includes('json')) return text.trimEnd()
  return JSON.stringify(JSON.parse(text), null, 2)
}

export const api = (real: Terminal): Command =>
  verb(
    'api',
    'ask the HTTP API of a running node for anything it can do',
    [
      'api /openapi.json',
      'api /parties',
      'api /panels/chores',
      `api /panels/chores/actions/start --data '{"row":"archive-proposals"}'`,
      `api /clock --data '{"action":"jump"}'`,
      'api /metrics --watch',
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
      watching(real, (terminal) => async (path: string, { store, json, data, method, node }: Options) => {
        const body = data === undefined ? undefined : JSON.stringify(readJsonText(data, '--data'))
        const { url, cookie } = await enter(store)
        const address = new URL(`${url}/api/v1${path.startsWith('/') ? path : `/${path}`}`)
        if (node !== undefined) address.searchParams.set('node', node)
        const asked = method ?? (body === undefined ? 'GET' : 'POST')
        const headers = { cookie, origin: url }
        const response = await ask(address.href, asked, headers, body ?? (asked === 'POST' ? '{}' : undefined))
        const text = await response.text()
        assertAnswered(response, text)
        for (const line of shown(text, response.headers.get('content-type') ?? '', json).split('\n'))
          terminal.out(printable(line))
      }),
    )
