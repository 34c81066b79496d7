/**
 * With more and more activities pending far ahead: firing some, producing some, coming back.
 */
import { join } from 'node:path'
import { startNode } from 'carillon'
import { fireAll } from '../fireAll.js'
import { HeldClock } from '../HeldClock.js'
import { storeWithPending } from '../keptStores.js'
import { layOut, pulseApp } from '../pulseApp.js'
import { inOwnProcess } from '../restarted.js'
import { median } from '../statistics.js'
import { produceSingly } from '../workloads/produceSingle.js'
import type { Sweep } from './Sweep.js'

const leadMs = 50

type Round = { readonly firedUs: number; readonly producedUs: number }

const oneRound = async (store: string, count: number): Promise<Round> => {
  const clock = new HeldClock()
  const node = await startNode({ app: pulseApp, store, clock })
  const producedMs = await produceSingly(node, clock, count)
  await layOut(node, { count, dueAt: clock.after(leadMs) })
  const { endedAfterMs } = await fireAll(node, clock, count)
  await node.stop()
  return { firedUs: (Math.max(...endedAfterMs) / count) * 1_000, producedUs: (producedMs / count) * 1_000 }
}

export const byPending: Sweep = {
  name: 'pending',
  of: 'activities pending far ahead',
  charts: {
    'cost-by-pending': {
      title: 'One more activity, with so many pending',
      unit: 'µs',
      series: ['fired', 'produced'],
    },
    'ready-by-pending': { title: 'startNode until ready, with so many pending', unit: 'ms', series: ['ready'] },
  },
  async *points(bench, sizes) {
    const count = bench.quick ? 20 : 5_000
    const rounds = bench.quick ? 1 : 3
    let isWarm = bench.quick
    for (const size of sizes) {
      const store = await storeWithPending(bench, size, join(bench.folder, `pending-${size}`))
      const measured: Round[] = []
      if (!isWarm) await oneRound(store, count)
      isWarm = true
      for (let round = 0; round < rounds; round++) measured.push(await oneRound(store, count))
      const ready: number[] = []
      for (let round = 0; round < rounds; round++) ready.push((await inOwnProcess('ready', store)).startMs)
      yield {
        size,
        values: {
          'cost-by-pending': {
            fired: median(measured.map(({ firedUs }) => firedUs)),
            produced: median(measured.map(({ producedUs }) => producedUs)),
          },
          'ready-by-pending': { ready: median(ready) },
        },
      }
    }
  },
}
