/**
 * What makes the flows that wait for something findable when it is recorded: a topic, the fields that are compared, and
 * their values. Two waits have the same key exactly when the same thing ends both.
 */
import { canonicalText } from '../encoding/canonical.js'
import { storedValue, type IndexedValues } from '../ledger/IndexedValue.js'
import { showRef, type StateRef } from '../ledger/StateRef.js'
import type { Waiting, Waits } from '../log/events.js'

export type WaitKey = {
  /** What is waited for: states of a type, consumptions, transactions, ends of flows. */
  readonly topic: string
  /** The names of the indexed fields that are compared, in order, with spaces between them; empty when there are none. */
  readonly fields: string
  /** The key, the id or the ref that is waited for; or the values of the fields, as canonical text. */
  readonly value: string
}

/** The topic of a type of state. */
export const stateTopic = (type: string): string => `state ${type}`

/** The key under which a flow waits for the state of a type that has a key. */
export const keyOfStateKey = (type: string, key: string): WaitKey => ({
  topic: stateTopic(type),
  fields: '',
  value: key,
})

/** The key under which a flow waits for these fields of a state; undefined when the state lacks one of them. */
export const keyOfFields = (type: string, fields: string, indexed: IndexedValues): WaitKey | undefined => {
  const values: (string | number)[] = []
  for (const name of fields.split(' ')) {
    const value = indexed[name]
    if (value === undefined) return undefined
    values.push(storedValue(value))
  }
  return { topic: stateTopic(type), fields, value: canonicalText(values) }
}

export const keyOfConsumption = (ref: StateRef): WaitKey => ({
  topic: 'consumption',
  fields: '',
  value: showRef(ref),
})

export const keyOfTransaction = (id: string): WaitKey => ({ topic: 'transaction', fields: '', value: id })

export const keyOfFlow = (id: string): WaitKey => ({ topic: 'flow', fields: '', value: id })

/** Where a wait is to be found; undefined for one that is found otherwise. */
const keyOf = (waiting: Waiting): WaitKey | undefined => {
  switch (waiting.for) {
    case 'state': {
      const { type, key, where = {} } = waiting
      return key === undefined
        ? keyOfFields(type, Object.keys(where).sort().join(' '), where)
        : keyOfStateKey(type, key)
    }
    case 'consumption':
      return keyOfConsumption(waiting.ref)
    case 'transaction':
      return keyOfTransaction(waiting.transaction)
    case 'flow':
      return keyOfFlow(waiting.flow)
    default:
      return undefined
  }
}

/** Where the waits of a flow are to be found, each place once. */
export const waitKeysOf = (waits: Waits): readonly WaitKey[] => {
  const keys = new Map<string, WaitKey>()
  for (const waiting of waits) {
    const key = keyOf(waiting)
    if (key !== undefined) keys.set(canonicalText(key), key)
  }
  return [...keys.values()]
}
