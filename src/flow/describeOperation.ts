/**
 * An operation as its record knows it: a label for people, and a digest of its arguments to compare with.
 */
import { canonicalText } from '../encoding/canonical.js'
import { sha256 } from '../encoding/hash.js'
import { showRef } from '../ledger/StateRef.js'
import { describeDraft } from '../vault/decideTransaction.js'
import type { Operation } from './Operation.js'

export type Description = { readonly kind: Operation['kind']; readonly label: string; readonly digest: string }

const longestLabel = 200

const labelOf = (operation: Operation): string => {
  switch (operation.kind) {
    case 'load':
      return `load ${operation.definition.type} ${showRef(operation.ref)}`
    case 'find':
      return `find ${operation.definition.type} "${operation.key}"`
    case 'query':
      return `query ${operation.definition.type}, at most ${operation.limit}`
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
    case 'enter':
      return `sub-flow ${operation.flow}`
    case 'progress':
      return `progress "${operation.label}"`
  }
}

/** What beyond the label tells two operations apart. */
const detailOf = (operation: Operation): string => {
  switch (operation.kind) {
    case 'finalise':
      return describeDraft(operation.draft)
    case 'enter':
      return canonicalText(operation.input)
    default:
      return ''
  }
}

const clip = (text: string): string =>
  (text.length <= longestLabel ? text : `${text.slice(0, longestLabel - 1)}…`).toWellFormed()

export const describeOperation = (operation: Operation): Description => {
  const label = labelOf(operation)
  return { kind: operation.kind, label: clip(label), digest: sha256(`${label}\n${detailOf(operation)}`).slice(0, 16) }
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
