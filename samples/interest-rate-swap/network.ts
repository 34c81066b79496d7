/**
 * The network of the sample, in one process and under a virtual clock: two banks, a notary, an oracle and a regulator.
 */
import { instant, type Instant, type StateRef } from 'carillon'
import { VirtualNetwork, type Weather } from 'carillon/testing'
import { bankApp, notaryApp, observerApp } from './app.js'
import { PaymentsInMemory, type PaymentSystem } from './flows/PaymentSystem.js'
import { Offer, type Acceptance } from './flows/offer.js'
import { Announce, oracleApp } from './oracle/app.js'
import type { Fix } from './oracle/Fix.js'
import type { Terms } from './terms/Terms.js'
import type { Parties } from './trades.js'

export const names = {
  fixedPayer: 'Bank A',
  floatingPayer: 'Bank B',
  notary: 'Notary',
  oracle: 'Oracle',
  regulator: 'Regulator',
} as const

export type SwapNetworkOptions = {
  readonly start?: Instant
  readonly seed?: string
  readonly weather?: Weather
  readonly development?: boolean
  readonly payments?: PaymentSystem
  readonly accepts?: Acceptance
}

/** The day before the first fixing of the example trade. */
const defaultStart = instant('2016-03-08T00:00:00Z')

export const startSwapNetwork = ({
  payments = new PaymentsInMemory(),
  accepts,
  start = defaultStart,
  ...options
}: SwapNetworkOptions = {}): Promise<VirtualNetwork> => {
  const bank = { app: bankApp({ payments, ...(accepts === undefined ? {} : { accepts }) }) }
  return VirtualNetwork.start({
    parties: {
      [names.fixedPayer]: bank,
      [names.floatingPayer]: bank,
      [names.notary]: { app: notaryApp, notary: 'nonValidating' },
      [names.oracle]: { app: oracleApp },
      [names.regulator]: { app: observerApp },
    },
    start,
    ...options,
  })
}

export const partiesOf = (network: VirtualNetwork): Parties => ({
  fixedPayer: network.party(names.fixedPayer),
  floatingPayer: network.party(names.floatingPayer),
  oracle: network.party(names.oracle),
  regulators: [network.party(names.regulator)],
})

export const announce = async (network: VirtualNetwork, fixes: readonly Fix[]): Promise<void> => {
  await network.node(names.oracle).run(Announce, { fixes })
}

/** Has one bank offer a trade to the other, and gives the state once both hold it. */
export const agree = async (
  network: VirtualNetwork,
  terms: Terms,
  by: string = names.fixedPayer,
): Promise<StateRef> => {
  const offer = await network.node(by).start(Offer, { terms })
  await network.advanceBy({ minutes: 1 })
  return offer.result()
}
