/**
 * A bridge of five validators, each on a node of its own, and a network that releases assets when three of them
 * have seen the same deposit. One of them is offline for a day. A validator keeps at it until the network has
 * taken its word, over restarts of either.
 */
import { defineApp, defineFlow, instant, IntegerC, PartyC, type FlowBody, type Json } from 'carillon'
import type { KeyPair } from 'carillon/keys'
import { VirtualNetwork } from 'carillon/testing'
import type * as t from 'io-ts'
import { record } from '../shared/record.js'
import { scheduledTransactions } from './app.js'
import { ScheduleNetwork } from './client/ScheduleNetwork.js'
import { Wallet } from './client/Wallet.js'
import { gateOf, Send } from './gate.js'
import type { Identity } from './model/Identity.js'
import { thresholdKey, type KeyTree } from './model/KeyTree.js'
import { transactionBody } from './model/ScheduledBody.js'
import { treasury } from './model/Settings.js'
import type { Response } from './model/TransactionRecord.js'
import { AccountIDC, LedgerIDC, timestampOf, type AccountID, type Timestamp } from './model/ids.js'
import { plain } from '../shared/plain.js'
import { keyOfName } from './story.js'

const ReleaseC = record('Release', {
  /** Money that a user has locked on the other chain, and when. */
  deposit: record('Deposit', { to: AccountIDC, amount: IntegerC, timestamp: IntegerC }),
  /** The network's party. */
  network: PartyC,
  /** The account the bridge pays from; its key is a threshold of the validators' keys. */
  bridge: AccountIDC,
  /** The network whose ledger the bridge is on. */
  ledgerID: LedgerIDC,
  /** The validator's own account, which pays for what it sends. */
  account: AccountIDC,
})
type Release = t.TypeOf<typeof ReleaseC>
type Deposit = Release['deposit']

/**
 * "Validators of the bridge will create Scheduled Transactions for releasing assets to users by populating the
 * timestamp of the ETH transaction in the nonce": two equal deposits are two releases, and one deposit is one.
 */
const signRelease = ({ deposit, bridge, account, ledgerID }: Release, key: KeyPair, now: Timestamp): Json => {
  const { to, amount, timestamp } = deposit
  const transfers = [
    { accountID: bridge, amount: -amount },
    { accountID: to, amount },
  ]
  const body = transactionBody({ kind: 'cryptoTransfer', transfers }, { nonce: timestamp })
  const wallet = new Wallet(ledgerID, account, [key])
  // All validators name the same payer, or their creates would not be identical.
  const identity: Identity = { transactionBody: body, payer: bridge, adminKey: null, memo: '' }
  const sigMap = wallet.signatures(identity, now)
  return plain(wallet.transaction({ kind: 'scheduleCreate', transactionBody: body, payer: bridge, sigMap }, now))
}

/** What may be different the next time: a message may take a day, and a transaction is valid for minutes. */
const mayPass = new Set(['BUSY', 'TRANSACTION_EXPIRED'])

const validatorWith = (name: string) => {
  const key = keyOfName(name)
  const Release = defineFlow({
    name: 'bridge/Release',
    input: ReleaseC,
    *run(io, release): FlowBody<Response> {
      for (;;) {
        const now = timestampOf(yield* io.now())
        // The key is no part of the flow's record; what it has signed is.
        const signed = yield* io.step('sign', () => signRelease(release, key, now))
        const response = yield* io.subFlow(Send, { network: release.network, signed })
        if (!mayPass.has(response.status)) return response
        yield* io.sleep({ seconds: 30 })
      }
    },
  })
  const app = defineApp({ name: 'bridge-validator', version: '1.0.0', states: [], flows: [Send, Release] })
  return { name, key, app, Release }
}

export const crossBridge = async (say: (line: string) => void): Promise<void> => {
  const ledger = scheduledTransactions()
  const gated = defineApp({ ...ledger.app, flows: [...ledger.app.flows, gateOf(ledger)] })
  const validators = ['V1', 'V2', 'V3', 'V4', 'V5'].map(validatorWith)
  const world = await VirtualNetwork.start({
    start: instant('2026-03-02T09:00Z'),
    parties: { Network: { app: gated }, ...Object.fromEntries(validators.map(({ name, app }) => [name, { app }])) },
  })
  const clock = (): string => world.now.slice(0, 16).replace('T', ' ')
  const network = await ScheduleNetwork.open(world.node('Network'), ledger, { key: keyOfName('treasury').publicKey })
  let nanos = 0
  const bank = new Wallet(network.ledgerID, treasury, [keyOfName('treasury')], () => nanos++)
  const account = (key: KeyTree, balance: number): Promise<AccountID> =>
    network.openAccount(bank, key, balance, timestampOf(world.now))
  const bridge = await account(thresholdKey(3, ...validators.map(({ key }) => key.publicKey)), 100_000)
  const accounts = new Map<string, AccountID>()
  for (const { name, key } of validators) accounts.set(name, await account(key.publicKey, 10_000))
  const dora = await account(keyOfName('Dora').publicKey, 0)
  const doras = async () => `Dora has ${await network.balance(dora)}`
  say(`The bridge pays from ${bridge}, for which three of five validators must sign. ${await doras()}.`)

  /** A validator sees a deposit; its word goes to the network when its node can. Gives how to tell what came of it. */
  const see = async (seer: string, deposit: Deposit): Promise<() => Promise<void>> => {
    const validator = validators.find(({ name }) => name === seer)
    if (validator === undefined) throw new Error(`There is no validator ${seer}.`)
    const { ledgerID } = network
    const release = { deposit, network: world.party('Network'), bridge, ledgerID, account: accounts.get(seer) ?? '' }
    const started = await world.node(seer).start(validator.Release, release)
    return async () => {
      const { status, receipt, execution } = await started.result()
      const made = receipt?.schedule === undefined ? status : `schedule ${receipt.schedule}`
      say(`  ${seer}: deposit ${deposit.timestamp} → ${made}${execution === undefined ? '' : ', executed'}`)
    }
  }
  const seeAll = async (which: readonly string[], deposit: Deposit): Promise<void> => {
    for (const name of which) {
      const tell = await see(name, deposit)
      await world.advanceBy({ seconds: 20 })
      await tell()
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
  await late()
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
  for (const name of world.names) await world.stop(name)
}
