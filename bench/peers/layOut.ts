/**
 * Schedules jobs that fall due together, wholly before they do.
 */
import type { Hired } from './Hired.js'
import { nowMs, type Jobs } from './Orders.js'
import { LeadTooShort } from './Workload.js'

/** The instant from which they are due. */
export const layOut = async (hired: Hired, jobs: Omit<Jobs, 'dueMs'>, leadMs: number): Promise<number> => {
  const dueMs = Math.ceil(nowMs() + leadMs)
  const { scheduled } = await hired.order('schedule', { jobs: { ...jobs, dueMs }, bulk: true, limitMs: leadMs })
  if (scheduled < jobs.count || nowMs() > dueMs - 300)
    throw new LeadTooShort(`${scheduled} of ${jobs.count} jobs were scheduled in the ${leadMs} ms before they fell due`)
  return dueMs
}

/** Waits until that many runs have begun, or says how many did. */
export const allRun = async (hired: Hired, count: number, limitMs: number): Promise<void> => {
  const { runs } = await hired.order('awaitRuns', { count, limitMs })
  if (runs < count) throw new Error(`${runs} of ${count} jobs had run ${limitMs / 1_000} s after they were due`)
}
