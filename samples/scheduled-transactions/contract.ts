/**
 * What no transaction of the network may break, whatever a flow tries: money is moved and never made, consensus time
 * goes forwards, a signature counts only if it is here, and a schedule is executed once, when its keys are satisfied.
 */
import { allOf, defineContract, rule, type PublicKey, type Rule } from 'carillon'
import { isLeft } from 'fp-ts/lib/Either.js'
import { statesIn, type StatesIn } from '../shared/statesIn.js'
import { commands, kinds, purposes, type Purpose } from './kinds.js'
import { identityOf, scheduleTextOf, spentOn } from './model/Identity.js'
import { missingFrom, requiredKeys } from './model/Account.js'
import type { PastSchedule, Schedule } from './model/Schedule.js'
import { problemWith, type Settings } from './model/Settings.js'
import { witness, type SignatureMap } from './model/SignatureMap.js'
import { compare, type Timestamp } from './model/ids.js'
import { hasSigned, ScheduleCreateC, ScheduleSignC, signedTextOf } from './model/TransactionBody.js'
import type { SignedTransaction } from './model/TransactionBody.js'

/** A transaction of the ledger: its states, what it is for, what was submitted, and the parameters that hold for it. */
type Seen = StatesIn & {
  readonly purpose: Purpose | undefined
  readonly submitted: SignedTransaction<unknown> | null
  readonly settings: Settings
}

/** The schedules that end with the transaction; others that are over may be cleared by it. */
const endedBy = ({ consumed, produced }: Seen): readonly PastSchedule[] => {
  const cleared = new Set(consumed(kinds.past).map(({ schedule }) => schedule))
  return produced(kinds.past).filter(({ schedule }) => !cleared.has(schedule))
}

/** The signatures on a schedule that were submitted, and the texts they are on. */
const signaturesFor = (
  schedule: Schedule | PastSchedule,
  { submitted, settings }: Seen,
): { readonly pairs: SignatureMap; readonly text: Parameters<typeof witness>[2] } => {
  if (submitted === null) return { pairs: [], text: '' }
  if (settings.onIdentical === 'reject')
    return { pairs: submitted.sigMap, text: signedTextOf(settings.ledgerID, submitted.body) }
  const { operation } = submitted.body
  const pairs = ScheduleCreateC.is(operation) || ScheduleSignC.is(operation) ? (operation.sigMap ?? []) : []
  return { pairs, text: scheduleTextOf(settings.ledgerID, identityOf(schedule, settings)) }
}

/** "A signature counts only if it is here": whoever is new among the signers has signed what was submitted. */
const signerRules = (seen: Seen): readonly Rule[] => {
  const { consumed, produced, found, settings } = seen
  const last = consumed(kinds.consensus)[0]?.last
  const before = new Map(consumed(kinds.signatories).map(({ schedule, keys }) => [schedule, keys]))
  const ended = endedBy(seen)
  const here = [...found(kinds.schedule), ...produced(kinds.schedule), ...ended]
  const after = [...produced(kinds.signatories), ...ended.map(({ schedule, signers }) => ({ schedule, keys: signers }))]
  return after.flatMap(({ schedule: id, keys }) => {
    const schedule = here.find((each) => each.schedule === id)
    if (schedule === undefined) return [rule('signatories belong to a schedule that is here', false)]
    const known = new Set(before.get(id))
    const added = keys.filter((key) => !known.has(key))
    const { pairs, text } = signaturesFor(schedule, seen)
    const { signed } = witness(pairs, added, text)
    const spent = found(kinds.identity).flatMap((entry) => entry.spent)
    const { isUsedUp, isStale } = spentOn(spent, identityOf(schedule, settings))
    const hasAll = [...known].every((key) => keys.includes(key))
    const haveSigned = added.every((key) => signed.has(key))
    const isStillGood = pairs.every(({ until = Infinity }) => last === undefined || last.seconds <= until)
    return [
      rule('nobody is a signer twice', new Set(keys).size === keys.length),
      rule('no signer is forgotten', hasAll),
      rule('a new signer has signed what was submitted', haveSigned),
      rule('a signature that was used up does not count again', !added.some(isUsedUp)),
      rule(
        'a signature made before an identical schedule had ended does not count',
        added.length === 0 || !pairs.some(isStale),
      ),
      rule('a signature that had run out before does not count', isStillGood),
    ]
  })
}

const isSatisfied = ({ payerAccountID, needs, signers }: PastSchedule, { found }: Seen): boolean => {
  const accounts = new Map(found(kinds.account).map((account) => [account.accountID, account]))
  const topics = new Map(found(kinds.topic).map((topic) => [topic.topicID, topic]))
  const lookup = { account: (id: string) => accounts.get(id), topic: (id: string) => topics.get(id) }
  const required = requiredKeys(payerAccountID, needs, lookup)
  return !isLeft(required) && missingFrom(required.right, new Set<PublicKey>(signers)) === undefined
}

