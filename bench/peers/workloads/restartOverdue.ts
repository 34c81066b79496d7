/**
 * A worker that is killed, and one that starts when ten thousand jobs are overdue.
 */
import { allRun, layOut } from '../layOut.js'
import { nowMs } from '../Orders.js'
import type { Workload } from '../Workload.js'

const limitMs = 120_000
const overdueMs = 1_000

export const restartOverdue: Workload = {
  name: 'restart-overdue',
  measures:
    'The process killed before the jobs are due, a new one started when they are overdue by a second: from the call that opens the system until the first has run and until all have ended durably.',
  figures: { first: 'ms', all: 'ms' },
  run: async ({ quick, server, hire, leadMs }) => {
    const count = quick ? 200 : 10_000
    const killed = await hire()
    await killed.order('open', { address: server.address, work: true })
    const dueMs = await layOut(killed, { first: 0, count }, leadMs)
    await killed.kill()
    const hired = await hire()
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueMs + overdueMs - nowMs())))
    const { askedMs } = await hired.order('open', { address: server.address, work: true })
    await allRun(hired, count, limitMs)
    const { atMs: finishedMs } = await hired.order('awaitFinished', { limitMs })
    const { atMs } = await hired.order('runs', {})
    return { first: Math.min(...atMs) - askedMs, all: finishedMs - askedMs }
  },
  ours: {
    workload: 'restart-overdue',
    figures: (of) => ({ first: of('first durable end'), all: of('last durable end') }),
  },
}
