/**
 * What the page hears from the node: one stream for the whole page, opened again by the browser when it breaks, and a
 * way for every view to ask again when something has happened.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import { addressOf, get, Refused, type Live } from './api.js'

export type Connection = 'connecting' | 'live' | 'lost'

/** The node as it is now; undefined until it has spoken. */
export const useLive = (
  node: string | undefined,
): { readonly live: Live | undefined; readonly connection: Connection } => {
  const [live, setLive] = useState<Live>()
  const [connection, setConnection] = useState<Connection>('connecting')
  useEffect(() => {
    const source = new EventSource(addressOf('/live'))
    source.addEventListener('live', (event) => {
      setConnection('live')
      setLive(JSON.parse((event as MessageEvent<string>).data) as Live)
    })
    source.onerror = () => setConnection('lost')
    return () => source.close()
  }, [node])
  return { live, connection }
}

export type Asked<A> =
  | { readonly state: 'asking' }
  | { readonly state: 'refused'; readonly error: Refused }
  | { readonly state: 'answered'; readonly answer: A }

export type Asking<A> = { readonly asked: Asked<A>; readonly again: () => void }

/** Asks now, and again whenever `when` changes; the last answer stays while the next is on its way. */
export const useAnswer = <A>(ask: () => Promise<A>, what: string, when: unknown): Asking<A> => {
  const [asked, setAsked] = useState<Asked<A>>({ state: 'asking' })
  const [turn, setTurn] = useState(0)
  const latest = useRef(0)
  useEffect(() => setAsked({ state: 'asking' }), [what])
  useEffect(() => {
    const mine = (latest.current += 1)
    const tell = (next: Asked<A>): void => {
      if (latest.current === mine) setAsked(next)
    }
    ask().then(
      (answer) => tell({ state: 'answered', answer }),
      (error: unknown) =>
        tell({
          state: 'refused',
          error: error instanceof Refused ? error : new Refused(0, 'unknown', String(error)),
        }),
    )
  }, [what, when, turn])
  return { asked, again: () => setTurn((before) => before + 1) }
}

/** As {@link useAnswer}, for one path. */
export const useGet = <A>(
  path: string,
  query: Readonly<Record<string, string | number | undefined>>,
  when: unknown,
): Asking<A> => useAnswer<A>(() => get<A>(path, query), addressOf(path, query), when)
