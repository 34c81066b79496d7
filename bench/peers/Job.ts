/**
 * What every system is asked to run: a job that is due, does nothing, and may have a successor.
 */
export type Job = {
  readonly id: number
  readonly dueMs: number
  /** From one beat of a chain to its next. */
  readonly everyMs: number
  /** How many beats of the chain are still to follow this one. */
  readonly beatsLeft: number
}

/** The one to schedule when this one has run; its due instant is the plan's, however late this one was. */
export const successorOf = (job: Job): Job | undefined =>
  job.beatsLeft === 0 ? undefined : { ...job, dueMs: job.dueMs + job.everyMs, beatsLeft: job.beatsLeft - 1 }
