/**
 * A PostgreSQL primary with a synchronous replica, for tests of a failover: the primary is killed, the replica promoted.
 */
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { freePort, PostgresServer } from './PostgresServer.js'
import { withClient } from './testDatabase.js'

const until = async (what: string, holds: () => Promise<boolean>): Promise<void> => {
  const end = performance.now() + 60_000
  while (!(await holds().catch(() => false))) {
    if (performance.now() > end) throw new Error(`never came true: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

export class ReplicatedPostgres {
  readonly #primary: PostgresServer
  readonly #replica: PostgresServer
  readonly #replicaUrl: string

  private constructor(primary: PostgresServer, replica: PostgresServer, replicaUrl: string) {
    this.#primary = primary
    this.#replica = replica
    this.#replicaUrl = replicaUrl
  }

  static async start(): Promise<ReplicatedPostgres> {
    const primary = await PostgresServer.start({ flags: ['-c', 'wal_level=replica'] })
    const folder = mkdtempSync(join(tmpdir(), 'carillon-replica-'))
    const client = new pg.Client({ connectionString: primary.url })
    await client.connect()
    await client.query("SELECT pg_backup_start('replica', true)")
    cpSync(primary.folder, folder, {
      recursive: true,
      preserveTimestamps: true,
      filter: (path) => !/postmaster\.(pid|opts)$/.test(path),
    })
    const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)')
    await client.end()
    writeFileSync(join(folder, 'backup_label'), rows[0]?.labelfile ?? '')
    writeFileSync(join(folder, 'standby.signal'), '')
    appendFileSync(
      join(folder, 'postgresql.auto.conf'),
      `primary_conninfo = 'host=127.0.0.1 port=${primary.port} user=postgres password=password application_name=replica'\n`,
    )
    giveTo(statSync(primary.folder), folder)
    const port = await freePort()
    const replica = await PostgresServer.start({ folder, port, flags: [], isReplica: true })
    await withClient(primary.url, async (admin) => {
      await until('the replica streams', async () => {
        const { rowCount } = await admin.query("SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'")
        return rowCount === 1
      })
      await admin.query("ALTER SYSTEM SET synchronous_standby_names = 'replica'")
      await admin.query('SELECT pg_reload_conf()')
      await until('the replica is synchronous', async () => {
        const { rowCount } = await admin.query("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'")
        return rowCount === 1
      })
    })
    return new ReplicatedPostgres(primary, replica, replica.url)
  }

  /** One connection string for both. */
  url(schema: string): string {
    const host = `127.0.0.1:${this.#primary.port},127.0.0.1:${this.#replica.port}`
    return `${this.#primary.url.replace(/127\.0\.0\.1:\d+/, host)}?schema=${schema}`
  }

  /** The primary is gone at once; the replica takes its place. */
  async failOver(): Promise<void> {
    process.kill(this.#primary.pid, 'SIGKILL')
    await withClient(this.#replicaUrl, async (admin) => {
      // On the new primary nobody is there to wait for.
      await admin.query('SELECT pg_promote()')
      await admin.query("ALTER SYSTEM SET synchronous_standby_names = ''")
      await admin.query('SELECT pg_reload_conf()')
    })
  }

  async remove(): Promise<void> {
    await this.#replica.remove()
    rmSync(this.#primary.folder, { recursive: true, force: true })
  }
}

/** PostgreSQL wants its folder to be its own; as root, the copy is root's. */
const giveTo = ({ uid, gid }: { readonly uid: number; readonly gid: number }, folder: string): void => {
  chmodSync(folder, 0o700)
  if (process.getuid?.() !== 0) return
  chownSync(folder, uid, gid)
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    chownSync(join(folder, entry), uid, gid)
}
