/**
 * Ten thousand jobs due at one instant.
 */
import { allRun, layOut } from '../layOut.js'
import { median } from '../../statistics.js'
import type { Workload } from '../Workload.js'

const limitMs = 120_000

export const burst: Workload = {
  name: 'burst',
  measures:
    'Jobs due at one instant: handled and ended durably a second, from that instant. Median of three bursts after one that does not count.',
  figures: { handled: '/s' },
  run: async ({ quick, server, hire, leadMs }) => {
    const count = quick ? 200 : 10_000
    const rounds = quick ? 1 : 4
    const hired = await hire()
    await hired.order('open', { address: server.address, work: true })
    const paces: number[] = []
    for (let round = 0; round < rounds; round++) {
      const dueMs = await layOut(hired, { first: round * count, count }, leadMs)
      await allRun(hired, (round + 1) * count, leadMs + limitMs)
      const { atMs } = await hired.order('awaitFinished', { limitMs })
      paces.push((count / (atMs - dueMs)) * 1_000)
    }
    return { handled: median(paces.slice(quick ? 0 : 1)) }
  },
  ours: { workload: 'fire-burst', figures: (of) => ({ handled: of('fired') }) },
}
