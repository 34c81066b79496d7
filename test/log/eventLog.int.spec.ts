import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { MemoryLog } from '../../src/logs/memory/MemoryLog.js'
import { SqliteLog } from '../../src/logs/sqlite/SqliteLog.js'
import { emptyHead, headAfter } from '../../src/log/Tick.js'
import { openDatabase } from '../../src/storage/sqlite/openDatabase.js'
import type { Database } from '../../src/storage/Database.js'
import { describeEventLog, ticksAfter } from './conformance.js'
import { describeFaults, type LogFault } from './faults.js'

describeEventLog('MemoryLog', () => {
  const first = new MemoryLog()
  return Promise.resolve({
    open: () => Promise.resolve(first.another()),
    remove: () => first.close(),
  })
})

// Thousands of synced commits take long on a disk; what is tested here does not depend on the disk.
const place = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
const makeFolder = (): Promise<string> => mkdtemp(join(place, 'carillon-log-'))

describeEventLog('SqliteLog', async () => {
  const folder = await makeFolder()
  return {
    open: () => Promise.resolve(SqliteLog.open(join(folder, 'log.db'))),
    remove: () => rm(folder, { recursive: true }),
  }
})

describeFaults('SqliteLog', ['held by another process', 'replaced by something else'], async () => {
  const folder = await makeFolder()
  const file = join(folder, 'log.db')
  const opened: SqliteLog[] = []
  let other: Database | undefined
  const known: readonly LogFault[] = [
    {
      name: 'held by another process',
      begin: () => {
        other = openDatabase(file)
        other.exec('BEGIN IMMEDIATE')
      },
      end: () => other?.exec('ROLLBACK'),
    },
    {
      name: 'replaced by something else',
      begin: () => {
        other = openDatabase(file)
        other.exec('DROP TABLE log_ticks; CREATE VIEW log_ticks AS SELECT 1 AS other')
      },
      code: 'store-corrupt',
    },
  ]
  return {
    open: () => {
      const log = SqliteLog.open(file)
      opened.push(log)
      return Promise.resolve(log)
    },
    fault: (name) => known.find((fault) => fault.name === name)!,
    remove: async () => {
      for (const log of opened) await log.close()
      other?.close()
      await rm(folder, { recursive: true })
    },
  }
})

describe('SqliteLog', () => {
  let folder: string
  let file: string

  beforeEach(async () => {
    folder = await makeFolder()
    file = join(folder, 'log.db')
  })
  afterEach(() => rm(folder, { recursive: true }))

  it('is append-only even for whoever opens its file: rows can be neither changed nor deleted nor replaced', async () => {
    const log = SqliteLog.open(file)
    const tick = ticksAfter(emptyHead, [2])[0]!
    await log.append(emptyHead, tick)
    const db = openDatabase(file)
    expect(() => db.exec("UPDATE log_ticks SET events = 'other'")).to.throw('the log is append-only')
    expect(() => db.exec('DELETE FROM log_ticks')).to.throw('the log is append-only')
    expect(() => db.exec("REPLACE INTO log_ticks VALUES (1, 0, 1, 0, 'hash', 'signature', 'other')")).to.throw(
      'the log is append-only',
    )
    db.close()
    expect(await log.head()).to.deep.equal(headAfter(tick))
    await log.close()
  })

  it('opened read-only, reads and follows but cannot append', async () => {
    const log = SqliteLog.open(file)
    const ticks = ticksAfter(emptyHead, [1, 1])
    await log.append(emptyHead, ticks[0]!)
    const reader = SqliteLog.openReadOnly(file)
    const outcome = await reader.append(headAfter(ticks[0]!), ticks[1]!)
    expect(outcome).to.include({ kind: 'failed' })
    expect(await log.head()).to.deep.equal(headAfter(ticks[0]!))
    await reader.close()
    await log.close()
  })
})
