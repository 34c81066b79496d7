/**
 * The limits of checkpoints at other parties, and of the comparison of a restored log with them.
 */
import type { LimitsLike } from '../limits.js'

/** The limits of checkpoints, and of the comparison of a restored log with them. */
export const backupLimits = {
  /**
   * Time from something new in the log to the next checkpoint, of a node that talks with others: what happens in it can
   * be lost with a store without anyone being able to tell.
   */
  checkpointMs: 60_000,
  /** Parties that are sent a checkpoint, those the node talked with last: some of them will be there to be asked. */
  headWitnesses: 16,
  /** How often a checkpoint is sent to a party that does not answer. Then it waits for the next one, or a word of that party. */
  headSends: 5,
} as const

/** The limits of checkpoints, as a node was given them. */
export type BackupLimits = LimitsLike<typeof backupLimits>

/** The limits of the comparison of a restored log with the checkpoints that others keep. */
export const restoreLimits = {
  /** Parties that are asked for the checkpoints they keep of a restored log. */
  partiesAsked: 256,
  /** How long they are waited for. */
  partiesAnswerMs: 10_000,
} as const
