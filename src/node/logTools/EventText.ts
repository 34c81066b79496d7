/**
 * An event of the log read in place: its type, and of a transaction the pieces its id is made of, as they stand in the
 * text. Nothing is decoded that need not be, which is what makes the check of a long log quick.
 */
import { Encoded } from '../../encoding/canonical.js'
import { readCanonical, type CanonicalReader } from '../../encoding/CanonicalReader.js'
import type { Components } from '../../ledger/componentTree.js'

export type TransactionText = {
  readonly components: Components
  /** Canonical text of the keys that must sign for each command. */
  readonly signers: string
  /** Canonical text of the notary, and whether it must sign. */
  readonly notary: string
  readonly needsNotary: boolean
}

export type EventText = {
  readonly type: string
  /** What a TransactionRecorded says beside its body. */
  readonly id?: string
  readonly assessments?: number
  /** Whether it brings signatures of its own. */
  readonly isSigned?: boolean
  readonly transaction?: TransactionText
}

const readList = (reader: CanonicalReader): readonly Encoded[] => {
  const elements: Encoded[] = []
  reader.list(() => {
    elements.push(new Encoded(reader.value()))
  })
  return elements
}

const readBody = (reader: CanonicalReader): TransactionText | undefined => {
  const lists: Record<string, readonly Encoded[]> = {}
  const texts: Record<string, string> = {}
  reader.object((key) => {
    if (key === 'commands' || key === 'inputs' || key === 'outputs' || key === 'references')
      lists[key] = readList(reader)
    else if (key === 'salt') texts[key] = reader.string()
    else texts[key] = reader.value()
  })
  const { commands, inputs, outputs, references } = lists
  const { newNotary, notary, salt, signers, timeWindow } = texts
  if (commands === undefined || inputs === undefined || outputs === undefined || references === undefined)
    return undefined
  if (notary === undefined || salt === undefined || signers === undefined) return undefined
  return {
    components: {
      inputs,
      references,
      outputs,
      commands,
      signers: new Encoded(signers),
      notary: new Encoded(notary),
      newNotary: newNotary === undefined ? undefined : new Encoded(newNotary),
      salt,
      timeWindow: timeWindow === undefined ? undefined : new Encoded(timeWindow),
    },
    signers,
    notary,
    needsNotary: inputs.length > 0 || references.length > 0 || timeWindow !== undefined,
  }
}

/** Reads an event's text; undefined when it is not the canonical text of an object with a type. */
export const readEventText = (line: string): EventText | undefined => {
  let type: string | undefined
  let id: string | undefined
  let assessments: number | undefined
  let isSigned = false
  let transaction: TransactionText | undefined
  const isWhole = readCanonical(line, (reader) => {
    reader.object((key) => {
      switch (key) {
        case 'type':
          type = reader.string()
          return
        case 'id':
          id = reader.value().slice(1, -1)
          return
        case 'assessments':
          assessments = reader.count()
          return
        case 'body':
          transaction = readBody(reader)
          return
        case 'signatures':
          isSigned = true
          reader.skip()
          return
        default:
          reader.skip()
      }
    })
    return true
  })
  if (isWhole !== true || type === undefined) return undefined
  return type === 'TransactionRecorded'
    ? {
        type,
        ...(id === undefined ? {} : { id }),
        ...(assessments === undefined ? {} : { assessments }),
        isSigned,
        ...(transaction === undefined ? {} : { transaction }),
      }
    : { type }
}
