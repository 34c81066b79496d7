/**
 * What the ledger holds for the network, and under which key. A pending schedule knows when it expires; one that is
 * history may still have to be cleared; a called flow is to be run. Nothing else is ever due.
 */
import { none, some } from 'fp-ts/lib/Option.js'
import { activity, defineState, type FlowRef, type Party } from 'carillon'
import { contract } from './contract.js'
import { kinds } from './kinds.js'
import { instantOfSecond, type ScheduleID } from './model/ids.js'

const participants = ({ operator }: { readonly operator: Party }): readonly Party[] => [operator]
const governed = { contract, participants }

/** Flows by name: states may not import the flows that use them. */
export const expireName = 'scheduled-transactions/Expire'
export const clearName = 'scheduled-transactions/Clear'
export const callName = 'scheduled-transactions/Call'
const on = (name: string, schedule: ScheduleID): FlowRef => ({ name, input: { schedule } })

export const theNetwork = 'network'
export const Network = defineState({ ...kinds.network, ...governed, key: () => theNetwork })

export const theConsensus = 'consensus'
export const Consensus = defineState({ ...kinds.consensus, ...governed, key: () => theConsensus })

export const Account = defineState({ ...kinds.account, ...governed, key: ({ accountID }) => accountID })
export const Topic = defineState({ ...kinds.topic, ...governed, key: ({ topicID }) => topicID })

export const Schedule = defineState({
  ...kinds.schedule,
  ...governed,
  key: ({ schedule }) => schedule,
  nextScheduledActivity: ({ schedule, expirationTime }) =>
    some(activity(instantOfSecond(expirationTime), on(expireName, schedule))),
})
export const Signatories = defineState({ ...kinds.signatories, ...governed, key: ({ schedule }) => schedule })
export const PastSchedule = defineState({
  ...kinds.past,
  ...governed,
  key: ({ schedule }) => schedule,
  nextScheduledActivity: ({ schedule, keptUntil }) =>
    keptUntil === null ? none : some(activity(instantOfSecond(keptUntil), on(clearName, schedule))),
})
export const IdentityEntry = defineState({ ...kinds.identity, ...governed, key: ({ hash }) => hash })
export const ExpirySecond = defineState({ ...kinds.second, ...governed, key: ({ second }) => String(second) })

export const Record = defineState({ ...kinds.record, ...governed, key: ({ id }) => id })
export const Call = defineState({
  ...kinds.call,
  ...governed,
  key: ({ schedule }) => schedule,
  nextScheduledActivity: ({ schedule, calledAt }) =>
    some(activity(instantOfSecond(calledAt.seconds), on(callName, schedule))),
})

export const states = [
  ...[Network, Consensus, Account, Topic, Schedule, Signatories],
  ...[PastSchedule, IdentityEntry, ExpirySecond, Record, Call],
]
