/**
 * A list that is loaded page by page: why it cannot be, that there is nothing, or its rows.
 */
import type { ComponentChildren } from 'preact'
import { Failure } from './ui.js'
import type { Pages } from './usePages.js'
import { VirtualList, type VirtualRows } from './VirtualList.js'

export const PagedList = <A,>({
  pages,
  empty,
  ...rows
}: Omit<VirtualRows<A>, 'items' | 'onNearEnd'> & {
  readonly pages: Pages<A>
  /** What is said when there is nothing. */
  readonly empty: ComponentChildren
}) => {
  if (pages.error !== undefined) return <Failure error={pages.error} again={pages.again} />
  if (pages.items.length > 0) return <VirtualList items={pages.items} onNearEnd={pages.more} {...rows} />
  // A search may have looked at many and found none, and still go on.
  if (!pages.loaded || pages.more !== undefined) return <div class="waiting" role="status" aria-label="Loading" />
  return <>{empty}</>
}
