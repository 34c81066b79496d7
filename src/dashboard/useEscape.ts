/**
 * Escape closes what was opened last, wherever the focus is: one thing a press.
 */
import { useEffect, useRef } from 'preact/hooks'

/** What is open, the last one opened at the end. */
const opened: { readonly close: () => void }[] = []

addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || event.defaultPrevented) return
  const last = opened.at(-1)
  if (last === undefined) return
  event.preventDefault()
  last.close()
})

/** While `isOpen`, the key closes it, unless something else was opened since. */
export const useEscape = (isOpen: boolean, close: () => void): void => {
  const newest = useRef(close)
  newest.current = close
  useEffect(() => {
    if (!isOpen) return undefined
    const entry = { close: () => newest.current() }
    opened.push(entry)
    return () => {
      opened.splice(opened.indexOf(entry), 1)
    }
  }, [isOpen])
}
