/**
 * The network for `carillon run samples/scheduled-transactions/node.ts`: its flows are there for `carillon start` and
 * over HTTP, and parties may send transactions through the gate.
 */
import { defineApp } from 'carillon'
import { scheduledTransactions } from './app.js'
import { gateOf } from './gate.js'
import { signaturesPanel } from './panel.js'

const network = scheduledTransactions()

export const app = defineApp({ ...network.app, flows: [...network.app.flows, gateOf(network)] })
export const panels = [signaturesPanel()]
export { endpoints } from './endpoints.js'
