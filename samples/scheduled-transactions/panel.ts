/**
 * Scheduled transactions on the dashboard: who has signed each, whose signature is missing, when it expires, and how
 * the last ones ended. What is missing is computed against the keys as they are now, as the network itself does.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import type { Node, PublicKey } from 'carillon'
import { definePanel, type Block, type Cell, type Panel, type Tone } from 'carillon/http'
import { countOf, table } from '../shared/panel.js'
import { requiredKeys, type Account as AccountData, type Lookup, type Topic as TopicData } from './model/Account.js'
import { instantOfSecond, type AccountID } from './model/ids.js'
import { isSignedBy, primitivesOf, type KeyTree } from './model/KeyTree.js'
import type { End, PastSchedule as Past, Schedule as ScheduleData } from './model/Schedule.js'
import { parseBody } from './model/ScheduledBody.js'
import { Account, PastSchedule, Schedule, Signatories, Topic } from './states.js'

const pendingShown = 60
const endedShown = 20

/** What people call accounts; an account without a name is known by its id. */
export type AccountNames = () => ReadonlyMap<AccountID, string>

type Asked = { readonly who: string; readonly key: KeyTree }

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

/** Everybody who is asked, by name, each once. */
const askedFor = (
  { payerAccountID, needs }: ScheduleData,
  lookup: Lookup,
  nameOf: (id: AccountID) => string,
): readonly Asked[] => {
  const accounts = [
    payerAccountID,
    ...needs.accounts,
    ...needs.receivers.filter((id) => lookup.account(id)?.receiverSigRequired === true),
  ]
  const topicKey = (id: string, key: KeyTree | null | undefined, what: string): readonly Asked[] =>
    key === null || key === undefined ? [] : [{ who: `${what} of ${id}`, key }]
  return [
    ...[...new Set(accounts)].flatMap((id) => {
      const key = lookup.account(id)?.key
      return key === undefined ? [] : [{ who: nameOf(id), key }]
    }),
    ...needs.topics.flatMap((id) => topicKey(id, lookup.topic(id)?.submitKey, 'submit key')),
    ...needs.topicAdmins.flatMap((id) => topicKey(id, lookup.topic(id)?.adminKey, 'admin key')),
    ...needs.keys.map((key, index) => ({ who: `key ${index + 1}`, key })),
  ]
}

/** `Alice`, or for a key of many `Alice (2 of its 5 keys)` while that is not enough. */
const missingWords = ({ who, key }: Asked, signers: ReadonlySet<PublicKey>): string => {
  const keys = primitivesOf([key])
  const given = keys.filter((each) => signers.has(each)).length
  return keys.length === 1 ? who : `${who} (${given} of its ${keys.length} keys)`
}

const operationWords = (body: string, nameOf: (id: AccountID) => string): string => {
  const operation = parseBody(body)?.operation
  if (operation === undefined) return 'cannot be read'
  const transfers = operation['transfers']
  if (!Array.isArray(transfers)) return operation.kind
  return transfers
    .map((entry) => {
      const { accountID, amount } = entry as { readonly accountID: string; readonly amount: number }
      return `${nameOf(accountID)} ${amount > 0 ? '+' : '−'}${Math.abs(amount).toLocaleString('en')}`
    })
    .join(', ')
}

const pendingRow = async (node: Node, schedule: ScheduleData, lookup: Lookup, nameOf: (id: AccountID) => string) => {
  const signers = new Set((await node.find(Signatories, schedule.schedule))?.data.keys)
  const asked = askedFor(schedule, lookup, nameOf)
  const missing = asked.filter(({ key }) => !isSignedBy(key, signers))
  const isKnown = !isLeft(requiredKeys(schedule.payerAccountID, schedule.needs, lookup))
  const signed: Cell = !isKnown
    ? { lamp: 'red', text: 'nobody can tell who must sign' }
    : missing.length === 0
      ? { lamp: 'green', text: schedule.waitForExpiry ? 'ready, waits for its time' : 'ready' }
      : {
          share: (asked.length - missing.length) / asked.length,
          text: `${asked.length - missing.length} of ${asked.length}`,
        }
  return {
    key: schedule.schedule,
    cells: {
      schedule: schedule.schedule,
      what: schedule.memo === '' ? operationWords(schedule.transactionBody, nameOf) : schedule.memo,
      signed,
      by: asked
        .filter((each) => !missing.includes(each))
        .map(({ who }) => who)
        .join(', '),
      missing: missing.map((each) => missingWords(each, signers)).join(', '),
      expires: { instant: instantOfSecond(schedule.expirationTime) },
    },
  }
}

const endTones: Readonly<Record<End['as'], Tone>> = { executed: 'green', deleted: 'grey', expired: 'amber' }

const endedRow = (past: Past, nameOf: (id: AccountID) => string) => ({
  key: past.schedule,
  cells: {
    schedule: past.schedule,
    what: past.memo === '' ? operationWords(past.transactionBody, nameOf) : past.memo,
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
        {
          kind: 'facts',
          facts: [
            { label: 'Pending', value: await countOf(node, Schedule.type) },
            { label: 'Ended', value: await countOf(node, PastSchedule.type) },
            { label: 'Accounts', value: await countOf(node, Account.type) },
          ],
        },
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
