/**
 * The mark of a store that came out of a backup or an export, or was found to lack what others have seen: they may know of
 * things that happened here since. As long as it is there, nothing is written to the store.
 */
import type { Instant } from '../time/Instant.js'

/**
 * What a store owes its mark to. `peers`: another party keeps a checkpoint of the log that it does not hold. `copy`: its
 * files were copied from below a running node. `shorter`: it lacks ticks that were noted beside it.
 */
export type MarkOrigin = 'backup' | 'export' | 'peers' | 'copy' | 'shorter'

export type RestoredMark = {
  readonly from: MarkOrigin
  /** When the backup was made, the export taken in, or the lack found. */
  readonly at: Instant
  /** Where the log ended in it. */
  readonly revision: number
  /** Where the log had ended, as far as that was noted beside it. */
  readonly noted?: number
}

/** How a store came by its mark, to be said after "the store". */
export const showMark = ({ from, at, noted }: RestoredMark): string => {
  switch (from) {
    case 'backup':
      return `was restored from a backup made at ${at}`
    case 'export':
      return `was restored from an export taken in at ${at}`
    case 'peers':
      return `was found at ${at} to lack what another party has seen`
    case 'copy':
      return `is a copy of one that a node had open at ${at}, and that node may have gone on`
    case 'shorter':
      return `has lost the end of its log: at ${at} revision ${noted ?? 0} was noted beside it, and it ends before, or otherwise`
  }
}
