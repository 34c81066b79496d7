/**
 * graphile-worker: a job table in PostgreSQL, polled, with a local queue of fetched jobs.
 */
import pg from 'pg'
import { Logger, makeWorkerUtils, run } from 'graphile-worker'
import type { Job } from '../Job.js'
import type { System } from '../System.js'

const task = 'fire'
const quiet = new Logger(() => () => undefined)

export const graphileWorker: System = {
  packages: ['graphile-worker'],
  settings: [
    '50 jobs at a time, polling every 100 ms: jobs that fall due are found by polling alone',
    'a local queue of 500, completions gathered without waiting (completeJobBatchDelay 0), as its page on performance advises',
    'connections: 20',
  ],
  callsInFlight: 20,
  bulk: { perCall: 1_000, callsInFlight: 4 },
  open: async (address, handle) => {
    const pgPool = new pg.Pool({ connectionString: address, max: 20 })
    pgPool.on('error', (error) => console.error(error))
    const utils = await makeWorkerUtils({ pgPool, logger: quiet })
    await utils.migrate()
    const add = async (job: Job): Promise<void> => {
      await utils.addJob(task, job, { runAt: new Date(job.dueMs) })
    }
    if (handle !== undefined)
      await run({
        pgPool,
        logger: quiet,
        noHandleSignals: true,
        concurrency: 50,
        pollInterval: 100,
        preset: {
          worker: {
            concurrentJobs: 50,
            pollInterval: 100,
            localQueue: { size: 500 },
            completeJobBatchDelay: 0,
            failJobBatchDelay: 0,
          },
        },
        taskList: {
          // The payload is what `add` wrote.
          [task]: async (payload) => {
            const next = handle(payload as Job)
            if (next !== undefined) await add(next)
          },
        },
      })
    return {
      scheduleOne: add,
      scheduleMany: async (jobs) => {
        await utils.addJobs(jobs.map((job) => ({ identifier: task, payload: job, runAt: new Date(job.dueMs) })))
      },
      unfinished: async () => {
        const { rows } = await pgPool.query<{ count: string }>('select count(*) from graphile_worker.jobs')
        return Number(rows[0]?.count)
      },
    }
  },
}
