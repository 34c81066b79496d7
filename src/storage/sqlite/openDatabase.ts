/**
 * Opens SQLite with what the runtime offers: `node:sqlite` where Node has it, better-sqlite3 otherwise.
 * Both are synchronous and give the same rows; nothing above this file knows which one is at work.
 */
import { createRequire } from 'node:module'
import { CarillonError, messageOf } from '../../errors/CarillonError.js'
import { storeFailure } from './storeFailure.js'
import type { Database, SqlRow, SqlValue, Statement } from '../Database.js'

export type OpenOptions = { readonly readOnly?: boolean }

/** The shape both drivers share. */
type RawStatement = {
  run: (...values: readonly SqlValue[] | [readonly SqlValue[]]) => unknown
  /** better-sqlite3: rows as lists. */
  raw?: (on: boolean) => RawStatement
  /** node:sqlite, in its newer versions: rows as lists. */
  setReturnArrays?: (on: boolean) => void
  get: (...values: readonly SqlValue[]) => unknown
  all: (...values: readonly SqlValue[]) => unknown
  iterate: (...values: readonly SqlValue[]) => IterableIterator<unknown>
}
type RawDatabase = { prepare: (sql: string) => RawStatement; exec: (sql: string) => void; close: () => void }
type Driver = {
  readonly name: string
  readonly open: (file: string, options: OpenOptions) => RawDatabase
  /** Whether a statement takes its values as one list. */
  readonly takesList: boolean
}

const load = createRequire(import.meta.url)

const nodeSqlite = (): Driver => {
  const { DatabaseSync } = load('node:sqlite') as {
    DatabaseSync: new (file: string, options: { readOnly: boolean }) => RawDatabase
  }
  return {
    name: 'node:sqlite',
    takesList: false,
    open: (file, { readOnly = false }) => new DatabaseSync(file, { readOnly }),
  }
}

const betterSqlite = (): Driver => {
  const Constructor = load('better-sqlite3') as new (file: string, options: { readonly: boolean }) => RawDatabase
  // Loading succeeds without the compiled addon; opening does not, so the driver is tried before it is chosen.
  new Constructor(':memory:', { readonly: false }).close()
  return {
    name: 'better-sqlite3',
    takesList: true,
    open: (file, { readOnly = false }) => new Constructor(file, { readonly: readOnly }),
  }
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
    `No SQLite driver could be loaded. On Node 22.13 or later nothing needs to be installed; on Node 20 run "npm install better-sqlite3@12" and, if npm asks, "npm install-scripts approve better-sqlite3" followed by "npm rebuild better-sqlite3". (${problems.join('; ')})`,
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

/** A statement whose rows are lists; made when one is first asked for. */
const listing = (raw: RawDatabase, sql: string): ((values: readonly SqlValue[]) => unknown) => {
  const statement = raw.prepare(sql)
  if (statement.raw !== undefined) statement.raw(true)
  else if (statement.setReturnArrays !== undefined) statement.setReturnArrays(true)
  else return (values) => (statement.all(...values) as readonly SqlRow[]).map((row) => Object.values(row))
  return (values) => statement.all(...values)
}

// Written out, and not through `guarded`: these run a dozen times for every activity.
const adapt = (db: RawDatabase, sql: string, takesList: boolean, file: string): Statement => {
  const raw = db.prepare(sql)
  let lists: ((values: readonly SqlValue[]) => unknown) | undefined
  return {
    run: (...values) => {
      try {
        raw.run(...values)
      } catch (error) {
        throw storeFailure(error, file)
      }
    },
    runList: (values) => {
      try {
        if (takesList) raw.run(values)
        else raw.run(...values)
      } catch (error) {
        throw storeFailure(error, file)
      }
    },
    get: (...values) => {
      try {
        return raw.get(...values) as SqlRow | undefined
      } catch (error) {
        throw storeFailure(error, file)
      }
    },
    all: (...values) => {
      try {
        return raw.all(...values) as readonly SqlRow[]
      } catch (error) {
        throw storeFailure(error, file)
      }
    },
    lists: (...values) => {
      try {
        lists ??= listing(db, sql)
        return lists(values) as readonly (readonly SqlValue[])[]
      } catch (error) {
        throw storeFailure(error, file)
      }
    },
    iterate: (...values) => guarded(file, () => raw.iterate(...values)) as IterableIterator<SqlRow>,
  }
}

/**
 * SQLite looks at the value of a bound limit when it plans, so it compiles such a statement anew for every value it is
 * given, even the same one; that costs more than running it. The plus hides the value from the planner.
 */
const withoutRecompiling = (sql: string): string => sql.replaceAll(/\bLIMIT \?/g, 'LIMIT +?')

/** Statements kept compiled for each connection; Carillon has about a hundred. */
const mostPrepared = 500

export const openDatabase = (file: string, options: OpenOptions = {}): Database => {
  const { open, takesList } = driver()
  const raw = guarded(file, () => open(file, options))
  // Readers ask the same questions over and over; compiling one costs more than answering it.
  const prepared = new Map<string, Statement>()
  const prepare = (sql: string): Statement => {
    const known = prepared.get(sql)
    if (known !== undefined) return known
    const statement = guarded(file, () => adapt(raw, withoutRecompiling(sql), takesList, file))
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
