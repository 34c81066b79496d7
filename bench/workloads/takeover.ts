/**
 * How long a node is without a leader when the process that led is killed.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { instantFromMillis, standBy, startNode } from 'carillon'
import { startProgram } from '../ownProcess.js'
import { withPostgres } from '../postgres.js'
import { farMs, layOut, pulseApp } from '../pulseApp.js'
import { context, less, noSeed, type Workload } from '../Workload.js'

const leaseMs = 2_000

export const takeover: Workload = {
  name: 'takeover',
  measures: `A standby with warm views on PostgreSQL and a lease of ${leaseMs} ms: from kill -9 of the leading process until the standby leads.`,
  doesNotMeasure: 'A leader that hangs or is cut off, which its own clock lets go of as soon; a network in between.',
  durability: 'fsync and synchronous_commit as PostgreSQL sets them: every commit is synced to the disk',
  seed: noSeed,
  repetitions: 5,
  run: ({ quick, folder }) =>
    withPostgres(async (url) => {
      const pending = quick ? 50 : 10_000
      const log = `${url}?schema=bench_${randomBytes(6).toString('hex')}`
      const leading = join(folder, 'leader')
      const following = join(folder, 'follower')
      const node = await startNode({ app: pulseApp, store: leading, log })
      await layOut(node, { count: pending, dueAt: instantFromMillis(Date.now() + farMs) })
      await node.stop()
      // Both processes of a node have its key.
      cpSync(leading, following, { recursive: true })
      const leader = startProgram('leaderProcess', leading, log, String(leaseMs))
      await once(leader.stdout, 'data')
      let leads: () => void = () => undefined
      const isLeading = new Promise<void>((resolve) => {
        leads = resolve
      })
      const standby = await standBy({ app: pulseApp, store: following, log, leaseMs, onLeading: () => leads() })
      const killedMs = performance.now()
      leader.kill('SIGKILL')
      await isLeading
      const tookMs = performance.now() - killedMs
      await standby.stop()
      return { 'without a leader': less(tookMs, 'ms'), lease: context(leaseMs, 'ms') }
    }),
}
