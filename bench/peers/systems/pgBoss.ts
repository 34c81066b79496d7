/**
 * pg-boss: a queue in PostgreSQL that workers poll.
 */
import pg from 'pg'
import { PgBoss } from 'pg-boss'
import type { Job } from '../Job.js'
import type { System } from '../System.js'

const queue = 'bench'
const workers = 4
const pollingSeconds = 0.5
const work = { batchSize: 500, pollingIntervalSeconds: pollingSeconds, burstWhenBatchFull: true }

export const pgBoss: System = {
  packages: ['pg-boss'],
  settings: [
    `${workers} workers, begun ${(pollingSeconds * 1_000) / workers} ms apart, each polling every ${pollingSeconds} s, the least it takes`,
    'batches of 500, each handed to the handler and completed as one; after a full batch the next is fetched at once (burstWhenBatchFull)',
    'connections: 20; notifications off, since they tell of new jobs and not of due ones',
  ],
  callsInFlight: 20,
  bulk: { perCall: 1_000, callsInFlight: 4 },
  open: async (address, handle) => {
    const boss = new PgBoss({ connectionString: address, max: 20 })
    boss.on('error', (error) => console.error(error))
    await boss.start()
    await boss.createQueue(queue, { retryLimit: 2 })
    const insertOf = (job: Job) => ({ data: job, startAfter: new Date(job.dueMs) })
    if (handle !== undefined)
      for (let worker = 0; worker < workers; worker++) {
        if (worker > 0) await new Promise((resolve) => setTimeout(resolve, (pollingSeconds * 1_000) / workers))
        await boss.work<Job>(queue, work, async (jobs) => {
          const next = jobs.flatMap(({ data }) => handle(data) ?? [])
          if (next.length > 0) await boss.insert(queue, next.map(insertOf))
        })
      }
    const pool = new pg.Pool({ connectionString: address, max: 1 })
    return {
      scheduleOne: async (job) => {
        await boss.send(queue, job, { startAfter: new Date(job.dueMs) })
      },
      scheduleMany: async (jobs) => {
        await boss.insert(queue, jobs.map(insertOf))
      },
      unfinished: async () => {
        const { rows } = await pool.query<{ count: string }>(
          `select count(*) from pgboss.job where name = $1 and state < 'completed'`,
          [queue],
        )
        return Number(rows[0]?.count)
      },
    }
  },
}
