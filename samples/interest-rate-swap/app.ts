/**
 * The apps of the network: banks that trade, and a regulator that looks on. The oracle has an app of its own, and the
 * notary needs to know nothing of swaps.
 */
import { defineApp, type App } from 'carillon'
import { right } from 'fp-ts/lib/Either.js'
import { AgreeFixing, Fixing } from './flows/fixing.js'
import { AgreeMaturity, Maturity } from './flows/maturity.js'
import { acceptOffer, Offer, type Acceptance } from './flows/offer.js'
import { DeclareOverdue, paymentFlows } from './flows/payment.js'
import type { PaymentSystem } from './flows/PaymentSystem.js'
import { confirmSettlement } from './flows/settle.js'
import { AskToSign, FetchFix, Query } from './oracle/ask.js'
import { Swap } from './swap/Swap.js'

export type BankOptions = {
  /** How money is sent, and how its arrival is seen. */
  readonly payments: PaymentSystem
  /** Which offers the bank accepts. Default: all whose schedules are right. */
  readonly accepts?: Acceptance
}

export const bankApp = ({ payments, accepts = () => right(undefined) }: BankOptions): App => {
  const { Settle, Payment, PaymentOverdue } = paymentFlows(payments)
  return defineApp({
    name: 'interest-rate-swap',
    states: [Swap],
    flows: [
      Offer,
      acceptOffer(accepts),
      Fixing,
      AgreeFixing,
      Query,
      FetchFix,
      AskToSign,
      Payment,
      PaymentOverdue,
      Settle,
      confirmSettlement(payments),
      DeclareOverdue,
      Maturity,
      AgreeMaturity,
    ],
  })
}

/** Someone who holds copies of swaps and starts nothing: the flows that a swap asks for are not even there. */
export const observerApp = defineApp({ name: 'swap-observer', states: [Swap], flows: [] })

/** A notary that sees which states are consumed, and nothing of what they are. */
export const notaryApp = defineApp({ name: 'notary', states: [], flows: [] })
