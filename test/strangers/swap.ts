/** The swap sample for simulations with a hostile member: banks that trade, and an oracle, in one app. */
import { defineApp, type Party } from 'carillon'
import type { SimulationOptions, Turn } from 'carillon/testing'
import { bankApp } from '../../samples/interest-rate-swap/app.js'
import { Offer } from '../../samples/interest-rate-swap/flows/offer.js'
import { PaymentsInMemory } from '../../samples/interest-rate-swap/flows/PaymentSystem.js'
import { Announce } from '../../samples/interest-rate-swap/oracle/Announce.js'
import { oracleApp } from '../../samples/interest-rate-swap/oracle/app.js'
import { exampleRates } from '../../samples/interest-rate-swap/trades/exampleRates.js'
import { shortTrade } from '../../samples/interest-rate-swap/trades/exampleTrade.js'

const bank = bankApp({ payments: new PaymentsInMemory() })

export const app = defineApp({
  name: 'swaps-and-rates',
  states: [...bank.states, ...oracleApp.states],
  flows: [...bank.flows, ...oracleApp.flows],
  agreesTo: bank.agreesTo,
})

const parties = ['Bank A', 'Bank B', 'Oracle']

const trade = async ({ chance, parties: all, name, node, start }: Turn): Promise<void> => {
  const party = (wanted: string): Party => all.find((one) => one.name === wanted) ?? node.party
  if (name === 'Oracle') {
    await start(Announce, { fixes: chance.some(exampleRates, 8) })
    return
  }
  const others = all.filter((one) => one.name !== name && one.name !== 'Oracle')
  const terms = shortTrade(
    { fixedPayer: node.party, floatingPayer: chance.pick(others), oracle: party('Oracle'), regulators: [] },
    '2016-09-12',
  )
  const tradeId = chance.pick(['one', 'two', 'three'])
  await start(Offer, { terms: { ...terms, common: { ...terms.common, tradeId } } })
}

/** What `carillon simulate` reads beside the app. */
export const simulation: Omit<SimulationOptions, 'app'> = { parties, workload: trade, hostile: 1 }
export const swapSimulation: SimulationOptions = { app, ...simulation }
