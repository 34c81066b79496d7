/**
 * Accounts hold keys and balances; topics hold messages in order. A deleted account keeps its key, so that what it
 * signed before still counts.
 */
import * as t from 'io-ts'
import { IntegerC, PartyC } from 'carillon'
import { AccountIDC, TopicIDC } from './EntityId.js'
import { KeyTreeC } from './KeyTree.js'

export const AccountC = t.readonly(
  t.strict({
    operator: PartyC,
    accountID: AccountIDC,
    key: KeyTreeC,
    balance: IntegerC,
    /** Whether whoever pays into the account needs its signature. */
    receiverSigRequired: t.boolean,
    deleted: t.boolean,
  }),
  'Account',
)
export type Account = t.TypeOf<typeof AccountC>

export const TopicC = t.readonly(
  t.strict({
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
  }),
  'Topic',
)
export type Topic = t.TypeOf<typeof TopicC>
