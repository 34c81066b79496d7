/**
 * Offer and acceptance. The offer is the transaction itself, signed by the bank that makes it; it is accepted by the
 * other's signature, or refused with a reason.
 */
import {
  CarillonError,
  canonicalText,
  defineFlow,
  defineResponder,
  plus,
  type FlowBody,
  type Party,
  type StateRef,
} from 'carillon'
import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { generate } from '../schedule.js'
import { AgreeCommand, SwapKind, type SwapData } from '../swap/SwapKind.js'
import { Swap, tradeKey } from '../swap/Swap.js'
import { TermsC, type Terms } from '../terms/Terms.js'

/** What a bank makes of the terms it is offered: the reason to refuse them, or nothing. */
export type Acceptance = (terms: Terms, from: Party) => Either<string, void>

/** The other of the two banks; an error when this one is neither. */
export const counterpartyOf = ({ fixed, floating }: Pick<Terms, 'fixed' | 'floating'>, me: Party): Party => {
  if (me.key === fixed.payer.key) return floating.payer
  if (me.key === floating.payer.key) return fixed.payer
  throw new CarillonError('swap/not-ours', `${me.name} pays neither leg of the trade.`, { party: me.name })
}

const idTaken = ({ common: { tradeId } }: Pick<Terms, 'common'>): CarillonError =>
  new CarillonError(
    'swap/id-taken',
    `There is a trade "${tradeId}" between the two banks already. Give this one another id.`,
    {
      tradeId,
    },
  )

/** How long an offer stands. */
const offerStands = { days: 1 } as const

export const Offer = defineFlow({
  name: 'swap/Offer',
  input: t.strict({ terms: TermsC }),
  *run(io, { terms }): FlowBody<StateRef> {
    const other = counterpartyOf(terms, io.me)
    if ((yield* io.find(Swap, tradeKey(terms))) !== undefined) throw idTaken(terms)
    const session = yield* io.initiate(other)
    const until = plus(yield* io.now(), offerStands)
    const { tradeId, regulators } = terms.common
    const agreed = yield* io.finalise(
      (tx) =>
        tx
          .produce(Swap, { ...terms, calculation: generate(terms) })
          .command(AgreeCommand, [io.me, other], { tradeId })
          .timeWindow({ until }),
      { sessions: [session], observers: regulators },
    )
    return agreed.output()
  },
})

/** The schedules must be what this bank makes of the terms, by its own calendars. */
const sameSchedules = (swap: SwapData): Either<string, void> => {
  const own = generate(swap, swap.calculation.expression)
  for (const leg of ['fixed', 'floating'] as const) {
    const differs = own[leg].findIndex(
      (row, index) => canonicalText(row) !== canonicalText(swap.calculation[leg][index] ?? null),
    )
    if (differs >= 0 || own[leg].length !== swap.calculation[leg].length)
      return left(
        `period ${differs < 0 ? own[leg].length + 1 : differs + 1} of its ${leg} schedule is not what its terms give here`,
      )
  }
  return right(undefined)
}

export const acceptOffer = (accepts: Acceptance) =>
  defineResponder({
    name: 'swap/AcceptOffer',
    respondsTo: Offer,
    *run(io, session): FlowBody<StateRef> {
      yield* io.signProposal(session, function* (transaction): FlowBody<Either<string, void>> {
        const swaps = transaction.outputsOf(SwapKind)
        const [swap] = swaps
        if (swap === undefined || transaction.inputs.length > 0 || transaction.outputs.length !== 1)
          return left('an offer is one new swap and nothing else')
        if (counterpartyOf(swap.data, io.me).key !== session.party.key) return left('the offer is of another bank')
        if ((yield* io.find(Swap, tradeKey(swap.data))) !== undefined) return left(idTaken(swap.data).message)
        const schedules = sameSchedules(swap.data)
        return isLeft(schedules) ? schedules : accepts(swap.data, session.party)
      })
      return (yield* io.receiveFinality(session)).output()
    },
  })
