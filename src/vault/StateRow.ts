/**
 * One state as the vault holds it: the recorded text, from and until which revision it is unconsumed, and how
 * its activity stands.
 */
import type { PublicKey } from '../identity/PublicKey.js'
import type { StateRef } from '../ledger/StateRef.js'

/** How a state's activity stands. Only `scheduled` ones have an instant at which the node acts. */
export type Standing =
  /** On the agenda. */
  | 'scheduled'
  /** Its flow is under way. */
  | 'started'
  /** Its flow ended without consuming the state; a start of the node opens another attempt. */
  | 'ended'
  /** Over for good: killed, discharged, or declared once. */
  | 'closed'
  /** Waits for a hand, with an error. */
  | 'parked'
  /** Too late, with no flow for that case: waits for a hand. */
  | 'missed'
  /** Held back by an operator. */
  | 'paused'

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
  relevant: boolean
  /** Keys of the participants, separated by spaces. */
  participants: string
  /** What it is known by among the unconsumed states of its type. */
  key: string | null
  readonly fromRevision: number
  untilRevision: number | null
  /** Sequence number of the consuming transaction. */
  consumedBy: number | null
  standing: Standing | null
  dueMs: number | null
  /** When this node acts: the due instant, or later for a takeover or a retry, or sooner when triggered. */
  actsAtMs: number | null
  /** Canonical text of the activity. */
  activity: string | null
  /** What makes the next start other than due: an operator's trigger or retry. */
  cause: 'trigger' | 'retry' | null
  /** Attempts made at the occurrence so far. */
  attempt: number
  /** Why it is parked: canonical text of the recorded error. */
  error: string | null
  note: string | null
  /** The data as the app sees it, once it was asked for, and the definition it was decoded with. */
  decoded: { readonly data: unknown; readonly with: unknown } | undefined
}