const endRules = (past: PastSchedule, seen: Seen): readonly Rule[] => {
  const { purpose, submitted, settings } = seen
  const isExpired = purpose === 'expire' && past.end.at.seconds >= past.expirationTime
  switch (past.end.as) {
    case 'executed': {
      const isCompleted = purpose === 'create' || purpose === 'sign' || (isExpired && settings.evaluateAtExpiry)
      const isRecorded = seen.produced(kinds.record).some(({ record }) => record.scheduleRef === past.schedule)
      return [
        rule('a schedule is executed when its time has come', past.waitForExpiry ? isExpired : isCompleted),
        rule('a schedule is executed when its keys are satisfied', isSatisfied(past, seen)),
        rule('an execution is recorded', isRecorded),
      ]
    }
    case 'deleted': {
      const { adminKey } = past
      const isSigned = adminKey !== null && submitted !== null && hasSigned(adminKey, submitted, settings)
      return [rule('a schedule is deleted by its admin key', purpose === 'delete' && isSigned)]
    }
    case 'expired':
      return [rule('a schedule expires at its expiration time', isExpired)]
  }
}

/** A schedule is made once and ends once. */
const scheduleRules = (seen: Seen): readonly Rule[] => {
  const { consumed, produced, purpose } = seen
  const cleared = consumed(kinds.past).length
  const ended = endedBy(seen)
  const endedIds = new Set(ended.map(({ schedule }) => schedule))
  const isHistory = consumed(kinds.schedule).every(({ schedule }) => endedIds.has(schedule))
  return [
    rule('schedules are made by creates', purpose === 'create' || produced(kinds.schedule).length === 0),
    rule('a schedule that is gone is history', isHistory),
    rule('history stays', produced(kinds.past).length - ended.length === cleared),
    rule('history is only ever cleared', cleared === 0 || purpose === 'clear'),
    ...ended.flatMap((one) => endRules(one, seen)),
  ]
}

const timeRules = ({ consumed, produced }: StatesIn, isGoverned: boolean): readonly Rule[] => {
  const [before] = consumed(kinds.consensus)
  const [after] = produced(kinds.consensus)
  const isForward = before === undefined || after === undefined || compare(after.last, before.last) >= 0
  const isBetween = (time: Timestamp): boolean =>
    before !== undefined && after !== undefined && compare(time, before.last) > 0 && compare(time, after.last) <= 0
  const haveTheirTimes = produced(kinds.record).every(({ record }) => isBetween(record.consensusTimestamp))
  return [
    rule('there is one sequence', isGoverned || (before === undefined) === (after === undefined)),
    rule('consensus time goes forwards', isForward),
    rule('a number is given once', (after?.nextEntity ?? 0) >= (before?.nextEntity ?? 0)),
    rule('a record has a time of its own', haveTheirTimes),
    rule('records stay', consumed(kinds.record).length === 0),
  ]
}

const total = (accounts: readonly { readonly balance: number }[]): number =>
  accounts.reduce((sum, { balance }) => sum + balance, 0)

export const contract = defineContract({
  name: 'scheduled-transactions/Network',
  verify: (transaction) => {
    const states = statesIn(transaction)
    const { consumed, produced, found } = states
    const stated = purposes.flatMap((purpose) =>
      transaction.commandsOf(commands[purpose]).map(({ data }) => ({ purpose, submitted: data.submitted })),
    )
    const [{ purpose, submitted } = { purpose: undefined, submitted: null }] = stated
    const isGoverned = purpose === 'govern'
    const [network] = [...produced(kinds.network), ...found(kinds.network)]
    const [networkBefore = network] = consumed(kinds.network)
    const accounts = produced(kinds.account)
    const isSigned = transaction.participants.every(({ key }) => transaction.signers.has(key))
    const isMoved = total(consumed(kinds.account)) === total(accounts)
    const isCovered = accounts.every(({ balance }) => balance >= 0)
    const rules = [
      rule('a transaction of the network has one purpose', new Set(stated.map((each) => each.purpose)).size === 1),
      rule('the operator signs', isSigned),
      rule('money is only made when the network is opened', isGoverned || isMoved),
      rule('no account is overdrawn', isCovered),
      ...timeRules(states, isGoverned),
      rule('the parameters are named, so that they can be looked up', network !== undefined),
    ]
    if (network === undefined) return allOf(rules)
    const { settings } = network
    const seen: Seen = { ...states, purpose, submitted, settings }
    return allOf([
      ...rules,
      rule('the parameters make sense', problemWith(settings) === undefined),
      rule('a network keeps its ledger id', networkBefore?.settings.ledgerID === settings.ledgerID),
      ...signerRules(seen),
      ...scheduleRules(seen),
    ])
  },
})
