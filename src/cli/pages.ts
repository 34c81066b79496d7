/**
 * Verbs that list: they ask for pages up to a limit, print them as a table or as lines of JSON, and say where to go on.
 * What differs from one list to the next is declared.
 */
import { Option, type Command } from 'commander'
import type * as t from 'io-ts'
import { pageOfC, type PageAnswer } from '../http/answers.js'
import { vaultLimits } from '../vault/limits.js'
import type { RequestQuery } from '../client/NodeConnection.js'
import { NodeApi, type NodePlace } from './NodeApi.js'
import { nowOf } from './nowOf.js'
import { printList, printNote } from './print.js'
import type { PrintedColumn } from './table.js'
import type { Terminal } from './Terminal.js'
import { apiVerb, wholeNumber, type ApiOptions } from './verb.js'
import { watching, watchOption } from './watching.js'

export type PageOptions = { readonly limit: number; readonly after?: string }

const defaultLimit = 50

export const limitOption = (): Option =>
  new Option('--limit <n>', 'at most so many').argParser(wholeNumber(1)).default(defaultLimit)

export const afterOption = (): Option => new Option('--after <cursor>', 'go on where an earlier list ended')

/** Gathers pages until the limit. */
export const gather = async <A>(
  { limit, after }: PageOptions,
  read: (page: PageOptions) => Promise<PageAnswer<A>>,
): Promise<PageAnswer<A>> => {
  const items: A[] = []
  for (let cursor = after; ;) {
    const page = await read({
      limit: Math.min(limit - items.length, vaultLimits.page),
      ...(cursor === undefined ? {} : { after: cursor }),
    })
    items.push(...page.items)
    cursor = page.next
    if (cursor === undefined) return { items }
    if (items.length >= limit) return { items, next: cursor }
  }
}

/** On stderr, so that a list of lines on stdout stays one. */
export const sayMore = (terminal: Terminal, { next }: PageAnswer<unknown>): void => {
  if (next !== undefined) printNote(terminal, `There are more: add --after ${next}`)
}

/** Asks for a list of the API, page by page. */
export const askPages = <A>(
  place: NodePlace,
  {
    path,
    query = {},
    item,
  }: { readonly path: string; readonly query?: RequestQuery; readonly item: t.Type<A, unknown> },
  page: PageOptions,
): Promise<PageAnswer<A>> => {
  const api = NodeApi.at(place)
  return gather(page, (asked) => api.get(path, { ...query, ...asked }, pageOfC(item)))
}

/** What differs from one list to the next. */
export type Listed<O, A> = {
  readonly path: string
  /** What the options ask for. Default: nothing. */
  readonly query?: (options: O) => RequestQuery
  readonly item: t.Type<A, unknown>
  /** Asked for only when there is a table to print: they may depend on what time it is for the node. */
  readonly columns: (nowMs: number, options: O) => readonly PrintedColumn<A>[]
  /** What is said when there is nothing. */
  readonly empty: string | ((options: O) => string)
  readonly options?: readonly Option[]
  /** What is said under a table. Default: nothing. */
  readonly hint?: (options: O) => string | undefined
  /** Whether the list comes whole, without a limit and a cursor. Default false. */
  readonly isWhole?: boolean
}

/** A list as an action: asks, and prints what was found. */
export const printListed = async <O extends ApiOptions & Partial<PageOptions>, A>(
  terminal: Terminal,
  options: O,
  { path, query, item, columns, empty, hint, isWhole = false }: Listed<O, A>,
): Promise<void> => {
  const { json, limit = defaultLimit, after } = options
  const asked = query?.(options) ?? {}
  const found = isWhole
    ? await NodeApi.at(options).get(path, asked, pageOfC(item))
    : await askPages(options, { path, query: asked, item }, { limit, ...(after === undefined ? {} : { after }) })
  await printList(terminal, json, {
    rows: found.items,
    columns: async () => columns(await nowOf(options), options),
    empty: typeof empty === 'string' ? empty : empty(options),
  })
  const said = json === true || found.items.length === 0 ? undefined : hint?.(options)
  if (said !== undefined) printNote(terminal, said)
  sayMore(terminal, found)
}

/** A verb that lists something. */
export const listVerb = <O extends ApiOptions & Partial<PageOptions>, A>(
  real: Terminal,
  [name, summary, examples]: readonly [name: string, summary: string, examples: readonly string[]],
  listed: Listed<O, A>,
): Command => {
  const command = apiVerb(name, summary, examples, 'print one JSON document a line')
  for (const option of listed.options ?? []) command.addOption(option)
  if (listed.isWhole !== true) command.addOption(limitOption()).addOption(afterOption())
  return command
    .addOption(watchOption())
    .action(watching(real, (terminal) => (options: O) => printListed(terminal, options, listed)))
}
