/**
 * The treasurer: transfers that need Alice, Bob and Carol. One of the three signs every few seconds; now and then Carol
 * does not come, and the transfer expires. Whoever signs looks only at what is pending, so a restart changes nothing.
 */
import { join } from 'node:path'
import { instantFromMillis, startNode } from 'carillon'
import type { KeyPair } from 'carillon/keys'
import { scheduledTransactions } from '../scheduled-transactions/app.js'
import { ScheduleNetwork } from '../scheduled-transactions/client/ScheduleNetwork.js'
import { Wallet } from '../scheduled-transactions/client/Wallet.js'
import { endpoints } from '../scheduled-transactions/endpoints.js'
import { timestampOf, type AccountID } from '../scheduled-transactions/model/ids.js'
import { identityOf } from '../scheduled-transactions/model/Identity.js'
import type { Schedule as ScheduleData } from '../scheduled-transactions/model/Schedule.js'
import { transactionBody } from '../scheduled-transactions/model/ScheduledBody.js'
import { defaultSettings, treasury } from '../scheduled-transactions/model/Settings.js'
import { signaturesPanel } from '../scheduled-transactions/panel.js'
import { Account, Schedule, Signatories } from '../scheduled-transactions/states.js'
import { keyOfName } from '../scheduled-transactions/story.js'
import { alone, repeat, type Household } from './Household.js'

const people = ['Alice', 'Bob', 'Carol'] as const
const actsEveryMs = 4_000
const pendingWanted = 3
const lifeSeconds = 75
const settings = { ...defaultSettings, txExpiryTimeSecs: lifeSeconds }
const wealth = 50_000_000

type Person = { readonly name: string; readonly key: KeyPair; readonly wallet: Wallet }

/** Every fourth transfer is one that Carol has forgotten about. */
const isForgottenByCarol = ({ schedule }: ScheduleData): boolean => Number(schedule.split('.').at(-1)) % 4 === 0

export const openSignatures = async (folder: string, onTrouble: (error: unknown) => void): Promise<Household> => {
  const store = join(folder, 'signatures')
  const app = scheduledTransactions()
  const node = await startNode({ app: app.app, store, party: 'Treasurer' })
  const root = keyOfName('treasury')
  const network = await ScheduleNetwork.open(node, app, { key: root.publicKey, settings })
  const now = () => timestampOf(instantFromMillis(node.nowMs))
  const bank = new Wallet(network.ledgerID, treasury, [root])
  const accounts = new Map((await node.states(Account)).map(({ data }) => [data.key, data.accountID]))
  const accountOf = async (key: KeyPair): Promise<AccountID> => {
    const known = accounts.get(key.publicKey)
    return known ?? network.openAccount(bank, key.publicKey, wealth, now())
  }
  const persons: Person[] = []
  for (const name of people) {
    const key = keyOfName(name)
    persons.push({ name, key, wallet: new Wallet(network.ledgerID, await accountOf(key), [key]) })
  }

  const create = async (): Promise<void> => {
    const [alice] = persons
    if (alice === undefined) return
    const { seconds, nanos } = now()
    const amounts = persons.map((_, index) => 5 * (1 + ((seconds + index * 7) % 20)))
    const body = transactionBody(
      {
        kind: 'cryptoTransfer',
        transfers: [
          ...persons.map(({ wallet }, index) => ({ accountID: wallet.accountID, amount: -(amounts[index] ?? 0) })),
          { accountID: treasury, amount: amounts.reduce((sum, amount) => sum + amount, 0) },
        ],
      },
      // Two transfers of the same amounts are two: each has a number of its own.
      { nonce: (seconds % 1_000_000) * 1_000 + Math.floor(nanos / 1_000_000) },
    )
    const identity = { transactionBody: body, payer: alice.wallet.accountID, adminKey: null, memo: '' }
    const sigMap = alice.wallet.signatures(identity, now())
    await network.create(alice.wallet.transaction({ kind: 'scheduleCreate', transactionBody: body, sigMap }, now()))
  }

  const signNext = async (pending: readonly ScheduleData[]): Promise<void> => {
    for (const schedule of pending) {
      const signed = new Set((await node.find(Signatories, schedule.schedule))?.data.keys)
      const next = persons.find(({ key }) => !signed.has(key.publicKey))
      if (next === undefined || (next.name === 'Carol' && isForgottenByCarol(schedule))) continue
      const sigMap = next.wallet.signatures(identityOf(schedule, settings), now())
      const operation = { kind: 'scheduleSign' as const, scheduleID: schedule.schedule, sigMap }
      await network.sign(next.wallet.transaction(operation, now()))
      return
    }
  }

  const visits = repeat(
    actsEveryMs,
    async () => {
      const pending = (await node.states(Schedule)).map(({ data }) => data)
      if (pending.length < pendingWanted) await create()
      else await signNext(pending)
    },
    onTrouble,
  )
  const names = new Map<AccountID, string>([
    [treasury, 'Treasury'],
    ...persons.map(({ name, wallet }): [AccountID, string] => [wallet.accountID, name]),
  ])
  const served = { node, panels: [signaturesPanel(() => names)], endpoints }
  return alone({ served, store, about: 'transfers that wait for three signatures' }, visits)
}
