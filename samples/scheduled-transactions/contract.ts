/**
 * What no transaction of the network may break, whatever a flow tries: money is moved and never made, consensus time
 * goes forwards, a signature counts only if it is here, and a schedule is executed once, when its keys are satisfied.
 */
import {
  allOf,
  defineContract,
  rule,
  type LedgerTransaction,
  type PublicKey,
  type Rule,
  type StateKind,
} from 'carillon'
import { isLeft } from 'fp-ts/lib/Either.js'
import { commands, kinds, purposes, type Purpose } from './kinds.js'
import { identityOf, scheduleTextOf, spentOn } from './model/Identity.js'
import { missingFrom, requiredKeys, type Lookup } from './model/Account.js'
import type { PastSchedule, Schedule } from './model/Schedule.js'
import { problemWith, type Settings } from './model/Settings.js'
import { witness, type SignatureMap } from './model/SignatureMap.js'
import { compare, type Timestamp } from './model/ids.js'
import { hasSigned, ScheduleCreateC, ScheduleSignC } from './model/TransactionBody.js'
import { signedTextOf, type SignedTransaction } from './model/TransactionBody.js'

type Submitted = SignedTransaction<unknown> | null

/** What the transaction finds: consumed or only read. */
const found = <A>(transaction: LedgerTransaction, kind: StateKind<A>): readonly A[] =>
  [...transaction.inputsOf(kind), ...transaction.referencesOf(kind)].map(({ data }) => data)
const consumed = <A>(transaction: LedgerTransaction, kind: StateKind<A>): readonly A[] =>
  transaction.inputsOf(kind).map(({ data }) => data)
const produced = <A>(transaction: LedgerTransaction, kind: StateKind<A>): readonly A[] =>
  transaction.outputsOf(kind).map(({ data }) => data)

/** The schedules that end with the transaction; others that are over may be cleared by it. */
const endedBy = (transaction: LedgerTransaction): readonly PastSchedule[] => {
  const cleared = new Set(consumed(transaction, kinds.past).map(({ schedule }) => schedule))
  return produced(transaction, kinds.past).filter(({ schedule }) => !cleared.has(schedule))
}

const total = (accounts: readonly { readonly balance: number }[]): number =>
  accounts.reduce((sum, { balance }) => sum + balance, 0)

/** The signatures on a schedule that were submitted, and the texts they are on. */
const signaturesFor = (
  schedule: Schedule | PastSchedule,
  submitted: Submitted,
  settings: Settings,
): { readonly pairs: SignatureMap; readonly text: Parameters<typeof witness>[2] } => {
  if (submitted === null) return { pairs: [], text: '' }
  if (settings.onIdentical === 'reject')
    return { pairs: submitted.sigMap, text: signedTextOf(settings.ledgerID, submitted.body) }
  const { operation } = submitted.body
  const pairs = ScheduleCreateC.is(operation) || ScheduleSignC.is(operation) ? (operation.sigMap ?? []) : []
  return { pairs, text: scheduleTextOf(settings.ledgerID, identityOf(schedule, settings)) }
}

/** "A signature counts only if it is here": whoever is new among the signers has signed what was submitted. */
const signerRules = (transaction: LedgerTransaction, submitted: Submitted, settings: Settings): readonly Rule[] => {
  const last = consumed(transaction, kinds.consensus)[0]?.last
  const before = new Map(consumed(transaction, kinds.signatories).map(({ schedule, keys }) => [schedule, keys]))
  const ended = endedBy(transaction)
  const here = [...found(transaction, kinds.schedule), ...produced(transaction, kinds.schedule), ...ended]
  const after = [
    ...produced(transaction, kinds.signatories),
    ...ended.map(({ schedule, signers }) => ({ schedule, keys: signers })),
  ]
  return after.flatMap(({ schedule: id, keys }) => {
    const schedule = here.find((each) => each.schedule === id)
    if (schedule === undefined) return [rule('signatories belong to a schedule that is here', false)]
    const known = new Set(before.get(id))
    const added = keys.filter((key) => !known.has(key))
    const { pairs, text } = signaturesFor(schedule, submitted, settings)
    const { signed } = witness(pairs, added, text)
    const spent = found(transaction, kinds.identity).flatMap((entry) => entry.spent)
    const { isUsedUp, isStale } = spentOn(spent, identityOf(schedule, settings))
    return [
      rule('nobody is a signer twice', new Set(keys).size === keys.length),
      rule(
        'no signer is forgotten',
        [...known].every((key) => keys.includes(key)),
      ),
      rule(
        'a new signer has signed what was submitted',
        added.every((key) => signed.has(key)),
      ),
      rule('a signature that was used up does not count again', !added.some(isUsedUp)),
      rule(
        'a signature made before an identical schedule had ended does not count',
        added.length === 0 || !pairs.some(isStale),
      ),
      rule(
        'a signature that had run out before does not count',
        last === undefined || pairs.every(({ until = Infinity }) => last.seconds <= until),
      ),
    ]
  })
}

