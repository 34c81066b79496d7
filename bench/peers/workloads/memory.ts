/**
 * Memory of a worker, and of the server it stands on, while many jobs are pending.
 */
import { memoryOf, residentMB } from '../memoryOf.js'
import { nowMs } from '../Orders.js'
import type { Workload } from '../Workload.js'

const farMs = 30 * 86_400_000
/** Scheduling them is only preparation, and the slowest takes minutes on a busy machine. */
const limitMs = 600_000

export const memory: Workload = {
  name: 'memory',
  measures: 'A fresh worker that has been idle for 5 s with 110,000 jobs pending: its memory and its server’s.',
  figures: { worker: 'MB', server: 'MB' },
  run: async ({ quick, server, hire }) => {
    const count = quick ? 1_000 : 110_000
    const producer = await hire()
    await producer.order('open', { address: server.address, work: false })
    const jobs = { first: 0, count, dueMs: Math.ceil(nowMs()) + farMs }
    const { scheduled } = await producer.order('schedule', { jobs, bulk: true, limitMs })
    if (scheduled < count) throw new Error(`${scheduled} of ${count} jobs were scheduled in ${limitMs / 1_000} s`)
    await producer.kill()
    const hired = await hire()
    await hired.order('open', { address: server.address, work: true })
    await new Promise((resolve) => setTimeout(resolve, quick ? 500 : 5_000))
    return { worker: residentMB(hired.pid), server: memoryOf(server.pid) }
  },
  ours: {
    workload: 'memory-pending',
    figures: (of) => ({ worker: of('with 110,000 pending'), server: 0 }),
  },
}
