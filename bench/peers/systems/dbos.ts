/**
 * DBOS: workflows in PostgreSQL, delayed on a queue.
 */
import { DBOS, DBOSClient } from '@dbos-inc/dbos-sdk'
import pg from 'pg'
import type { Job } from '../Job.js'
import type { System } from '../System.js'

const queueName = 'bench'
const workflowName = 'fire'
const appVersion = 'bench'
const applicationName = 'bench'

const optionsOf = (job: Job) => ({
  queueName,
  workflowName,
  appVersion,
  delaySeconds: Math.max(0, job.dueMs - Date.now()) / 1_000,
})

export const dbos: System = {
  packages: ['@dbos-inc/dbos-sdk'],
  settings: [
    'workflows delayed on a queue (delaySeconds); DBOS looks for those that have become due once a second, which cannot be set',
    'the queue polled every 100 ms, without a limit of concurrency; connections: 20',
    'scheduled in bulk by its client, 500 in a transaction of ours (enqueueInTransaction), 4 transactions under way',
    'flows of steps called directly, not by a queue',
    'the handler is the workflow itself, without steps: a step would be recorded, and cost a write more',
  ],
  callsInFlight: 20,
  bulk: { perCall: 500, callsInFlight: 4 },
  open: async (address, handle) => {
    const pool = new pg.Pool({ connectionString: address, max: 20 })
    DBOS.setConfig({
      name: applicationName,
      systemDatabaseUrl: address,
      systemDatabasePoolSize: 20,
      applicationVersion: appVersion,
      logLevel: 'error',
      // One that only schedules takes nothing from the queue.
      ...(handle === undefined ? { listenQueues: [] } : {}),
    })
    DBOS.registerWorkflow(
      async (job: Job) => {
        const next = handle?.(job)
        if (next !== undefined) await DBOS.enqueueWorkflowWithOptions(optionsOf(next), next)
      },
      { name: workflowName },
    )
    const flow = DBOS.registerWorkflow(
      async (steps: number) => {
        let sum = 0
        for (let number = 0; number < steps; number++)
          sum += await DBOS.runStep(() => Promise.resolve(number), { name: `step ${number}` })
        return sum
      },
      { name: 'flow' },
    )
    await DBOS.launch()
    await DBOS.registerQueue(queueName, { minPollingIntervalMs: 100 })
    const client = await DBOSClient.create({ systemDatabaseUrl: address, systemDatabasePoolSize: 20, applicationName })
    return {
      scheduleOne: async (job) => {
        await client.enqueue(optionsOf(job), job)
      },
      scheduleMany: async (jobs) => {
        const connection = await pool.connect()
        try {
          await connection.query('begin')
          for (const job of jobs) await client.enqueueInTransaction(connection, optionsOf(job), job)
          await connection.query('commit')
        } finally {
          connection.release()
        }
      },
      unfinished: async () => {
        const { rows } = await pool.query<{ count: string }>(
          `select count(*) from dbos.workflow_status where status not in ('SUCCESS', 'ERROR', 'CANCELLED')`,
        )
        return Number(rows[0]?.count)
      },
      runFlow: async (steps) => {
        await flow(steps)
      },
    }
  },
}
