/**
 * Opens SQLite with what the runtime offers: `node:sqlite` where Node has it, better-sqlite3 otherwise.
 * Both are synchronous and give the same rows; nothing above this file knows which one is at work.
 */
import { createRequire } from 'node:module'
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import { storeFailure } from './storeFailure.js'
import type { Database, SqlRow, SqlValue, Statement } from '../views/Database.js'

export type OpenOptions = { readonly readOnly?: boolean }

/** The shape both drivers share. */
type RawStatement = {
  run: (...values: readonly SqlValue[]) => unknown
  get: (...values: readonly SqlValue[]) => unknown
  all: (...values: readonly SqlValue[]) => unknown
  iterate: (...values: readonly SqlValue[]) => IterableIterator<unknown>
}
type RawDatabase = { prepare: (sql: string) => RawStatement; exec: (sql: string) => void; close: () => void }
type Driver = { readonly name: string; readonly open: (file: string, options: OpenOptions) => RawDatabase }

const load = createRequire(import.meta.url)

const nodeSqlite = (): Driver => {
  const { DatabaseSync } = load('node:sqlite') as {
    DatabaseSync: new (file: string, options: { readOnly: boolean }) => RawDatabase
  }
  return { name: 'node:sqlite', open: (file, { readOnly = false }) => new DatabaseSync(file, { readOnly }) }
}

const betterSqlite = (): Driver => {
  const Constructor = load('better-sqlite3') as new (file: string, options: { readonly: boolean }) => RawDatabase
  // Loading succeeds without the compiled addon; opening does not, so the driver is tried before it is chosen.
  new Constructor(':memory:', { readonly: false }).close()
  return { name: 'better-sqlite3', open: (file, { readOnly = false }) => new Constructor(file, { readonly: readOnly }) }
}

/** The first driver that can be loaded, or an error that says what to install and why each of them could not be. */
export const firstLoadable = (candidates: readonly (() => Driver)[]): Driver => {
  const problems: string[] = []
  for (const candidate of candidates) {
    try {
      return candidate()
    } catch (error) {
      problems.push(messageOf(error).split('\n')[0] ?? '')
    }
  }
  throw new CarillonError(
    'sqlite-missing',
    `No SQLite driver could be loaded. On Node 22.13 or later nothing needs to be installed; on Node 20 run "npm install better-sqlite3" and, if npm asks, "npm install-scripts approve better-sqlite3" followed by "npm rebuild better-sqlite3". (${problems.join('; ')})`,
    { node: process.versions.node },
  )
}

let chosen: Driver | undefined

const driver = (): Driver => {
  // A runtime that still calls node:sqlite experimental (Node 22) prints a warning for it; better-sqlite3 is used there when it is installed.
  const major = Number(process.versions.node.split('.')[0])
  chosen ??= firstLoadable(major >= 24 ? [nodeSqlite, betterSqlite] : [betterSqlite, nodeSqlite])
  return chosen
}

/** The name of the driver in use, for diagnostics. */
export const sqliteDriverName = (): string => driver().name

/** Whatever SQLite reports leaves here as a typed error, so that nothing above mistakes it for app code's. */
const guarded = <A>(file: string, run: () => A): A => {
  try {
    return run()
  } catch (error) {
    throw storeFailure(error, file)
  }
}

const adapt = (raw: RawStatement, file: string): Statement => ({
  run: (...values) => {
    guarded(file, () => raw.run(...values))
  },
  get: (...values) => guarded(file, () => raw.get(...values)) as SqlRow | undefined,
  all: (...values) => guarded(file, () => raw.all(...values)) as readonly SqlRow[],
  iterate: (...values) => guarded(file, () => raw.iterate(...values)) as IterableIterator<SqlRow>,
})

/** Statements kept compiled for each connection; Carillon has about a hundred. */
const mostPrepared = 500

export const openDatabase = (file: string, options: OpenOptions = {}): Database => {
  const { open } = driver()
  const raw = guarded(file, () => open(file, options))
  // Readers ask the same questions over and over; compiling one costs more than answering it.
  const prepared = new Map<string, Statement>()
  const prepare = (sql: string): Statement => {
    const known = prepared.get(sql)
    if (known !== undefined) return known
    const statement = adapt(
      guarded(file, () => raw.prepare(sql)),
      file,
    )
    if (prepared.size < mostPrepared) prepared.set(sql, statement)
    return statement
  }
  return {
    prepare,
    exec: (sql) => {
      guarded(file, () => {
        raw.exec(sql)
      })
    },
    close: () => {
      raw.close()
    },
  }
}
