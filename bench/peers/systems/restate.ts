/**
 * Restate: a server of its own that keeps invocations and calls handlers by HTTP when they are due.
 */
import * as restate from '@restatedev/restate-sdk'
import * as clients from '@restatedev/restate-sdk-clients'
import { successorOf, type Job } from '../Job.js'
import type { Handle, System } from '../System.js'

/** Where the two ports of the server and that of the handlers are. */
type Address = { readonly ingress: string; readonly admin: string; readonly handlersPort: number }

const untilDue = (job: Job): number => Math.max(0, job.dueMs - Date.now())
const keepNothing = { journalRetention: 0, idempotencyRetention: 0 }

const serviceOf = (handle: Handle) =>
  restate.service({
    name: 'pulse',
    options: keepNothing,
    handlers: {
      fire: (context: restate.Context, job: Job): Promise<void> => {
        const next = handle(job)
        if (next !== undefined)
          context.serviceSendClient(pulse).fire(next, restate.rpc.sendOpts({ delay: untilDue(next) }))
        return Promise.resolve()
      },
      flow: async (context: restate.Context, steps: number): Promise<number> => {
        let sum = 0
        for (let number = 0; number < steps; number++) sum += await context.run(`step ${number}`, () => number)
        return sum
      },
      scheduleMany: (context: restate.Context, jobs: readonly Job[]): Promise<void> => {
        const client = context.serviceSendClient(pulse)
        for (const job of jobs) client.fire(job, restate.rpc.sendOpts({ delay: untilDue(job) }))
        return Promise.resolve()
      },
    },
  })

const pulse: ReturnType<typeof serviceOf> = serviceOf(successorOf)

const postJson = async (url: string, body: unknown): Promise<unknown> => {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${text}`)
  return JSON.parse(text)
}

export const restateSystem: System = {
  packages: ['@restatedev/restate-server', '@restatedev/restate-sdk'],
  settings: [
    'one server with 4 partitions instead of 24, for a machine of few cores; its log synced, as it is set',
    'delayed sends; no journal is kept of what has completed',
    'scheduled in bulk by a handler that sends 500 a call, 8 calls under way',
  ],
  callsInFlight: 100,
  bulk: { perCall: 500, callsInFlight: 8 },
  open: async (text, handle) => {
    // The address is what the server's starter wrote.
    const address = JSON.parse(text) as Address
    // Restate calls the handlers even while jobs are scheduled in bulk, so they are served either way.
    await restate.serve({
      port: address.handlersPort,
      services: [serviceOf(handle ?? successorOf)],
      defaultServiceOptions: keepNothing,
      logger: () => undefined,
    })
    await postJson(`${address.admin}/deployments`, { uri: `http://127.0.0.1:${address.handlersPort}`, force: true })
    const ingress = clients.connect({ url: address.ingress })
    return {
      scheduleOne: async (job) => {
        await ingress.serviceSendClient(pulse).fire(job, clients.rpc.sendOpts({ delay: untilDue(job) }))
      },
      scheduleMany: async (jobs) => {
        await ingress.serviceClient(pulse).scheduleMany(jobs)
      },
      runFlow: async (steps) => {
        await ingress.serviceClient(pulse).flow(steps)
      },
      unfinished: async () => {
        const answer = await postJson(`${address.admin}/query`, {
          query: `select count(*) as count from sys_invocation where status != 'completed' and target_handler_name = 'fire'`,
        })
        const { rows } = answer as { readonly rows: readonly { readonly count: number }[] }
        return rows[0]?.count ?? 0
      },
    }
  },
}
