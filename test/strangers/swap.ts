/** The swap sample for simulations with a hostile member: banks that trade, and an oracle, in one app. */
import { defineApp, type Party } from 'carillon'
import type { Invariant, SimulationOptions, Turn } from 'carillon/testing'
import { bankApp } from '../../samples/interest-rate-swap/app.js'
import { Offer } from '../../samples/interest-rate-swap/flows/offer.js'
import { PaymentsInMemory } from '../../samples/interest-rate-swap/flows/PaymentSystem.js'
import { OverdueCommand } from '../../samples/interest-rate-swap/swap/SwapKind.js'
import { canonicalText } from '../../src/encoding/canonical.js'
import { Announce, oracleApp } from '../../samples/interest-rate-swap/oracle/app.js'
import { exampleRates, exampleTrade } from '../../samples/interest-rate-swap/trades.js'

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
  const terms = exampleTrade(
    { fixedPayer: node.party, floatingPayer: chance.pick(others), oracle: party('Oracle'), regulators: [] },
    '2016-09-12',
  )
  const tradeId = chance.pick(['one', 'two', 'three'])
  await start(Offer, { terms: { ...terms, common: { ...terms.common, tradeId } } })
}

/** A bank records what it has signed, and of what others tell it that a payment is overdue. */
const onlyOverdueObserved: Invariant = {
  name: 'a bank observes only that a payment is overdue',
  violations: ({ parties: all }) =>
    all.flatMap(({ name, log }) => {
      const observing = new Set<string>()
      const own = new Set<string>()
      return log.flatMap(({ event }) => {
        if (event.type === 'FlowStarted' && event.name === 'carillon/ReceiveBroadcast') observing.add(event.flow)
        if (event.type === 'TransactionSigned') own.add(event.id)
        if (event.type !== 'TransactionRecorded' || event.ancestor === true || own.has(event.id)) return []
        own.add(event.id)
        const isObserved = event.flow !== undefined && observing.has(event.flow)
        return !isObserved || canonicalText(event.body).includes(`"${OverdueCommand.type}"`)
          ? []
          : [`${name} has recorded ${event.id} because somebody sent it`]
      })
    }),
}

/** What `carillon simulate` reads beside the app. */
export const simulation: Omit<SimulationOptions, 'app'> = {
  ...{ parties, workload: trade, hostile: 1 },
  invariants: [onlyOverdueObserved],
}
export const swapSimulation: SimulationOptions = { app, ...simulation }
