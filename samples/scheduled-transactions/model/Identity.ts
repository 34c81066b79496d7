/**
 * When two creates are identical. Each policy has its own criteria; the hash finds candidates, and only equality makes
 * them identical. Under `merge` the identity is also what the signers of a schedule sign.
 */
import { createHash } from 'node:crypto'
import * as t from 'io-ts'
import { canonicalText, IntegerC, PartyC, PublicKeyC } from 'carillon'
import { record } from '../../shared/record.js'
import { AccountIDC, ScheduleIDC, type LedgerID } from './ids.js'
import { KeyTreeC } from './KeyTree.js'
import type { Schedule } from './Schedule.js'
import { withoutNonceZero } from './ScheduledBody.js'
import type { Settings } from './Settings.js'
import type { Span } from './SignatureMap.js'

const shared = { transactionBody: t.string, adminKey: t.union([KeyTreeC, t.null]), memo: t.string } as const

export const IdentityC = t.union(
  [
    t.readonly(t.strict({ ...shared, payer: AccountIDC })),
    t.readonly(t.strict({ ...shared, expirationTime: t.union([IntegerC, t.null]), waitForExpiry: t.boolean })),
  ],
  'Identity',
)
export type Identity = t.TypeOf<typeof IdentityC>

type Identifying = Pick<
  Schedule,
  'transactionBody' | 'adminKey' | 'memo' | 'payerAccountID' | 'expirationTime' | 'expirationGiven' | 'waitForExpiry'
>

export const identityOf = (schedule: Identifying, { onIdentical }: Pick<Settings, 'onIdentical'>): Identity => {
  const { adminKey, memo } = schedule
  const transactionBody = withoutNonceZero(schedule.transactionBody)
  if (onIdentical === 'merge') return { transactionBody, adminKey, memo, payer: schedule.payerAccountID }
  const expirationTime = schedule.expirationGiven ? schedule.expirationTime : null
  return { transactionBody, adminKey, memo, expirationTime, waitForExpiry: schedule.waitForExpiry }
}

export const isSame = (a: Identity, b: Identity): boolean => canonicalText(a) === canonicalText(b)

/** The signatures on an identity that count no more. */
export type Spent = {
  /** Those of a key: it has signed before, or the schedule was executed. */
  readonly isUsedUp: (key: string) => boolean
  /** Those made before the last such schedule had ended, recorded or not. */
  readonly isStale: (span: Span) => boolean
}

export const spentOn = (spent: IdentityEntry['spent'], identity: Identity): Spent => {
  const same = spent.filter((one) => isSame(one.identity, identity))
  const keys = new Set<string>(same.flatMap((one) => one.keys))
  const ended = Math.max(...same.map((one) => one.ended ?? -Infinity))
  return {
    isUsedUp: (key) => keys.has(key) || same.some(({ executed }) => executed === true),
    isStale: ({ from = -Infinity }) => ended > -Infinity && from <= ended,
  }
}

export type HashIdentity = (identity: Identity) => string

export const hashIdentity: HashIdentity = (identity) =>
  createHash('sha256').update(canonicalText(identity)).digest('hex')

/** What the signers of a schedule sign under policy `merge`, each for a span of his own. */
export const scheduleTextOf = (ledgerID: LedgerID, identity: Identity): ((span: Span) => string) => {
  const signed = {
    domain: 'scheduled-transactions/schedule',
    ledgerID,
    identity: { ...identity, transactionBody: withoutNonceZero(identity.transactionBody) },
  }
  return ({ from, until }) => canonicalText({ ...signed, from, until })
}

/** All that is known under one hash: the schedules an identical create would meet, and signatures that are used up. */
export const IdentityEntryC = record('IdentityEntry', {
  operator: PartyC,
  hash: t.string,
  schedules: t.readonlyArray(ScheduleIDC),
  spent: t.readonlyArray(
    t.readonly(
      t.intersection([
        t.strict({ identity: IdentityC, keys: t.readonlyArray(PublicKeyC) }),
        /** It has been executed, so nobody's signature on it counts any more; and the second in which it ended last. */
        t.exact(t.partial({ executed: t.literal(true), ended: IntegerC })),
      ]),
    ),
  ),
})
export type IdentityEntry = t.TypeOf<typeof IdentityEntryC>
