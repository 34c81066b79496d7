/**
 * Many activities due at one instant, on a node whose log is in PostgreSQL; and the same node on its embedded store,
 * run right after it.
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { startNode } from 'carillon'
import { fireAll } from '../fireAll.js'
import { HeldClock } from '../HeldClock.js'
import { withPostgres } from '../postgres.js'
import { layOut, pulseApp } from '../pulseApp.js'
import { context, more, noSeed, type Workload } from '../Workload.js'

const leadMs = 50

/** Activities fired a second. */
const burst = async (count: number, store: string, log?: string): Promise<number> => {
  const clock = new HeldClock()
  const node = await startNode({ app: pulseApp, store, clock, ...(log === undefined ? {} : { log }) })
  await layOut(node, { count, dueAt: clock.after(leadMs) })
  const { endedAfterMs } = await fireAll(node, clock, count)
  await node.stop()
  return (count / Math.max(...endedAfterMs)) * 1_000
}

export const fireOnPostgres: Workload = {
  name: 'fire-on-postgres',
  measures:
    'The burst of fire-burst on a node whose log is in PostgreSQL on the same machine: from the due instant to the last durable end.',
  doesNotMeasure: 'A network between the node and its server.',
  durability: 'fsync and synchronous_commit as PostgreSQL sets them: every commit is synced to the disk',
  seed: noSeed,
  repetitions: 3,
  run: ({ quick, folder }) =>
    withPostgres(async (url) => {
      const count = quick ? 50 : 10_000
      const log = (): string => `${url}?schema=bench_${randomBytes(6).toString('hex')}`
      // Once before it counts: a node that serves has long been compiled.
      if (!quick) await burst(count, join(folder, 'warm'), log())
      const onPostgres = await burst(count, join(folder, 'views'), log())
      const embedded = await burst(count, join(folder, 'embedded'))
      return {
        fired: more(onPostgres, 'activities/s'),
        'fired on the embedded store': context(embedded, 'activities/s'),
        'against the embedded store': more(onPostgres / embedded, '×'),
      }
    }),
}
