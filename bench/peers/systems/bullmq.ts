/**
 * BullMQ: queues in Redis, delayed jobs in a sorted set.
 */
import { Queue, Worker } from 'bullmq'
import type { Job } from '../Job.js'
import type { System } from '../System.js'

const queueName = 'bench'
const jobName = 'fire'

const optionsOf = (job: Job) => ({
  delay: Math.max(0, job.dueMs - Date.now()),
  removeOnComplete: true,
  removeOnFail: true,
})

export const bullmq: System = {
  packages: ['bullmq'],
  settings: [
    'Redis with an append-only file synced before every answer (appendfsync always), as durable as the others',
    'one worker with a concurrency of 200; completed jobs are removed',
  ],
  callsInFlight: 1_000,
  bulk: { perCall: 500, callsInFlight: 4 },
  open: async (address, handle) => {
    const { hostname: host, port } = new URL(address)
    const connection = { host, port: Number(port), maxRetriesPerRequest: null }
    const queue = new Queue<Job>(queueName, { connection })
    await queue.waitUntilReady()
    const add = async (job: Job): Promise<void> => {
      await queue.add(jobName, job, optionsOf(job))
    }
    if (handle !== undefined) {
      const worker = new Worker<Job>(
        queueName,
        async ({ data }) => {
          const next = handle(data)
          if (next !== undefined) await add(next)
        },
        { connection, concurrency: 200 },
      )
      worker.on('error', (error) => console.error(error))
      await worker.waitUntilReady()
    }
    return {
      scheduleOne: add,
      scheduleMany: async (jobs) => {
        await queue.addBulk(jobs.map((job) => ({ name: jobName, data: job, opts: optionsOf(job) })))
      },
      unfinished: async () => {
        const counts = await queue.getJobCounts('delayed', 'waiting', 'active', 'prioritized')
        return Object.values(counts).reduce((sum, count) => sum + count, 0)
      },
    }
  },
}
