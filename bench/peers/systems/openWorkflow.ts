/**
 * OpenWorkflow: workflows in PostgreSQL, claimed by workers that look for them.
 */
import { OpenWorkflow } from 'openworkflow'
import { BackendPostgres } from 'openworkflow/postgres'
import pg from 'pg'
import type { Job } from '../Job.js'
import { Finished } from '../Finished.js'
import type { System } from '../System.js'

const ended = `('completed', 'succeeded', 'failed', 'canceled')`
const dueOf = (job: Job): { readonly availableAt: Date } => ({ availableAt: new Date(job.dueMs) })

export const openWorkflow: System = {
  packages: ['openworkflow', 'postgres'],
  settings: [
    'its PostgreSQL backend; its worker with a concurrency of 100: it looks again every 0.1 s to 1 s when it has found nothing, which cannot be set',
    'scheduled in bulk by single calls, 100 at once: it has no call for many',
    'its handle looks for a result once a second; a query of ours every 2 ms asks which of the flows under way have ended',
  ],
  callsInFlight: 20,
  bulk: { perCall: 100, callsInFlight: 1 },
  open: async (address, handle) => {
    const pool = new pg.Pool({ connectionString: address, max: 20 })
    const client = new OpenWorkflow({ backend: await BackendPostgres.connect(address) })
    const fire = client.defineWorkflow<Job, null>({ name: 'fire' }, async ({ input }) => {
      const next = handle?.(input)
      if (next !== undefined) await fire.run(next, dueOf(next))
      return null
    })
    const flow = client.defineWorkflow<{ readonly steps: number }, number>(
      { name: 'flow' },
      async ({ input, step }) => {
        let sum = 0
        for (let number = 0; number < input.steps; number++)
          sum += await step.run({ name: `step ${number}` }, () => number)
        return sum
      },
    )
    if (handle !== undefined) await client.newWorker({ concurrency: 100 }).start()
    const finished = new Finished(2, async (ids) => {
      const { rows } = await pool.query<{ id: string }>(
        `select id from openworkflow.workflow_runs where id = any($1) and status in ${ended}`,
        [ids],
      )
      return rows.map(({ id }) => id)
    })
    return {
      scheduleOne: async (job) => {
        await fire.run(job, dueOf(job))
      },
      scheduleMany: async (jobs) => {
        await Promise.all(jobs.map((job) => fire.run(job, dueOf(job))))
      },
      unfinished: async () => {
        const { rows } = await pool.query<{ count: string }>(
          `select count(*) from openworkflow.workflow_runs where status not in ${ended}`,
        )
        return Number(rows[0]?.count)
      },
      runFlow: async (steps) => {
        const { workflowRun } = await flow.run({ steps })
        await finished.wait(workflowRun.id)
      },
    }
  },
}
