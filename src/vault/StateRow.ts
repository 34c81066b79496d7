/**
 * One state as the vault holds it: the recorded text, and from and until which revision it is unconsumed. Whoever reads
 * a row cannot change it.
 */
import type { PublicKey } from '../identity/PublicKey.js'
import type { StateRef } from '../ledger/StateRef.js'

/** What kind of state it is: the same few words for many states, so they are stored once. */
export type Kind = {
  readonly id: number
  readonly type: string
  readonly version: number
  readonly contract: { readonly name: string; readonly version: number }
}

export type StateRow = {
  readonly seq: number
  readonly transactionSeq: number
  readonly ref: StateRef
  readonly kind: Kind
  /** The notary it stands under; null for this node itself. */
  readonly notary: PublicKey | null
  /** Canonical text of the data, as recorded. */
  readonly text: string
  readonly relevant: boolean
  /** Keys of the participants, separated by spaces. */
  readonly participants: string
  /** What it is known by among the unconsumed states of its type. */
  readonly key: string | null
  readonly fromRevision: number
  readonly untilRevision: number | null
  /** Sequence number of the consuming transaction. */
  readonly consumedBy: number | null
  /** The data as the app sees it, once it was asked for, and the definition it was decoded with. */
  readonly decoded: { readonly data: unknown; readonly with: unknown } | undefined
}

/** A row in the hands of the vault's evolver. */
export type StateDraft = StateRow & {
  relevant: boolean
  participants: string
  key: string | null
  untilRevision: number | null
  consumedBy: number | null
}

/** A state that was just produced. */
export type NewState = Omit<StateRow, 'untilRevision' | 'consumedBy' | 'decoded'>
