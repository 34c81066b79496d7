/**
 * A state as people and apps see it from outside a tick.
 */
import type { StateRef } from '../ledger/StateRef.js'
import type { TransactionId } from '../ledger/TransactionId.js'
import type { Instant } from '../time/Instant.js'

/** A state as the vault shows it, with its data as recorded. */
export type VaultEntry = {
  readonly ref: StateRef
  readonly type: string
  readonly version: number
  /** Recorded JSON; older versions are not upcast here. */
  readonly data: unknown
  readonly relevant: boolean
  /** What it is known by, if its type has keys. */
  readonly key?: string
  /** Keys of those who take part. */
  readonly participants: readonly string[]
  readonly recordedAt: Instant
  readonly fromRevision: number
  readonly consumedBy?: TransactionId
  readonly consumedAt?: Instant
  readonly untilRevision?: number
}

/** Whether a person who looks for a text means this state: it is in its data, or its ref begins with it. */
export const containsText = ({ ref, data }: VaultEntry, text: string): boolean => {
  const wanted = text.toLowerCase()
  return ref.transaction.startsWith(wanted) || JSON.stringify(data).toLowerCase().includes(wanted)
}
