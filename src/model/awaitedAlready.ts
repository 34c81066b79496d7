/**
 * What a flow waits for although it is there already. Nothing would ever wake such a flow.
 */
import { showRef } from '../ledger/StateRef.js'
import type { Waiting } from '../log/events.js'
import type { Instant } from '../time/Instant.js'
import { sessionEnd, type Model } from './Model.js'
import { isWanted, type ModelFlow } from './ModelFlow.js'

const isThere = (
  { states, transactions, signals, flows, sessions, locks }: Model,
  id: string,
  wait: Waiting,
): boolean => {
  switch (wait.for) {
    case 'state':
      return [...states].some(
        // What another flow has reserved is left to it.
        ([ref, state]) =>
          state.consumed === undefined && (locks.get(ref) ?? id) === id && isWanted(wait, state.type, state),
      )
    case 'consumption':
      return states.get(showRef(wait.ref))?.consumed !== undefined
    case 'transaction':
      return transactions.has(wait.transaction)
    case 'signal':
      return signals.get(id)?.some(({ name, taken }) => !taken && name === wait.signal) === true
    case 'flow': {
      const status = flows.get(wait.flow)?.status
      return status !== 'continued' && flows.get(wait.flow)?.ended !== undefined
    }
    case 'message':
      return sessions.get(sessionEnd(wait))?.received.includes(wait.seq) === true
    default:
      return false
  }
}

/** What a flow that runs waits for in vain, at the end of a tick. One that is about to be woken looks for itself. */
export const awaitedAlready = (model: Model, flow: ModelFlow, at: Instant): readonly string[] =>
  flow.status !== 'running' || (flow.wakeAt !== undefined && flow.wakeAt <= at)
    ? []
    : flow.waits.filter((wait) => isThere(model, flow.id, wait)).map((wait) => wait.for)
