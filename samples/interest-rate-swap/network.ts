/**
 * The network of the sample, two banks, a notary, an oracle and a regulator; and how it is started in one process and
 * under a virtual clock.
 */
import { instant, type App, type Party, type StateRef } from 'carillon'
import { VirtualNetwork, type VirtualNetworkOptions } from 'carillon/testing'
import { bankApp, notaryApp, observerApp, type BankOptions } from './app.js'
import { PaymentsInMemory } from './flows/PaymentSystem.js'
import { Offer } from './flows/offer.js'
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
type Name = (typeof names)[keyof typeof names]

/** Who takes part, and as what. */
export const members = Object.values(names).map((name) => ({
  name,
  ...(name === names.notary ? { notary: 'nonValidating' as const } : {}),
}))

/** What each of them runs. */
export const appsFor = (options: BankOptions): Readonly<Record<Name, App>> => {
  const bank = bankApp(options)
  return {
    [names.fixedPayer]: bank,
    [names.floatingPayer]: bank,
    [names.notary]: notaryApp,
    [names.oracle]: oracleApp,
    [names.regulator]: observerApp,
  }
}

/** The day before the first fixing of the example trade. */
export const exampleBegins = instant('2016-03-08T00:00:00Z')

export type SwapNetworkOptions = Partial<Omit<VirtualNetworkOptions, 'parties'>> & { readonly bank?: BankOptions }

export const startSwapNetwork = ({
  bank = { payments: new PaymentsInMemory() },
  ...options
}: SwapNetworkOptions = {}): Promise<VirtualNetwork> => {
  const apps = appsFor(bank)
  const parties = members.map(({ name, ...notary }) => [name, { app: apps[name], ...notary }] as const)
  return VirtualNetwork.start({ start: exampleBegins, ...options, parties: Object.fromEntries(parties) })
}

export const partiesOf = (network: { readonly party: (name: string) => Party }): Parties => ({
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
