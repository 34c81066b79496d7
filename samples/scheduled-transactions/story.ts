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
import type { SignatureMap } from './model/SignatureMap.js'
import type { TransactionRecord } from './model/TransactionRecord.js'

/** A key by name, so that the story is the same every time. */
export const keyOfName = (name: string) => keyPairFromSeed(createHash('sha256').update(name).digest('hex'))

const show = ({ transactionID, consensusTimestamp, receipt, scheduleRef }: TransactionRecord): string => {
  const schedule = scheduleRef === undefined ? '' : `, schedule ${scheduleRef}`
  const at = showTimestamp(consensusTimestamp)
  return `id ${showTransactionID(transactionID)}, consensus time ${at}, ${receipt.status}${schedule}`
}

export const tellStory = async (say: (line: string) => void): Promise<void> => {
  const app = scheduledTransactions()
  const virtual = await VirtualNode.start({ app: app.app, start: instant('2026-03-02T09:00Z'), party: 'Operator' })
  const root = keyOfName('treasury')
  const network = await ScheduleNetwork.open(virtual.node, app, { key: root.publicKey })
  const { buckets, txExpiryTimeSecs } = defaultSettings
  const { ofTheUsualLifetime, inAll } = maxPendingTxns(defaultSettings)
  say(`A network that takes ${buckets['scheduleCreate']} creates a second and keeps a schedule for`)
  say(`${txExpiryTimeSecs} seconds never has more than ${ofTheUsualLifetime.toLocaleString('en')} of them`)
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

  const transfers = [
    { accountID: alice.accountID, amount: -100 },
    { accountID: bob.accountID, amount: -50 },
    { accountID: carol.accountID, amount: -25 },
    { accountID: treasury, amount: 175 },
  ]
  const body = transactionBody({ kind: 'cryptoTransfer', transfers })
  const identity: Identity = { transactionBody: body, payer: alice.accountID, adminKey: null, memo: '' }
  const signatureOf = (wallet: Wallet) => wallet.signatures(identity, now())
  const create = (sigMap: SignatureMap) =>
    network.create(alice.transaction({ kind: 'scheduleCreate', transactionBody: body, sigMap }, now()))

  say('\nAlice schedules a transfer of 100 of hers, 50 of Bob’s and 25 of Carol’s, and signs it.')
  const created = await create(signatureOf(alice))
  const scheduleID = created.receipt?.schedule ?? ''
  if (created.record !== undefined) say(`  X  ${show(created.record)}; the receipt names schedule ${scheduleID}`)

  const sign = (wallet: Wallet) =>
    network.sign(wallet.transaction({ kind: 'scheduleSign', scheduleID, sigMap: signatureOf(wallet) }, now()))
  await virtual.advanceTo(plus(virtual.now, { minutes: 4 }))
  say('\nFour minutes later Bob signs.')
  const { record: bobs } = await sign(bob)
  if (bobs !== undefined) say(`  Z  ${show(bobs)}`)
  const { info } = await network.info(scheduleID)
  say(`     ${info?.signers.length} of 3 have signed. ${await balances()}.`)

  await virtual.advanceTo(plus(virtual.now, { minutes: 20 }))
  say('\nTwenty minutes later Carol signs. Hers was the last signature, so there are two records, a nanosecond apart.')
  const { record: carols, execution } = await sign(carol)
  if (carols !== undefined) say(`  U  ${show(carols)}`)
  if (execution !== undefined) say(`  X  ${show(execution)}`)
  for (const { accountID, amount } of execution?.transferList ?? [])
    say(`       ${accountID} ${amount > 0 ? '+' : ''}${amount}`)
  say(`     ${await balances()}.`)

  say(`\nGet info now answers ${(await network.info(scheduleID)).status}; the history still knows everything:`)
  const { end, signers } = (await network.history(scheduleID)).history ?? {}
  const at = end === undefined || end === null ? '?' : showTimestamp(end.at)
  say(`     ${end?.as} with ${end?.result} at ${at}, signed by ${signers?.length}`)
  const replayed = await create([alice, bob, carol].flatMap(signatureOf))
  say(`     The same three signatures sent again: ${replayed.status}.`)
  await virtual.stop()
}
