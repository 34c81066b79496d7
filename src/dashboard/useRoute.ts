/**
 * Where the page is, in the part of the address after `#`: it survives a reload and the back button, and the server
 * never sees it.
 */
import { useEffect, useState } from 'preact/hooks'

export type RoutePlace = { readonly view: string; readonly rest: readonly string[]; readonly query: URLSearchParams }

/** An address may have been cut off or typed; what cannot be decoded is taken as it stands. */
const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

const placeOf = (): RoutePlace => {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?')
  const [view = '', ...rest] = path.split('/').map(decoded)
  return { view: view === '' ? 'overview' : view, rest, query: new URLSearchParams(query) }
}

export const useRoute = (): RoutePlace => {
  const [place, setPlace] = useState(placeOf)
  useEffect(() => {
    const hear = (): void => setPlace(placeOf())
    addEventListener('hashchange', hear)
    return () => removeEventListener('hashchange', hear)
  }, [])
  return place
}

export const linkTo = (view: string, ...rest: readonly string[]): string =>
  `#/${[view, ...rest].map(encodeURIComponent).join('/')}`
