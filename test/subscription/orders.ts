/** A small shop whose orders are counted by projections. */
import * as t from 'io-ts'
import { defineApp, defineCommand, defineFlow, defineState, IntegerC, PartyC, type App } from 'carillon'
import { producedStates } from 'carillon/events'
import { defineProjection, type AnyProjection, type ProjectionStore } from 'carillon/projections'

export const Order = defineState({
  type: 'shop/Order',
  data: t.strict({ owner: PartyC, article: t.string, pieces: IntegerC }),
  participants: ({ owner }) => [owner],
})

const PlaceCommand = defineCommand({ type: 'shop/Place' })

export const PlaceOrder = defineFlow({
  name: 'shop/PlaceOrder',
  input: t.strict({ article: t.string, pieces: IntegerC }),
  *run(io, { article, pieces }) {
    yield* io.finalise((tx) => tx.produce(Order, { owner: io.me, article, pieces }).command(PlaceCommand, [io.me]))
    return article
  },
})

export type Totals = Readonly<Record<string, number>>

/** Pieces ordered, by article. */
export const totals = (options: {
  readonly name?: string
  readonly version?: number
  readonly store?: 'memory' | 'sqlite' | ProjectionStore
  readonly onEvent?: (revision: number) => void
}) =>
  defineProjection({
    name: options.name ?? 'shop/Totals',
    types: ['TransactionRecorded'],
    init: (): Totals => ({}),
    evolve: (result, event) => {
      options.onEvent?.(event.revision)
      let next = result
      for (const { data } of producedStates(event, Order))
        next = { ...next, [data.article]: (next[data.article] ?? 0) + data.pieces }
      return next
    },
    ...(options.version === undefined ? {} : { version: options.version }),
    ...(options.store === undefined ? {} : { store: options.store }),
  })

export const shop = (...projections: readonly AnyProjection[]): App =>
  defineApp({ name: 'shop', states: [Order], flows: [PlaceOrder], projections })
