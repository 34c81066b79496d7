/**
 * What the page hears from the node: one stream for the whole page, opened again whenever it breaks, and a way for
 * every view to ask again when something has happened.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { RequestQuery } from '../client/NodeConnection.js'
import type { CarillonError } from '../errors/CarillonError.js'
import type { Live } from '../http/answers.js'
import { errorOf, get, hear, isUnreachable, questionOf } from './api.js'

export type ConnectionState = 'connecting' | 'live' | 'lost'

/** How long the page waits before it tries again what the node did not answer. */
const againMs = 2_000

export type Hearing = {
  /** The node as it is now; undefined until it has spoken. */
  readonly live: Live | undefined
  readonly connection: ConnectionState
  /** How often the node has answered and refused the stream: perhaps it does not know the session any more. */
  readonly refusals: number
}

export const useLive = (node: string | undefined): Hearing => {
  const [live, setLive] = useState<Live>()
  const [connection, setConnection] = useState<ConnectionState>('connecting')
  const [refusals, setRefusals] = useState(0)
  useEffect(() => {
    const over = new AbortController()
    const { signal } = over
    const listen = async (): Promise<void> => {
      try {
        await hear('/live', signal, (data) => {
          setConnection('live')
          setLive(JSON.parse(data) as Live)
        })
      } catch (error) {
        if (!signal.aborted && !isUnreachable(error)) setRefusals((before) => before + 1)
      }
      if (signal.aborted) return
      setConnection('lost')
      setTimeout(() => void listen(), againMs)
    }
    void listen()
    return () => over.abort()
  }, [node])
  return { live, connection, refusals }
}

export type AskedState<A> =
  | { readonly state: 'asking' }
  | { readonly state: 'refused'; readonly error: CarillonError }
  | { readonly state: 'answered'; readonly answer: A }

export type Asking<A> = { readonly asked: AskedState<A>; readonly again: () => void }

/** Does something again, a while after the node could not be reached. */
export const useAgainSoon = (error: CarillonError | undefined, again: () => void): void =>
  useEffect(() => {
    if (error === undefined || !isUnreachable(error)) return undefined
    const timer = setTimeout(again, againMs)
    return () => clearTimeout(timer)
  }, [error])

/** Asks now, and again whenever `when` changes; the last answer stays while the next is on its way. */
export const useAnswer = <A>(ask: () => Promise<A>, what: string, when: unknown): Asking<A> => {
  const [asked, setAsked] = useState<AskedState<A>>({ state: 'asking' })
  const [missed, setMissed] = useState<CarillonError>()
  const [turn, setTurn] = useState(0)
  const latest = useRef(0)
  useEffect(() => setAsked({ state: 'asking' }), [what])
  useEffect(() => {
    const mine = (latest.current += 1)
    ask().then(
      (answer) => {
        if (latest.current !== mine) return
        setMissed(undefined)
        setAsked({ state: 'answered', answer })
      },
      (thrown: unknown) => {
        if (latest.current !== mine) return
        const error = errorOf(thrown)
        setMissed(error)
        // While the node is away, what it said last is more use than that it is away, which the page says once.
        setAsked((before) =>
          before.state === 'answered' && isUnreachable(error) ? before : { state: 'refused', error },
        )
      },
    )
  }, [what, when, turn])
  const again = (): void => setTurn((before) => before + 1)
  useAgainSoon(missed, again)
  return { asked, again }
}

/** As {@link useAnswer}, for one path. */
export const useGet = <A>(path: string, query: RequestQuery, when: unknown): Asking<A> =>
  useAnswer<A>(() => get<A>(path, query), questionOf(path, query), when)
