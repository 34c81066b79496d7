/**
 * A bridge of five validators, each on a node of its own, and a network that releases assets when three of them have
 * seen the same deposit. One of them is offline for a day.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import { defineApp, instant, type FlowId } from 'carillon'
import { VirtualNetwork } from 'carillon/testing'
import { scheduledTransactions } from '../app.js'
import { ScheduleNetwork } from '../client/ScheduleNetwork.js'
import { Wallet } from '../client/Wallet.js'
import { gateOf, ResponseC } from '../gate.js'
import { thresholdKey } from '../model/KeyTree.js'
import { plain } from '../model/plain.js'
import { treasury } from '../model/Settings.js'
import { timestampOf } from '../model/Timestamp.js'
import type { Response } from '../model/TransactionRecord.js'
import { keyOfName } from '../story.js'
import { validatorWith, type Deposit } from './validator.js'

const readResponse = (result: unknown): Response => {
  const decoded = ResponseC.decode(result)
  if (isLeft(decoded)) throw new Error('The validator was answered something that is no response.')
  return decoded.right
}

const names = ['V1', 'V2', 'V3', 'V4', 'V5']

export const crossBridge = async (say: (line: string) => void): Promise<void> => {
  const ledger = scheduledTransactions()
  const gated = defineApp({ ...ledger.app, flows: [...ledger.app.flows, gateOf(ledger)] })
  const validators = new Map(names.map((name) => [name, validatorWith(keyOfName(name))]))
  const world = await VirtualNetwork.start({
    start: instant('2026-03-02T09:00Z'),
    parties: {
      Network: { app: gated },
      ...Object.fromEntries([...validators].map(([name, { app }]) => [name, { app }])),
    },
  })
  const clock = (): string => world.now.slice(0, 16).replace('T', ' ')
  const network = await ScheduleNetwork.open(world.node('Network'), ledger, { key: keyOfName('treasury').publicKey })
  let nanos = 0
  const bank = new Wallet(network.ledgerID, treasury, [keyOfName('treasury')], () => nanos++)
  const account = async (key: unknown, initialBalance: number): Promise<string> => {
    const operation = plain({ kind: 'cryptoCreateAccount', key, initialBalance })
    const { receipt } = await network.submit(bank.transaction(operation, timestampOf(world.now)))
    return receipt?.accountID ?? ''
  }
  const keys = names.map((name) => keyOfName(name).publicKey)
  const bridge = await account(thresholdKey(3, ...keys), 100_000)
  const accounts = new Map<string, string>()
  for (const name of names) accounts.set(name, await account(keyOfName(name).publicKey, 10_000))
  const dora = await account(keyOfName('Dora').publicKey, 0)
  const doras = async () => `Dora has ${await network.balance(dora)}`
  say(`The bridge pays from ${bridge}, for which three of five validators must sign. ${await doras()}.`)

  /** A validator sees a deposit; its word goes to the network when its node can. */
  const see = async (name: string, deposit: Deposit): Promise<FlowId> => {
    const validator = validators.get(name)
    if (validator === undefined) throw new Error(`There is no validator ${name}.`)
    const { ledgerID } = network
    const account = accounts.get(name) ?? ''
    const release = { deposit, network: world.party('Network'), bridge, ledgerID, account }
    return (await world.node(name).start(validator.Release, release)).id
  }
  const tell = async (name: string, flow: FlowId, deposit: Deposit): Promise<void> => {
    const { status, receipt, execution } = await world.node(name).resultOf(flow).then(readResponse)
    const made = receipt?.schedule === undefined ? status : `schedule ${receipt.schedule}`
    const executed = execution === undefined ? '' : ', executed'
    say(`  ${name}: deposit ${deposit.timestamp} → ${made}${executed}`)
  }
  const seeAll = async (which: readonly string[], deposit: Deposit): Promise<void> => {
    for (const name of which) {
      const flow = await see(name, deposit)
      await world.advanceBy({ seconds: 20 })
      await tell(name, flow, deposit)
    }
  }

  await world.crash('V5')
  say(`\n${clock()}  V5 goes offline. Dora deposits 500 on the other chain; V1 to V4 see it one after another.`)
  const first: Deposit = { to: dora, amount: 500, timestamp: 1_772_442_060 }
  await seeAll(['V1', 'V2', 'V3', 'V4'], first)
  say(`  ${await doras()}. V4 came after the third: what was executed is over, and its word counts for nothing.`)

  say(`\n${clock()}  Dora deposits 500 once more. Another timestamp is another nonce, and so another release.`)
  const second: Deposit = { ...first, timestamp: 1_772_442_720 }
  await seeAll(['V4', 'V2'], second)
  world.cut('V3', 'Network')
  const late = await see('V3', second)
  await world.advanceBy({ minutes: 20 })
  say(`${clock()}  V3 cannot reach the network. ${await doras()}.`)
  world.heal()
  await world.advanceBy({ minutes: 2 })
  await tell('V3', late, second)
  say(`${clock()}  V3 reaches it again, signs anew, and was the third. ${await doras()}.`)

  await world.advanceTo(instant('2026-03-03T09:05Z'))
  await world.restart('V5')
  say(`\n${clock()}  V5 is back after a day and works through yesterday's deposits.`)
  await seeAll(['V5'], first)
  await seeAll(['V5'], second)
  const isOnce = (await network.balance(dora)) === first.amount + second.amount
  say(
    `\n${clock()}  ${await doras()}: ${isOnce ? 'each deposit was released once' : 'NOT what was deposited'}. The bridge has ${await network.balance(bridge)}.`,
  )
  for (const name of [...names, 'Network']) await world.stop(name)
}
