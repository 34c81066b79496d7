/**
 * Scheduling jobs far ahead, one a call and in bulk.
 */
import { nowMs } from '../Orders.js'
import type { Seat, Workload } from '../Workload.js'

const farMs = 30 * 86_400_000
const limitMs = 40_000

const pace = async ({ server, hire }: Seat, count: number, bulk: boolean): Promise<number> => {
  const hired = await hire()
  await hired.order('open', { address: server.address, work: false })
  const schedule = async (first: number, many: number): Promise<number> => {
    const jobs = { first, count: many, dueMs: Math.ceil(nowMs()) + farMs }
    const { scheduled, tookMs } = await hired.order('schedule', { jobs, bulk, limitMs })
    return (scheduled / tookMs) * 1_000
  }
  // Once before it counts: a client that serves has long been compiled, and its connections are open.
  await schedule(0, Math.ceil(count / 10))
  return schedule(count, count)
}

export const scheduleSingle: Workload = {
  name: 'schedule-single',
  measures: 'Jobs scheduled a second, one call each, until each call is answered.',
  figures: { scheduled: '/s' },
  run: async (seat) => ({ scheduled: await pace(seat, seat.quick ? 200 : 20_000, false) }),
  ours: { workload: 'produce-single', figures: (of) => ({ scheduled: of('states') }) },
}

export const scheduleBulk: Workload = {
  name: 'schedule-bulk',
  measures: 'Jobs scheduled a second by the call made for many.',
  figures: { scheduled: '/s' },
  run: async (seat) => ({ scheduled: await pace(seat, seat.quick ? 1_000 : 100_000, true) }),
  ours: { workload: 'produce-bulk', figures: (of) => ({ scheduled: of('states') }) },
}
