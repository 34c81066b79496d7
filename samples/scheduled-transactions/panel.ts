/**
 * Scheduled transactions on the dashboard: who has signed each, whose signature is missing, when it expires, and how
 * the last ones ended. What is missing is computed against the keys as they are now, as the network itself does.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import type { Node, PublicKey } from 'carillon'
import { definePanel, type Block, type Cell, type Panel, type Tone } from 'carillon/http'
import { countOf, facts, table } from '../shared/panel.js'
import { askedBy, requiredKeys } from './model/Account.js'
import type { Account as AccountData, Lookup, Topic as TopicData } from './model/Account.js'
import { instantOfSecond, type AccountID } from './model/ids.js'
import { isSignedBy, primitivesOf, type KeyTree } from './model/KeyTree.js'
import type { End, PastSchedule as Past, Schedule as ScheduleData } from './model/Schedule.js'
import { parseBody } from './model/ScheduledBody.js'
import { AccountAmountC } from './model/TransactionRecord.js'
import { Account, PastSchedule, Schedule, Signatories, Topic } from './states.js'

const pendingShown = 60
const endedShown = 20

/** What people call accounts; an account without a name is known by its id. */
export type AccountNames = () => ReadonlyMap<AccountID, string>

/** Accounts and topics of some schedules, looked up once. */
const lookupFor = async (node: Node, schedules: readonly ScheduleData[]): Promise<Lookup> => {
  const accounts = new Map<string, AccountData | undefined>()
  const topics = new Map<string, TopicData | undefined>()
  for (const { payerAccountID, needs } of schedules) {
    for (const id of [payerAccountID, ...needs.accounts, ...needs.receivers])
      if (!accounts.has(id)) accounts.set(id, (await node.find(Account, id))?.data)
    for (const id of [...needs.topics, ...needs.topicAdmins])
      if (!topics.has(id)) topics.set(id, (await node.find(Topic, id))?.data)
  }
  return { account: (id) => accounts.get(id), topic: (id) => topics.get(id) }
}

/** The keys of everybody who is asked, by name, each once. */
const keysByName = (
  { payerAccountID, needs }: ScheduleData,
  lookup: Lookup,
  nameOf: (id: AccountID) => string,
): ReadonlyMap<string, KeyTree> => {
  const payer = { who: payerAccountID, key: lookup.account(payerAccountID)?.key }
  const asked = [payer, ...askedBy(needs, lookup)]
  return new Map(
    asked.flatMap(({ who, key }) => (key === null || key === undefined ? [] : [[nameOf(who), key] as const])),
  )
}

/** `Alice`, or for a key of many `Alice (2 of its 5 keys)` while that is not enough. */
const missingWords = (who: string, key: KeyTree, signers: ReadonlySet<PublicKey>): string => {
  const keys = primitivesOf([key])
  const given = keys.filter((each) => signers.has(each)).length
  return keys.length === 1 ? who : `${who} (${given} of its ${keys.length} keys)`
}

const TransfersC = t.readonlyArray(AccountAmountC)

/** What a schedule is about: its memo, or who gives and who gets. */
const wordsFor = ({ memo, transactionBody }: ScheduleData, nameOf: (id: AccountID) => string): string => {
  if (memo !== '') return memo
  const operation = parseBody(transactionBody)?.operation
  const transfers: unknown = operation?.['transfers']
  if (!TransfersC.is(transfers)) return operation?.kind ?? 'cannot be read'
  return transfers
    .map(({ accountID, amount }) => {
      const sign = amount > 0 ? '+' : '−'
      return `${nameOf(accountID)} ${sign}${Math.abs(amount).toLocaleString('en')}`
    })
    .join(', ')
}

const pendingRow = async (node: Node, schedule: ScheduleData, lookup: Lookup, nameOf: (id: AccountID) => string) => {
  const signers = new Set((await node.find(Signatories, schedule.schedule))?.data.keys)
  const asked = [...keysByName(schedule, lookup, nameOf)]
  const given = asked.filter(([, key]) => isSignedBy(key, signers))
  const missing = asked.filter((each) => !given.includes(each))
  const isKnown = !isLeft(requiredKeys(schedule.payerAccountID, schedule.needs, lookup))
  const share: Cell = { share: given.length / asked.length, text: `${given.length} of ${asked.length}` }
  const ready: Cell = { lamp: 'green', text: schedule.waitForExpiry ? 'ready, waits for its time' : 'ready' }
  const unknown: Cell = { lamp: 'red', text: 'nobody can tell who must sign' }
  return {
    key: schedule.schedule,
    cells: {
      schedule: schedule.schedule,
      what: wordsFor(schedule, nameOf),
      signed: !isKnown ? unknown : missing.length === 0 ? ready : share,
      by: given.map(([who]) => who).join(', '),
      missing: missing.map(([who, key]) => missingWords(who, key, signers)).join(', '),
      expires: { instant: instantOfSecond(schedule.expirationTime) },
    },
  }
}

const endTones: Readonly<Record<End['as'], Tone>> = { executed: 'green', deleted: 'grey', expired: 'amber' }

const endedRow = (past: Past, nameOf: (id: AccountID) => string) => ({
  key: past.schedule,
  cells: {
    schedule: past.schedule,
    what: wordsFor(past, nameOf),
    ended: {
      lamp: past.end.result === null || past.end.result === 'SUCCESS' ? endTones[past.end.as] : ('red' as const),
      text: past.end.as,
    },
    result: past.end.result,
    at: { instant: instantOfSecond(past.end.at.seconds) },
    signers: past.signers.length,
  },
})

/** The panel of a network; `names` says what its people are called. */
export const signaturesPanel = (names: AccountNames = () => new Map()): Panel =>
  definePanel({
    name: 'signatures',
    title: 'Scheduled transactions',
    summary: 'Transactions that wait for signatures: the last one executes.',
    permissions: { view: 'view' },
    read: async (node): Promise<readonly Block[]> => {
      const known = names()
      const nameOf = (id: AccountID): string => known.get(id) ?? id
      const pending = (await node.states(Schedule, { limit: pendingShown })).map(({ data }) => data)
      const lookup = await lookupFor(node, pending)
      const rows = await Promise.all(pending.map((schedule) => pendingRow(node, schedule, lookup, nameOf)))
      const ended = await node.query(PastSchedule, { sort: { by: 'recorded', descending: true }, limit: endedShown })
      return [
        facts({
          Pending: await countOf(node, Schedule.type),
          Ended: await countOf(node, PastSchedule.type),
          Accounts: await countOf(node, Account.type),
        }),
        table(
          { schedule: 'Schedule', what: 'What', signed: 'Signed', by: 'By', missing: 'Missing', expires: 'Expires' },
          { title: 'Pending, oldest first', rows, empty: 'No transaction waits for signatures.' },
        ),
        table(
          { schedule: 'Schedule', what: 'What', ended: 'Ended', result: 'Result', signers: 'Signatures', at: 'When' },
          {
            title: 'Ended, newest first',
            right: ['signers'],
            rows: ended.items.map(({ data }) => endedRow(data, nameOf)),
            empty: 'None has ended yet.',
          },
        ),
      ]
    },
  })
