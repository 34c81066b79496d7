/**
 * What a tick changes in the views, as one: written together, and then either kept or taken back together. Whatever
 * holds rows or figures in memory takes part in it, and has no other life cycle.
 */
import { storageLimits, type StorageLimits } from './limits.js'

export type Participant = {
  /** Writes what has gathered; the last thing before the commit. */
  readonly write?: () => void
  /** What was written stands. `isFolding`: more of a log follows, which soon changes the rows that are new. */
  readonly committed?: (isFolding: boolean) => void
  /** What was written or gathered since the last commit is gone. */
  readonly rolledBack?: () => void
  /** After `rolledBack`: also what was taken to be committed is gone. */
  readonly reload?: () => void
}

export class UnitOfWork {
  readonly limits: StorageLimits
  /** How often rows were evicted from memory. */
  evictions = 0
  readonly #participants: Participant[] = []

  constructor(limits: StorageLimits = storageLimits) {
    this.limits = limits
  }

  /** Takes part from now on; in the order of joining. */
  join(participant: Participant): void {
    this.#participants.push(participant)
  }

  write(): void {
    for (const participant of this.#participants) participant.write?.()
  }

  committed(isFolding: boolean): void {
    for (const participant of this.#participants) participant.committed?.(isFolding)
  }

  rolledBack(): void {
    for (const participant of this.#participants) participant.rolledBack?.()
  }

  /** Reads everything again: ticks that were taken to stand do not. */
  reload(): void {
    this.rolledBack()
    for (const participant of this.#participants) participant.reload?.()
  }
}
