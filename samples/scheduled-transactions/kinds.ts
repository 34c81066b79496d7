/**
 * Names and codecs of everything on the ledger, and what a transaction on it is for. The contract and the states
 * both need them, and neither may import the other. A command carries what was submitted, so that the signatures
 * it relies on can be checked by anybody, at any time.
 */
import * as t from 'io-ts'
import { defineCommand } from 'carillon'
import { AccountC, TopicC } from './model/Account.js'
import { ConsensusC } from './model/Consensus.js'
import { IdentityEntryC } from './model/Identity.js'
import { CallC, ExpirySecondC, PastScheduleC, ScheduleC, SignatoriesC } from './model/Schedule.js'
import { NetworkC } from './model/Settings.js'
import { SubmittedC } from './model/TransactionBody.js'
import { RecordC } from './model/TransactionRecord.js'

export const kinds = {
  network: { type: 'scheduled-transactions/Network', data: NetworkC },
  consensus: { type: 'scheduled-transactions/Consensus', data: ConsensusC },
  account: { type: 'scheduled-transactions/Account', data: AccountC },
  topic: { type: 'scheduled-transactions/Topic', data: TopicC },
  schedule: { type: 'scheduled-transactions/Schedule', data: ScheduleC },
  signatories: { type: 'scheduled-transactions/Signatories', data: SignatoriesC },
  past: { type: 'scheduled-transactions/PastSchedule', data: PastScheduleC },
  identity: { type: 'scheduled-transactions/IdentityEntry', data: IdentityEntryC },
  second: { type: 'scheduled-transactions/ExpirySecond', data: ExpirySecondC },
  record: { type: 'scheduled-transactions/Record', data: RecordC },
  call: { type: 'scheduled-transactions/Call', data: CallC },
} as const

const command = (name: string) =>
  defineCommand({
    type: `scheduled-transactions/${name}`,
    data: t.readonly(t.strict({ submitted: t.union([SubmittedC, t.null]) })),
  })

export const commands = {
  /** The operator's word: open the network, change its parameters. */
  govern: command('Govern'),
  create: command('Create'),
  sign: command('Sign'),
  delete: command('Delete'),
  /** Any other transaction. */
  submit: command('Submit'),
  /** A schedule has reached its expiration time. */
  expire: command('Expire'),
  /** A schedule that is history is forgotten by its identity. */
  clear: command('Clear'),
  /** A called flow has ended. */
  settle: command('Settle'),
  /** A question was asked, which takes its place in a bucket. */
  query: command('Query'),
} as const

export type Purpose = keyof typeof commands
export const purposes: readonly Purpose[] = [
  ...(['govern', 'create', 'sign', 'delete', 'submit', 'expire', 'clear', 'settle', 'query'] as const),
]
