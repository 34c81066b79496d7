/**
 * The apps of the network: banks that trade, and a regulator that looks on. The oracle has an app of its own, and the
 * notary needs to know nothing of swaps.
 */
import { defineApp, type App, type Consent } from 'carillon'
import { left, right } from 'fp-ts/lib/Either.js'
import { AgreeFixing, AgreeMaturity, Fixing, Maturity } from './flows/fixing.js'
import { acceptOffer, Offer, type Acceptance } from './flows/offer.js'
import { paymentFlows } from './flows/payment.js'
import type { PaymentSystem } from './flows/PaymentSystem.js'
import { AskToSign, FetchFix, Query } from './oracle/ask.js'
import { OverdueCommand } from './swap/SwapKind.js'
import { Swap } from './swap/Swap.js'

export type BankOptions = {
  /** How money is sent, and how its arrival is seen. */
  readonly payments: PaymentSystem
  /** Which offers the bank accepts. Default: all whose schedules are right. */
  readonly accepts?: Acceptance
}

/** What a bank records without having signed it: that its own trade is overdue, which the payee alone says. */
const onlyOverdue: Consent = (transaction) =>
  transaction.commands.length === 1 && transaction.commandsOf(OverdueCommand).length === 1
    ? right(undefined)
    : left('a bank signs everything about its trades but that a payment is overdue')

export const bankApp = ({ payments, accepts = () => right(undefined) }: BankOptions): App =>
  defineApp({
    name: 'interest-rate-swap',
    states: [Swap],
    flows: [
      ...[Offer, acceptOffer(accepts), Fixing, AgreeFixing, Maturity, AgreeMaturity],
      ...[Query, FetchFix, AskToSign],
      ...paymentFlows(payments),
    ],
    agreesTo: { observe: onlyOverdue },
  })

/** A regulator is told of trades, and of nothing else. */
const onlySwaps: Consent = ({ inputs, outputs }) =>
  [...inputs, ...outputs].every(({ type }) => type === Swap.type)
    ? right(undefined)
    : left('a regulator looks at swaps alone')

/** Someone who holds copies of swaps and starts nothing: the flows that a swap asks for are not even there. */
export const observerApp = defineApp({
  name: 'swap-observer',
  states: [Swap],
  flows: [],
  agreesTo: { observe: onlySwaps },
})

/** A notary that sees which states are consumed, and nothing of what they are. */
export const notaryApp = defineApp({ name: 'notary', states: [], flows: [] })
