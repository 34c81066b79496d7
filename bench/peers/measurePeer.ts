/**
 * One workload on one other system: a fresh server and fresh processes, all ended afterwards whatever happens.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Hired } from './Hired.js'
import { nodeForPeers } from './nodeForPeers.js'
import type { AnswerTo } from './Orders.js'
import type { Server } from './servers/Server.js'
import { systems, type ServerKind, type SystemName } from './systems.js'
import { LeadTooShort, type Figures, type Workload } from './Workload.js'

export type Description = AnswerTo<'load'>
export type Measured = { readonly description: Description; readonly figures: Figures }

/** Loaded when needed: what they import is installed only then. */
const startServer = async (kind: ServerKind, folder: string): Promise<Server> => {
  switch (kind) {
    case 'postgres':
      return (await import('./servers/postgres.js')).startPostgres(folder)
    case 'redis':
      return (await import('./servers/redis.js')).startRedis(folder)
    case 'restate':
      return (await import('./servers/restate.js')).startRestate(folder)
  }
}

const measureOnce = async (
  workload: Workload,
  system: SystemName,
  folder: string,
  quick: boolean,
  leadMs: number,
): Promise<Measured> => {
  mkdirSync(folder)
  const nodeProgram = nodeForPeers()
  const server = await startServer(systems[system].server, folder)
  const hired: Hired[] = []
  let description: Description | undefined
  try {
    const hire = async (): Promise<Hired> => {
      const each = new Hired(nodeProgram, folder)
      hired.push(each)
      description = await each.order('load', { system })
      return each
    }
    const figures = await workload.run({ quick, folder, server, hire, leadMs })
    return { description: description ?? { versions: {}, settings: [], node: '' }, figures }
  } finally {
    await Promise.all(hired.map((each) => each.kill()))
    await server.stop()
  }
}

export const measurePeer = async (
  workload: Workload,
  system: SystemName,
  folder: string,
  quick: boolean,
): Promise<Measured> => {
  try {
    return await measureOnce(workload, system, join(folder, 'first'), quick, quick ? 2_000 : 6_000)
  } catch (error) {
    if (!(error instanceof LeadTooShort)) throw error
    return measureOnce(workload, system, join(folder, 'second'), quick, 40_000)
  }
}
