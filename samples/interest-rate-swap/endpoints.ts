/**
 * Swaps over HTTP, below `/api/v1/app/`: the open trades as they stand, and one of them with its whole schedule.
 */
import * as t from 'io-ts'
import { CarillonError, InstantC, IntegerC, PartyC } from 'carillon'
import { LocalDateC } from 'carillon/calendars'
import { defineEndpoint, type Endpoint } from 'carillon/http'
import { record } from '../shared/record.js'
import { openSwaps } from './panel.js'
import { nextEvent, paymentDates } from './swap/events.js'
import { SwapC } from './swap/SwapKind.js'

const TradeC = record('Trade', {
  tradeId: t.string,
  fixedPayer: PartyC,
  floatingPayer: PartyC,
  fixings: t.readonly(t.strict({ done: IntegerC, all: IntegerC })),
  payments: t.readonly(t.strict({ done: IntegerC, all: IntegerC, last: t.union([LocalDateC, t.null]) })),
  next: t.readonly(t.strict({ kind: t.string, at: InstantC })),
})

export const endpoints: readonly Endpoint[] = [
  defineEndpoint({
    method: 'GET',
    path: 'swaps',
    summary: 'the open trades, and what happens to each next',
    answer: t.readonly(t.strict({ items: t.readonlyArray(TradeC) })),
    handle: async ({ node }) => ({
      items: (await openSwaps(node)).map((swap) => {
        const { floating, paid } = swap.calculation
        const { kind, at } = nextEvent(swap)
        return {
          tradeId: swap.common.tradeId,
          fixedPayer: swap.fixed.payer,
          floatingPayer: swap.floating.payer,
          fixings: { done: floating.filter(({ rate }) => rate !== null).length, all: floating.length },
          payments: { done: paid.length, all: paymentDates(swap).length, last: paid.at(-1)?.date ?? null },
          next: { kind, at },
        }
      }),
    }),
  }),
  defineEndpoint({
    method: 'GET',
    path: 'swaps/trade',
    summary: 'one open trade with its terms, fixings and cash flows',
    query: t.strict({ id: t.string }),
    answer: SwapC,
    handle: async ({ node, query }) => {
      const swap = (await openSwaps(node)).find(({ common }) => common.tradeId === query.id)
      if (swap !== undefined) return swap
      throw new CarillonError('swap/unknown', `No open trade is called "${query.id.slice(0, 80)}".`)
    },
  }),
]
