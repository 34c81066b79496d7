/**
 * Loaded before specs (`mocha --require`): every virtual node or party that is given no store keeps its log where
 * CARILLON_TEST_LOG says, each on one of its own.
 */
import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EventLog } from '../../src/log/EventLog.js'
import { MemoryLog } from '../../src/logs/memory/MemoryLog.js'
import { SqliteLog } from '../../src/logs/sqlite/SqliteLog.js'
import { LogBackedStore } from '../../src/storage/LogBackedStore.js'
import { openLog } from '../../src/logs/openLog.js'
import { virtualStores } from '../../src/testing/virtualStores.js'
import { withStream } from '../eventstoredb/withStream.js'

const address = process.env['CARILLON_TEST_LOG'] ?? 'memory'
const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'carillon-logs-'))
const opened: LogBackedStore[] = []
const schemas: string[] = []

const openOne = (): EventLog | Promise<EventLog> => {
  const name = `carillon_${randomUUID().replaceAll('-', '')}`
  if (address === 'memory') return new MemoryLog()
  if (address === 'sqlite') return SqliteLog.open(join(folder, `${name}.db`))
  if (!address.startsWith('postgres')) return openLog(withStream(address, name))
  const url = new URL(address)
  schemas.push(name)
  url.searchParams.set('schema', name)
  return openLog(url.href)
}

virtualStores.open = async () => {
  const store = await LogBackedStore.open(await openOne())
  opened.push(store)
  return store
}

/** An hour of beats is thousands of commits, and on a server each of them takes its time. */
const patienceMs = 600_000

export const mochaHooks = {
  beforeEach(this: Mocha.Context): void {
    if (process.env['CARILLON_TEST_WHOLE'] === '1') this.currentTest?.timeout(patienceMs)
  },
  /** A server has so many connections and no more. */
  async afterEach(): Promise<void> {
    for (const store of opened.splice(0)) await store.close()
  },
  async afterAll(): Promise<void> {
    rmSync(folder, { recursive: true })
    if (schemas.length === 0) return
    const { default: pg } = await import('pg')
    const client = new pg.Client({ connectionString: address })
    await client.connect()
    for (const schema of schemas) await client.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`)
    await client.end()
  },
}
