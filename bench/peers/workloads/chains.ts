/**
 * Chains: each run schedules the next, a tenth of a second after its own due instant.
 */
import { layOut } from '../layOut.js'
import type { Figures, Workload } from '../Workload.js'

const chainCount = 200
const everyMs = 100

/** How much longer than planned one beat takes on average; without a beat there is no telling. */
const withDrift = (count: number, beats: number): Figures =>
  beats === 0 ? { beats } : { beats, drift: Math.max(0, (count * 1_000) / beats - everyMs) }

export const chains: Workload = {
  name: 'chains',
  measures: `${chainCount} chains planned at ${everyMs} ms: beats a second over 12 s, and drift, how much longer than planned a beat takes on average.`,
  figures: { beats: '/s', drift: 'ms' },
  run: async ({ quick, server, hire, leadMs }) => {
    const count = quick ? 10 : chainCount
    const beats = quick ? 10 : 120
    const windowMs = beats * everyMs
    const hired = await hire()
    await hired.order('open', { address: server.address, work: true })
    const dueMs = await layOut(hired, { first: 0, count, everyMs, beats }, leadMs)
    await hired.order('awaitRuns', { count: count * beats, limitMs: leadMs + windowMs + 1_000 })
    const { atMs } = await hired.order('runs', {})
    const inWindow = atMs.filter((ms) => ms < dueMs + windowMs).length
    return withDrift(count, (inWindow / windowMs) * 1_000)
  },
  ours: { workload: 'chains', figures: (of) => withDrift(of('chains'), of('beats')) },
}
