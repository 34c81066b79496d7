/**
 * Lists that may be longer than a page: read page by page up to a limit, and say where to go on.
 */
import { Option } from 'commander'
import { vaultLimits } from '../vault/limits.js'
import type { Page } from '../vault/query/VaultQuery.js'
import type { Terminal } from './Terminal.js'
import { wholeNumber } from './verb.js'

export type PageOptions<C = number> = { readonly limit: number; readonly after?: C }

const defaultLimit = 50

export const limitOption = (): Option =>
  new Option('--limit <n>', 'at most so many').argParser(wholeNumber(1)).default(defaultLimit)

export const afterOption = (): Option =>
  new Option('--after <cursor>', 'go on where an earlier list ended').argParser(wholeNumber(0))

/** As {@link afterOption}, for lists whose cursors are text. */
export const afterTextOption = (): Option => new Option('--after <cursor>', 'go on where an earlier list ended')

/** Gathers pages until the limit. */
export const gather = <A, C>(options: PageOptions<C>, read: (query: PageOptions<C>) => Page<A, C>): Page<A, C> => {
  const items: A[] = []
  let { after } = options
  for (;;) {
    const limit = Math.min(options.limit - items.length, vaultLimits.page)
    const page = read({ limit, ...(after === undefined ? {} : { after }) })
    items.push(...page.items)
    if (page.next === undefined || items.length >= options.limit) return { items, next: page.next }
    after = page.next
  }
}

/** On stderr, so that a list of lines on stdout stays one. */
export const sayMore = (terminal: Terminal, page: Page<unknown, number | string>): void => {
  if (page.next !== undefined) terminal.err(terminal.tone('dim', `There are more: add --after ${page.next}`))
}
