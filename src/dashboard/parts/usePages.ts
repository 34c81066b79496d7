/**
 * A list that grows page by page as it is scrolled. When something happens its first page is asked for again; what was
 * loaded below stays until the list itself is another one.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { RequestQuery } from '../../client/NodeConnection.js'
import type { CarillonError } from '../../errors/CarillonError.js'
import type { PageAnswer } from '../../http/answers.js'
import { errorOf, get, isUnreachable, questionOf } from '../api.js'
import { useAgainSoon } from '../useLive.js'

export type Pages<A> = {
  readonly items: readonly A[]
  readonly loaded: boolean
  readonly error: CarillonError | undefined
  readonly more: (() => void) | undefined
  readonly again: () => void
}

type Loaded<A> = {
  readonly what: string
  readonly items: readonly A[]
  readonly next: string | undefined
  readonly pages: number
  /** How many the last page brought: a search may look at many and find none, and still go on. */
  readonly added: number
}

const pageSize = 100

export const usePages = <A>(path: string, query: RequestQuery, when: unknown): Pages<A> => {
  const what = questionOf(path, query)
  const [state, setState] = useState<Loaded<A>>({ what: '', items: [], next: undefined, pages: 0, added: 0 })
  const [error, setError] = useState<CarillonError>()
  const [turn, setTurn] = useState(0)
  const loading = useRef(false)
  const latest = useRef('')
  const fail = (thrown: unknown): void => {
    loading.current = false
    setError(errorOf(thrown))
  }
  useEffect(() => {
    // Whoever has scrolled far keeps what is in sight; the newest comes when the list is left and entered again.
    if (state.what === what && state.pages > 1 && error === undefined) return
    loading.current = true
    latest.current = what
    get<PageAnswer<A>>(path, { ...query, limit: pageSize }).then(({ items, next }) => {
      // An answer that was overtaken is about another list.
      if (latest.current !== what) return
      loading.current = false
      setError(undefined)
      setState((before) =>
        before.what === what && before.pages > 1 ? before : { what, items, next, pages: 1, added: items.length },
      )
    }, fail)
  }, [what, when, turn])
  const isCurrent = state.what === what
  useAgainSoon(error, () => setTurn((before) => before + 1))
  const more = (): void => {
    if (loading.current || state.next === undefined) return
    loading.current = true
    get<PageAnswer<A>>(path, { ...query, limit: pageSize, after: state.next }).then(({ items, next }) => {
      loading.current = false
      setState((before) =>
        before.what === what
          ? { what, items: [...before.items, ...items], next, pages: before.pages + 1, added: items.length }
          : before,
      )
    }, fail)
  }
  // A page without anything brings no end nearer by which the list would ask for the next.
  useEffect(() => {
    if (isCurrent && state.added === 0) more()
  }, [state])
  return {
    items: isCurrent ? state.items : [],
    loaded: isCurrent,
    // What was loaded stays in sight while the node is away.
    error: isCurrent && error !== undefined && isUnreachable(error) ? undefined : error,
    more: isCurrent && state.next !== undefined ? more : undefined,
    again: () => {
      setState((before) => ({ ...before, pages: 0 }))
      setTurn((before) => before + 1)
    },
  }
}
