/**
 * Results of projections in a file of their own beside the store: whatever happens to it, the log can fill it again.
 */
import type { ProjectionCheckpoint, ProjectionStore, SavedProjection } from '../app/Projection.js'
import { HashC } from '../encoding/hash.js'
import type { Json } from '../encoding/canonical.js'
import type { Database } from './Database.js'
import { keepPrivate } from './sqlite/keepPrivate.js'
import { openDatabase } from './sqlite/openDatabase.js'

const schema = `
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
CREATE TABLE IF NOT EXISTS projections (
  name TEXT PRIMARY KEY,
  version INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  hash TEXT NOT NULL,
  result TEXT NOT NULL
) WITHOUT ROWID;
`

/** The outcome of work that is done at once, as a promise: an error of it rejects. */
const settled = <A>(work: () => A): Promise<A> =>
  new Promise((resolve) => {
    resolve(work())
  })

export class SqliteProjections implements ProjectionStore {
  readonly #file: string
  #open: Database | undefined

  constructor(file: string) {
    this.#file = file
  }

  /** Opened when it is first needed, so that a file that cannot be used stops its projections and not the node. */
  get #db(): Database {
    if (this.#open !== undefined) return this.#open
    // Results may say as much as the states they come from.
    keepPrivate(this.#file)
    const db = openDatabase(this.#file)
    db.exec(schema)
    this.#open = db
    return db
  }

  readonly load = (name: string): Promise<SavedProjection | undefined> => settled(() => this.#load(name))

  #load(name: string): SavedProjection | undefined {
    const row = this.#db.prepare('SELECT version, revision, hash, result FROM projections WHERE name = ?').get(name)
    if (row === undefined || !HashC.is(row['hash'])) return undefined
    return {
      version: Number(row['version']),
      result: JSON.parse(String(row['result'])) as Json,
      checkpoint: { revision: Number(row['revision']), hash: row['hash'] },
    }
  }

  readonly save: ProjectionStore['save'] = (name, saved, replaces) => settled(() => this.#save(name, saved, replaces))

  #save(
    name: string,
    { version, result, checkpoint: { revision, hash } }: SavedProjection,
    replaces: ProjectionCheckpoint | undefined,
  ): boolean {
    const values = [version, revision, hash, JSON.stringify(result)]
    const there = this.#db.prepare('SELECT revision, hash FROM projections WHERE name = ?').get(name)
    if (there === undefined) {
      if (replaces !== undefined) return false
      this.#db
        .prepare('INSERT INTO projections (version, revision, hash, result, name) VALUES (?, ?, ?, ?, ?)')
        .run(...values, name)
      return true
    }
    if (there['revision'] !== replaces?.revision || there['hash'] !== replaces?.hash) return false
    this.#db
      .prepare('UPDATE projections SET version = ?, revision = ?, hash = ?, result = ? WHERE name = ?')
      .run(...values, name)
    return true
  }

  readonly close = (): Promise<void> => {
    this.#open?.close()
    return Promise.resolve()
  }
}
