/**
 * An operation as its record knows it: a label for people, and a digest of its arguments to compare with.
 */
import { canonicalText } from '../encoding/canonical.js'
import { sha256 } from '../encoding/hash.js'
import { showRef } from '../ledger/StateRef.js'
import { sealBody } from '../ledger/Transaction.js'
import { describeDraft } from '../vault/decideTransaction.js'
import type { Operation } from './Operation.js'

export type Description = { readonly kind: string; readonly label: string; readonly digest: string }

const longestLabel = 200

const labelOf = (operation: Operation): string => {
  switch (operation.kind) {
    case 'load':
      return `load ${operation.definition.type} ${showRef(operation.ref)}`
    case 'find':
      return `find ${operation.definition.type} "${operation.key}"`
    case 'query':
    case 'queryPage':
      return `query ${operation.definition.type}, at most ${operation.query.limit}`
    case 'lock':
    case 'unlock':
      return `${operation.kind} ${operation.refs.length} ${operation.refs.length === 1 ? 'state' : 'states'}`
    case 'kill':
      return `kill the flow of ${showRef(operation.ref)}`
    case 'now':
      return 'now'
    case 'newId':
      return 'newId'
    case 'step':
      return `step "${operation.name}"`
    case 'sleep':
      return `sleep ${operation.durationMs} ms`
    case 'sleepUntil':
      return `sleepUntil ${operation.until}`
    case 'finalise': {
      const { inputs, outputs, commands } = operation.draft
      return `finalise ${commands.map(({ type }) => type).join(', ')}: ${inputs.length} consumed, produces ${outputs.map(({ definition }) => definition.type).join(', ') || 'nothing'}`
    }
    case 'sign':
      return `sign ${sealBody(operation.signed.body).id}`
    case 'signId':
      return `sign ${operation.id}, having seen a part`
    case 'changeNotary':
      return `change of notary to ${operation.notary.name}, ${operation.refs.length} ${operation.refs.length === 1 ? 'state' : 'states'}`
    case 'takeHistory':
      return `receive history from ${operation.party}`
    case 'dependencies':
      return 'see which dependencies are missing'
    case 'check':
      return 'check a transaction'
    case 'record':
      return `record ${operation.transactions.length} ${operation.transactions.length === 1 ? 'transaction' : 'transactions'}`
    case 'walk':
      return 'walk back through history'
    case 'parents':
      return 'see what transactions build on'
    case 'vend':
      return 'send history'
    case 'notaryRequest':
      return 'prepare a request to the notary'
    case 'notarise':
      return `notarise for ${operation.caller.name}`
    case 'enter':
      return `sub-flow ${operation.flow}`
    case 'initiate':
      return `initiate ${operation.flow} with ${operation.party.name}`
    case 'send':
      return `send to ${operation.party}`
    case 'receive':
      return `receive from ${operation.party}`
    case 'close':
      return 'close session'
    case 'progress':
      return `progress "${operation.label}"`
  }
}

const inputTexts = new WeakMap<Operation, string>()

/** The input of a sub-flow as text, as it is when the sub-flow is entered: its code may change what it was given. */
export const inputTextOf = (operation: Extract<Operation, { readonly kind: 'enter' }>): string => {
  const known = inputTexts.get(operation)
  if (known !== undefined) return known
  const text = canonicalText(operation.input)
  inputTexts.set(operation, text)
  return text
}

/** What beyond the label tells two operations apart. */
const detailOf = (operation: Operation): string => {
  switch (operation.kind) {
    case 'finalise':
      return describeDraft(operation.draft)
    case 'query':
    case 'queryPage': {
      // The limit is in the label already; a query that asks for nothing more is described as it always was.
      const asked = Object.entries(operation.query).filter(([name]) => name !== 'limit')
      return asked.length === 0 ? '' : canonicalText(Object.fromEntries(asked))
    }
    case 'lock':
    case 'unlock':
      return operation.refs.map(showRef).join(' ')
    case 'enter':
      return inputTextOf(operation)
    case 'changeNotary':
      return `${operation.notary.key} ${operation.refs.map(showRef).join(' ')}`
    case 'parents':
      return canonicalText(operation.ids)
    case 'dependencies':
    case 'check':
    case 'notaryRequest':
      return sealBody(operation.signed.body).id
    case 'record':
      return operation.transactions.map(({ body }) => sealBody(body).id).join(' ')
    case 'walk':
      return canonicalText(operation.frontier)
    case 'vend':
      return canonicalText(operation.ids)
    case 'notarise':
      return canonicalText(operation.request)
    case 'initiate':
      return `${operation.session} ${operation.party.key} ${operation.version}`
    case 'send':
      return `${operation.session} ${operation.payload}`
    case 'receive':
    case 'takeHistory':
      return `${operation.session} ${operation.seq}`
    case 'close':
      return operation.session
    default:
      return ''
  }
}

/** A label of bounded length that can be recorded, whatever the app wrote. */
export const clipLabel = (text: string): string =>
  (text.length <= longestLabel ? text : `${text.slice(0, longestLabel - 1)}…`).toWellFormed()

export const describeOperation = (operation: Operation): Description => {
  try {
    const label = labelOf(operation)
    return {
      kind: operation.kind,
      label: clipLabel(label),
      digest: sha256(`${label}\n${detailOf(operation)}`).slice(0, 16),
    }
  } catch {
    // The flow asked for something that makes no sense and was told so; its record still says that it asked.
    return { kind: 'nonsense', label: 'an operation that cannot be described', digest: sha256('nonsense').slice(0, 16) }
  }
}

/** The first way in which code and record differ, as a sentence; undefined when they agree. */
export const differenceBetween = (
  position: number,
  recorded: { readonly kind: string; readonly label: string; readonly digest: string },
  coded: Description,
): string | undefined => {
  if (recorded.digest === coded.digest && recorded.kind === coded.kind) return undefined
  const same = recorded.label === coded.label ? ', with other arguments' : ''
  return `operation ${position} was recorded as ${recorded.label}; the code now asks for ${coded.label}${same}`
}
