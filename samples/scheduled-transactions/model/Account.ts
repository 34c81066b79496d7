/**
 * Accounts hold keys and balances, topics hold messages in order; and whose signatures an operation needs: a
 * function of what it says, without a look at the ledger. Which keys these are is looked up each time somebody
 * asks, because keys change.
 */
import { left, right, type Either } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { IntegerC, PartyC, type PublicKey } from 'carillon'
import { record } from '../../shared/record.js'
import { isSignedBy, KeyTreeC, primitivesOf, type KeyTree } from './KeyTree.js'
import { AccountIDC, TopicIDC, type AccountID, type TopicID } from './ids.js'

/** A deleted account keeps its key, so that what it signed before still counts. */
export const AccountC = record('Account', {
  operator: PartyC,
  accountID: AccountIDC,
  key: KeyTreeC,
  balance: IntegerC,
  /** Whether whoever pays into the account needs its signature. */
  receiverSigRequired: t.boolean,
  deleted: t.boolean,
})
export type Account = t.TypeOf<typeof AccountC>

export const TopicC = record('Topic', {
  operator: PartyC,
  topicID: TopicIDC,
  /** Who may delete or change the topic; null: nobody. */
  adminKey: t.union([KeyTreeC, t.null]),
  /** Who may submit; null: anybody. */
  submitKey: t.union([KeyTreeC, t.null]),
  sequenceNumber: IntegerC,
  /** Over all messages so far. */
  runningHash: t.string,
  deleted: t.boolean,
})
export type Topic = t.TypeOf<typeof TopicC>

/** Whose signatures an operation needs. */
export const NeedsC = record('Needs', {
  /** Accounts that must sign. */
  accounts: t.readonlyArray(AccountIDC),
  /** Accounts that must sign if they want to be asked before they receive. */
  receivers: t.readonlyArray(AccountIDC),
  /** Topics whose submit key must sign, if they have one. */
  topics: t.readonlyArray(TopicIDC),
  /** Topics whose admin key must sign. */
  topicAdmins: t.readonlyArray(TopicIDC),
  /** Keys that must sign. */
  keys: t.readonlyArray(KeyTreeC),
})
export type Needs = t.TypeOf<typeof NeedsC>

export const needs = (some: Partial<Needs>): Needs => ({
  accounts: [],
  receivers: [],
  topics: [],
  topicAdmins: [],
  keys: [],
  ...some,
})

/** How many accounts and topics a transaction may name: all of them are part of one commit. */
export const mostNamed = 900

/** Whether a transaction names more accounts and topics than one commit can look at. */
export const namesTooMany = ({ accounts, receivers, topics, topicAdmins }: Needs): boolean =>
  new Set([...accounts, ...receivers, ...topics, ...topicAdmins]).size > mostNamed

/** The ledger as far as it is needed here. */
export type Lookup = {
  readonly account: (id: AccountID) => Account | undefined
  readonly topic: (id: TopicID) => Topic | undefined
}

/** Somebody who is asked to sign; of what is unknown the key is undefined, and null where none is needed. */
type Asked = { readonly who: string; readonly key: KeyTree | null | undefined }

/** Everybody who is asked besides the payer, with the key trees of today. */
export const askedBy = (
  { accounts, receivers, topics, topicAdmins, keys }: Needs,
  lookup: Lookup,
): readonly Asked[] => {
  const receiverKey = (id: AccountID): KeyTree | null | undefined => {
    const account = lookup.account(id)
    return account?.receiverSigRequired === false ? null : account?.key
  }
  const topic = (id: TopicID): Topic | undefined => {
    const found = lookup.topic(id)
    return found?.deleted === true ? undefined : found
  }
  return [
    ...keys.map((key, index) => ({ who: `key ${index + 1}`, key })),
    ...accounts.map((id) => ({ who: id, key: lookup.account(id)?.key })),
    ...receivers.map((id) => ({ who: id, key: receiverKey(id) })),
    ...topics.map((id) => ({ who: `submit key of ${id}`, key: topic(id)?.submitKey })),
    ...topicAdmins.map((id) => ({ who: `admin key of ${id}`, key: topic(id)?.adminKey })),
  ]
}

export type RequiredKeys = { readonly payer: KeyTree; readonly others: readonly KeyTree[] }

/** The key trees that must be satisfied now; an entity that is unknown makes it impossible to say. */
export const requiredKeys = (
  payerID: AccountID,
  needed: Needs,
  lookup: Lookup,
): Either<'UNRESOLVABLE_REQUIRED_SIGNERS', RequiredKeys> => {
  const payer = lookup.account(payerID)?.key
  const others = askedBy(needed, lookup).map(({ key }) => key)
  if (payer === undefined || others.includes(undefined)) return left('UNRESOLVABLE_REQUIRED_SIGNERS')
  return right({ payer, others: others.filter((key) => key !== null && key !== undefined) })
}

/** Every primitive key that occurs somewhere in the required trees. */
export const primitivesIn = ({ payer, others }: RequiredKeys): readonly PublicKey[] => primitivesOf([payer, ...others])

/** What is missing: the payer's signature, another one, or nothing. */
export const missingFrom = (
  { payer, others }: RequiredKeys,
  signers: ReadonlySet<PublicKey>,
): 'INVALID_PAYER_SIGNATURE' | 'INVALID_SIGNATURE' | undefined => {
  if (!isSignedBy(payer, signers)) return 'INVALID_PAYER_SIGNATURE'
  return others.every((tree) => isSignedBy(tree, signers)) ? undefined : 'INVALID_SIGNATURE'
}
