/**
 * Whether the page is as narrow as a phone, by the same width as in the style sheet.
 */
import { useEffect, useState } from 'preact/hooks'

const narrow = matchMedia('(max-width: 820px)')

export const useNarrow = (): boolean => {
  const [isNarrow, setNarrow] = useState(narrow.matches)
  useEffect(() => {
    const hear = (): void => setNarrow(narrow.matches)
    narrow.addEventListener('change', hear)
    return () => narrow.removeEventListener('change', hear)
  }, [])
  return isNarrow
}
