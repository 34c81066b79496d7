/**
 * A long list of which only what is in sight is drawn; more is asked for when the end comes near.
 */
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useNarrow } from '../useNarrow.js'

const overscan = 8

export type VirtualRows<A> = {
  readonly items: readonly A[]
  readonly rowHeight: number
  /** On a phone, where the cells of a row stand in two or three lines. */
  readonly narrowHeight?: number
  readonly keyOf: (item: A) => string
  readonly row: (item: A) => ComponentChildren
  readonly onNearEnd?: (() => void) | undefined
  readonly label: string
  readonly header?: ComponentChildren
}

export function VirtualList<A>({
  items,
  rowHeight: usualHeight,
  narrowHeight = usualHeight,
  keyOf,
  row,
  onNearEnd,
  label,
  header,
}: VirtualRows<A>) {
  const rowHeight = useNarrow() ? narrowHeight : usualHeight
  const box = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ top: 0, height: 600 })
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return undefined
    const measure = (): void => setView({ top: element.scrollTop, height: element.clientHeight })
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  const first = Math.max(0, Math.floor(view.top / rowHeight) - overscan)
  const last = Math.min(items.length, Math.ceil((view.top + view.height) / rowHeight) + overscan)
  useLayoutEffect(() => {
    if (last >= items.length - overscan) onNearEnd?.()
  }, [last, items.length])
  return (
    <div class="list" role="table" aria-label={label} aria-rowcount={items.length}>
      {header}
      <div
        class="rows"
        ref={box}
        role="rowgroup"
        tabIndex={0}
        onScroll={({ currentTarget }) => setView({ top: currentTarget.scrollTop, height: currentTarget.clientHeight })}
      >
        <div class="spacer" role="presentation" style={{ height: `${items.length * rowHeight}px` }}>
          {items.slice(first, last).map((item, index) => (
            <div
              class="row"
              role="row"
              aria-rowindex={first + index + 1}
              key={keyOf(item)}
              style={{ top: `${(first + index) * rowHeight}px`, height: `${rowHeight}px` }}
            >
              {row(item)}
            </div>
          ))}
        </div>
      </div>
    </div>
  )
}
