/**
 * Names and codecs of everything on the ledger. The contract and the states both need them, and neither may import
 * the other.
 */
import { AccountC, TopicC } from './model/Account.js'
import { ConsensusC } from './model/Consensus.js'
import { IdentityEntryC } from './model/Identity.js'
import { CallC, ExpirySecondC, PastScheduleC, ScheduleC, SignatoriesC } from './model/Schedule.js'
import { NetworkC } from './model/Settings.js'
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