const lookupIn = (transaction: LedgerTransaction): Lookup => {
  const accounts = new Map(found(transaction, kinds.account).map((account) => [account.accountID, account]))
  const topics = new Map(found(transaction, kinds.topic).map((topic) => [topic.topicID, topic]))
  return { account: (id) => accounts.get(id), topic: (id) => topics.get(id) }
}

const endRules = (
  transaction: LedgerTransaction,
  past: PastSchedule,
  purpose: Purpose | undefined,
  submitted: Submitted,
  settings: Settings,
): readonly Rule[] => {
  const isExpired = purpose === 'expire' && past.end.at.seconds >= past.expirationTime
  switch (past.end.as) {
    case 'executed': {
      const isCompleted = purpose === 'create' || purpose === 'sign' || (isExpired && settings.evaluateAtExpiry)
      const required = requiredKeys(past.payerAccountID, past.needs, lookupIn(transaction))
      const signers = new Set<PublicKey>(past.signers)
      return [
        rule('a schedule is executed when its time has come', past.waitForExpiry ? isExpired : isCompleted),
        rule(
          'a schedule is executed when its keys are satisfied',
          !isLeft(required) && missingFrom(required.right, signers) === undefined,
        ),
        rule(
          'an execution is recorded',
          produced(transaction, kinds.record).some(({ record }) => record.scheduleRef === past.schedule),
        ),
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
const scheduleRules = (
  transaction: LedgerTransaction,
  purpose: Purpose | undefined,
  submitted: Submitted,
  settings: Settings,
): readonly Rule[] => {
  const cleared = consumed(transaction, kinds.past).length
  const ended = endedBy(transaction)
  const endedIds = new Set(ended.map(({ schedule }) => schedule))
  return [
    rule('schedules are made by creates', purpose === 'create' || produced(transaction, kinds.schedule).length === 0),
    rule(
      'a schedule that is gone is history',
      consumed(transaction, kinds.schedule).every(({ schedule }) => endedIds.has(schedule)),
    ),
    rule('history stays', produced(transaction, kinds.past).length - ended.length === cleared),
    rule('history is only ever cleared', cleared === 0 || purpose === 'clear'),
    ...ended.flatMap((one) => endRules(transaction, one, purpose, submitted, settings)),
  ]
}

const timeRules = (transaction: LedgerTransaction, isGoverned: boolean): readonly Rule[] => {
  const [before] = consumed(transaction, kinds.consensus)
  const [after] = produced(transaction, kinds.consensus)
  const records = produced(transaction, kinds.record).map(({ record }) => record.consensusTimestamp)
  const isBetween = (time: Timestamp): boolean =>
    before !== undefined && after !== undefined && compare(time, before.last) > 0 && compare(time, after.last) <= 0
  return [
    rule('there is one sequence', isGoverned || (before === undefined) === (after === undefined)),
    rule(
      'consensus time goes forwards',
      before === undefined || after === undefined || compare(after.last, before.last) >= 0,
    ),
    rule('a number is given once', (after?.nextEntity ?? 0) >= (before?.nextEntity ?? 0)),
    rule('a record has a time of its own', records.every(isBetween)),
    rule('records stay', consumed(transaction, kinds.record).length === 0),
  ]
}

export const contract = defineContract({
  name: 'scheduled-transactions/Network',
  verify: (transaction) => {
    const stated = purposes.filter((purpose) => transaction.commandsOf(commands[purpose]).length > 0)
    const [purpose] = stated
    const isGoverned = purpose === 'govern'
    const submitted =
      purpose === undefined ? null : (transaction.commandsOf(commands[purpose])[0]?.data.submitted ?? null)
    const [network] = [...produced(transaction, kinds.network), ...found(transaction, kinds.network)]
    const [networkBefore] = consumed(transaction, kinds.network)
    const accounts = produced(transaction, kinds.account)
    return allOf([
      rule('a transaction of the network has one purpose', stated.length === 1),
      rule(
        'the operator signs',
        transaction.participants.every(({ key }) => transaction.signers.has(key)),
      ),
      rule(
        'money is only made when the network is opened',
        isGoverned || total(consumed(transaction, kinds.account)) === total(accounts),
      ),
      rule(
        'no account is overdrawn',
        accounts.every(({ balance }) => balance >= 0),
      ),
      ...timeRules(transaction, isGoverned),
      rule('the parameters are named, so that they can be looked up', network !== undefined),
      ...(network === undefined
        ? []
        : [
            rule('the parameters make sense', problemWith(network.settings) === undefined),
            rule(
              'a network keeps its ledger id',
              networkBefore === undefined || networkBefore.settings.ledgerID === network.settings.ledgerID,
            ),
            ...signerRules(transaction, submitted, network.settings),
            ...scheduleRules(transaction, purpose, submitted, network.settings),
          ]),
    ])
  },
})
