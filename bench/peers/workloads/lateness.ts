/**
 * Jobs that fall due evenly, at a rate no system should notice.
 */
import { quantile } from '../../statistics.js'
import { allRun, layOut } from '../layOut.js'
import type { Workload } from '../Workload.js'

const perSecond = 200

export const lateness: Workload = {
  name: 'lateness',
  measures: `${perSecond} jobs a second for 12 s: how late their handlers begin.`,
  figures: { p50: 'ms', p99: 'ms' },
  run: async ({ quick, server, hire, leadMs }) => {
    const seconds = quick ? 1 : 12
    const count = perSecond * seconds
    const hired = await hire()
    await hired.order('open', { address: server.address, work: true })
    await layOut(hired, { first: 0, count, apartMs: 1_000 / perSecond }, leadMs)
    await allRun(hired, count, leadMs + seconds * 1_000 + 60_000)
    const { latenessMs } = await hired.order('runs', {})
    return { p50: quantile(latenessMs, 0.5), p99: quantile(latenessMs, 0.99) }
  },
  ours: { workload: 'lateness', figures: (of) => ({ p50: of('start p50'), p99: of('start p99') }) },
}
