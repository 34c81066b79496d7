/**
 * Pages as the API gives them: a cursor is text, whatever it is made of inside.
 */
import * as t from 'io-ts'
import type { Page } from '../../vault/query/VaultQuery.js'
import { CountC } from '../codecs.js'

export const pageProps = { limit: CountC, after: CountC }
export const PageQueryC = t.exact(t.partial(pageProps), 'PageQuery')

export const pageAnswer = <A>({
  items,
  next,
}: Page<A, number | string>): { readonly items: readonly A[]; readonly next?: string } => ({
  items,
  ...(next === undefined ? {} : { next: String(next) }),
})
