/**
 * Alice, Bob and Carol: a transfer that needs all three of them. The last signature executes it in its own commit, and
 * the network tells of it in two records.
 */
import { instant, plus } from 'carillon'
import { keyPairFromSeed, VirtualNode } from 'carillon/testing'
import { createHash } from 'node:crypto'
import { scheduledTransactions } from './app.js'
import { ScheduleNetwork } from './client/ScheduleNetwork.js'
import { Wallet } from './client/Wallet.js'
import type { Identity } from './model/Identity.js'
import { transactionBody } from './model/ScheduledBody.js'
import { defaultSettings, maxPendingTxns, treasury } from './model/Settings.js'
import { showTimestamp, showTransactionID, timestampOf } from './model/ids.js'
import type { TransactionRecord } from './model/TransactionRecord.js'

/** A key by name, so that the story is the same every time. */
export const keyOfName = (name: string) => keyPairFromSeed(createHash('sha256').update(name).digest('hex'))

const show = ({ transactionID, consensusTimestamp, receipt, scheduleRef }: TransactionRecord): string =>
  [
    `id ${showTransactionID(transactionID)}`,
    `consensus time ${showTimestamp(consensusTimestamp)}`,
    receipt.status,
    ...(scheduleRef === undefined ? [] : [`schedule ${scheduleRef}`]),
  ].join(', ')

export const tellStory = async (say: (line: string) => void): Promise<void> => {
  const app = scheduledTransactions()
  const virtual = await VirtualNode.start({ app: app.app, start: instant('2026-03-02T09:00Z'), party: 'Operator' })
  const root = keyOfName('treasury')
  const network = await ScheduleNetwork.open(virtual.node, app, { key: root.publicKey })
  const { ofTheUsualLifetime, inAll } = maxPendingTxns(defaultSettings)
  say(`A network that takes ${defaultSettings.buckets['scheduleCreate']} creates a second and keeps a schedule for`)
  say(
    `${defaultSettings.txExpiryTimeSecs} seconds never has more than ${ofTheUsualLifetime.toLocaleString('en')} of them`,
  )
  say(`pending; with those that chose a later second there are ${inAll.toLocaleString('en')} at most.\n`)

  let nanos = 0
  const now = () => timestampOf(virtual.now)
  const bank = new Wallet(network.ledgerID, treasury, [root], () => nanos++)
  const person = async (name: string): Promise<Wallet> => {
    const key = keyOfName(name)
    const id = await network.openAccount(bank, key.publicKey, 1_000, now())
    return new Wallet(network.ledgerID, id, [key], () => nanos++)
  }
  const alice = await person('Alice')
  const bob = await person('Bob')
  const carol = await person('Carol')
  const balances = async () => {
    const all = await Promise.all([alice, bob, carol].map(({ accountID }) => network.balance(accountID)))
    return `Alice has ${all[0]}, Bob ${all[1]}, Carol ${all[2]}`
  }
  say(`${await balances()}.`)

  const body = transactionBody({
    kind: 'cryptoTransfer',
    transfers: [
      { accountID: alice.accountID, amount: -100 },
      { accountID: bob.accountID, amount: -50 },
      { accountID: carol.accountID, amount: -25 },
      { accountID: treasury, amount: 175 },
    ],
  })
  const identity: Identity = { transactionBody: body, payer: alice.accountID, adminKey: null, memo: '' }
  const signatureOf = (wallet: Wallet) => wallet.signatures(identity, now())

  say('\nAlice schedules a transfer of 100 of hers, 50 of Bob’s and 25 of Carol’s, and signs it.')
  const create = { kind: 'scheduleCreate', transactionBody: body, sigMap: signatureOf(alice) } as const
  const created = await network.create(alice.transaction(create, now()))
  const scheduleID = created.receipt?.schedule ?? ''
  if (created.record !== undefined) say(`  X  ${show(created.record)}; the receipt names schedule ${scheduleID}`)

  await virtual.advanceTo(plus(virtual.now, { minutes: 4 }))
  say('\nFour minutes later Bob signs.')
  const byBob = { kind: 'scheduleSign', scheduleID, sigMap: signatureOf(bob) } as const
  const bobs = await network.sign(bob.transaction(byBob, now()))
  if (bobs.record !== undefined) say(`  Z  ${show(bobs.record)}`)
  const { info } = await network.info(scheduleID)
  say(`     ${info?.signers.length} of 3 have signed. ${await balances()}.`)

  await virtual.advanceTo(plus(virtual.now, { minutes: 20 }))
  say('\nTwenty minutes later Carol signs. Hers was the last signature, so there are two records, a nanosecond apart.')
  const byCarol = { kind: 'scheduleSign', scheduleID, sigMap: signatureOf(carol) } as const
  const carols = await network.sign(carol.transaction(byCarol, now()))
  if (carols.record !== undefined) say(`  U  ${show(carols.record)}`)
  if (carols.execution !== undefined) {
    say(`  X  ${show(carols.execution)}`)
    for (const { accountID, amount } of carols.execution.transferList)
      say(`       ${accountID} ${amount > 0 ? '+' : ''}${amount}`)
  }
  say(`     ${await balances()}.`)

  say(`\nGet info now answers ${(await network.info(scheduleID)).status}; the history still knows everything:`)
  const { history } = await network.history(scheduleID)
  say(
    `     ${history?.end?.as} with ${history?.end?.result} at ${history === undefined || history.end === null ? '?' : showTimestamp(history.end.at)}, signed by ${history?.signers.length}`,
  )
  const again = { ...create, sigMap: [...signatureOf(alice), ...signatureOf(bob), ...signatureOf(carol)] }
  const replayed = await network.create(alice.transaction(again, now()))
  say(`     The same three signatures sent again: ${replayed.status}.`)
  await virtual.stop()
}
