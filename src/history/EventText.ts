/**
 * An event of the log as text: its type, and of a transaction the pieces its id is made of, as they stand in the log.
 * Nothing is decoded that need not be, which is what makes the check of a long log quick.
 */
import { Encoded } from '../encoding/canonical.js'
import { readCanonical, type CanonicalReader } from '../encoding/CanonicalReader.js'
import type { Piece } from '../encoding/CanonicalShape.js'
import type { Components } from '../ledger/componentTree.js'

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
  readonly id?: string | undefined
  readonly assessments?: number | undefined
  /** Whether it brings signatures of its own. */
  readonly isSigned?: boolean
  readonly transaction?: TransactionText | undefined
}

const listNames = ['commands', 'inputs', 'outputs', 'references'] as const
type ListName = (typeof listNames)[number]
const isListName = (key: string): key is ListName => listNames.some((name) => name === key)

/** What a piece of the text is: an element of one of a body's lists, another member of the body, or the event's own. */
type Slot =
  | { readonly of: 'list'; readonly name: ListName }
  | { readonly of: 'body'; readonly name: string }
  | { readonly of: 'event'; readonly name: 'type' | 'id' }

/** What there is in the text of an event, and where. Events of the same shape differ only in what the pieces hold. */
export type EventOutline = {
  readonly slots: readonly Slot[]
  readonly pieces: readonly Piece[]
  /** The lists that the body has, also where they are empty; none when there is no body. */
  readonly lists: readonly ListName[]
  readonly assessments: number | undefined
  readonly isSigned: boolean
}

/** Notes the pieces of a text while it is read. */
class Outliner {
  readonly slots: Slot[] = []
  readonly pieces: Piece[] = []
  readonly lists: ListName[] = []
  assessments: number | undefined
  isSigned = false
  readonly #reader: CanonicalReader

  constructor(reader: CanonicalReader) {
    this.#reader = reader
  }

  event(): void {
    this.#reader.object((key) => {
      switch (key) {
        case 'type':
          // What an event is depends on its type: two of different types are never taken for the same.
          this.#piece({ of: 'event', name: key }, () => this.#reader.string(), true)
          return
        case 'id':
          this.#piece({ of: 'event', name: key }, () => this.#reader.skip())
          return
        case 'assessments':
          if (this.#reader.next === 'list') this.assessments = this.#reader.count()
          else this.#reader.skip()
          return
        case 'body':
          if (this.#reader.next === 'object') this.#body()
          else this.#reader.skip()
          return
        case 'signatures':
          this.isSigned = true
          this.#reader.skip()
          return
        default:
          this.#reader.skip()
      }
    })
  }

  /** What is not of the kind it should be is passed over: then the transaction is not whole. */
  #body(): void {
    this.#reader.object((key) => {
      const { next } = this.#reader
      const isNoted = isListName(key) ? next === 'list' : key !== 'salt' || next === 'text'
      if (!isNoted) {
        this.#reader.skip()
      } else if (isListName(key)) {
        this.lists.push(key)
        this.#reader.list(() => {
          this.#piece({ of: 'list', name: key }, () => this.#reader.skip())
        })
      } else this.#piece({ of: 'body', name: key }, () => this.#reader.skip())
    })
  }

  #piece(slot: Slot, read: () => unknown, fixed = false): void {
    const from = this.#reader.at
    read()
    this.slots.push(slot)
    this.pieces.push({ from, until: this.#reader.at, fixed })
  }
}

/** Reads an event's text; undefined when it is not the canonical text of an object. */
export const outlineOf = (line: string): EventOutline | undefined =>
  readCanonical(line, (reader) => {
    const outliner = new Outliner(reader)
    outliner.event()
    return outliner
  })

const unquoted = (text: string): string =>
  text.includes('\\') ? (JSON.parse(text) as string) : text.slice(1, text.length - 1)

const encodedOrNone = (text: string | undefined): Encoded | undefined =>
  text === undefined ? undefined : new Encoded(text)

/** The event that pieces of text make; undefined when it has no type. */
export const eventFrom = (
  { slots, lists, assessments, isSigned }: EventOutline,
  pieceAt: (index: number) => string,
): EventText | undefined => {
  let type: string | undefined
  let id: string | undefined
  const listed: Record<ListName, Encoded[]> = { commands: [], inputs: [], outputs: [], references: [] }
  const members: Record<string, string> = {}
  for (let index = 0; index < slots.length; index++) {
    const slot = slots[index]
    if (slot === undefined) continue
    const text = pieceAt(index)
    if (slot.of === 'list') listed[slot.name].push(new Encoded(text))
    else if (slot.of === 'body') members[slot.name] = text
    else if (slot.name === 'type') type = unquoted(text)
    else id = text.slice(1, -1)
  }
  if (type !== 'TransactionRecorded') return type === undefined ? undefined : { type }
  const { newNotary, notary, salt, signers, timeWindow } = members
  const isWhole = lists.length === listNames.length
  if (!isWhole || notary === undefined || salt === undefined || signers === undefined)
    return { type, id, assessments, isSigned }
  const { commands, inputs, outputs, references } = listed
  const components = {
    inputs,
    references,
    outputs,
    commands,
    signers: new Encoded(signers),
    notary: new Encoded(notary),
    newNotary: encodedOrNone(newNotary),
    salt: unquoted(salt),
    timeWindow: encodedOrNone(timeWindow),
  }
  const needsNotary = inputs.length > 0 || references.length > 0 || timeWindow !== undefined
  return { type, id, assessments, isSigned, transaction: { components, signers, notary, needsNotary } }
}
