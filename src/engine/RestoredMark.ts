/**
 * The mark of a store that came out of a backup or an export, or was found to lack what others have seen: they may know of
 * things that happened here since. As long as it is there, nothing is written to the store.
 */
import type { Instant } from '../time/Instant.js'

/** What a store owes its mark to. `peers`: another party keeps a checkpoint of the log that it does not hold. */
export type MarkOrigin = 'backup' | 'export' | 'peers'

export type RestoredMark = {
  readonly from: MarkOrigin
  /** When the backup was made, the export taken in, or the lack found. */
  readonly at: Instant
  /** Where the log ended in it. */
  readonly revision: number
}

/** How a store came by its mark, to be said after "the store". */
export const showMark = ({ from, at }: RestoredMark): string => {
  switch (from) {
    case 'backup':
      return `was restored from a backup made at ${at}`
    case 'export':
      return `was restored from an export taken in at ${at}`
    case 'peers':
      return `was found at ${at} to lack what another party has seen`
  }
}
