/**
 * Another system's own way of doing what the workloads ask for, within one process of its users. Whoever implements it
 * uses the public API alone, and says in `settings` what was set and why.
 */
import type { Job } from './Job.js'

/** What a handler does: note that it ran, and say which job is to be scheduled next. It never waits. */
export type Handle = (job: Job) => Job | undefined

export type Client = {
  /** One job by one call, durable when it resolves. */
  readonly scheduleOne: (job: Job) => Promise<void>
  /** So many jobs by one call, durable when it resolves. */
  readonly scheduleMany: (jobs: readonly Job[]) => Promise<void>
  /** Jobs that have not ended durably, wherever they are. */
  readonly unfinished: () => Promise<number>
  /**
   * One flow of so many steps, which do nothing, each durable before the next begins; resolves when it has ended durably.
   * Undefined where there are no flows of steps.
   */
  readonly runFlow?: (steps: number) => Promise<void>
}

export type System = {
  /** The packages whose versions are told. */
  readonly packages: readonly string[]
  /** Sentences for the report. */
  readonly settings: readonly string[]
  /** Client calls under way when jobs are scheduled one by one. */
  readonly callsInFlight: number
  /** Jobs a call, and calls under way, when they are scheduled in bulk. */
  readonly bulk: { readonly perCall: number; readonly callsInFlight: number }
  /** Connects, and makes what has to be there first. With a handle, jobs are run in this process from now on. */
  readonly open: (address: string, handle: Handle | undefined) => Promise<Client>
}
