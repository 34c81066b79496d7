/**
 * What the projections of a killed node have saved, as the next start will find it: result and checkpoint, beside the store
 * and in PostgreSQL.
 */
import { existsSync } from 'node:fs'
import pg from 'pg'
import { openDatabase } from '../../src/storage/sqlite/openDatabase.js'
import type { CountLine } from './campaignLines.js'
import { BesideTheStore, CountC, countSchema, InPostgresName } from './counting.js'

const lineOf = (
  projection: string,
  count: unknown,
  { revision, hash }: { readonly revision: unknown; readonly hash: unknown },
): CountLine => {
  if (!CountC.is(count)) throw new Error(`${projection} has saved ${JSON.stringify(count)}, which is no count`)
  return { projection, at: 'saved', count, checkpoint: { revision: Number(revision), hash: String(hash) } }
}

const besideTheStore = (file: string): readonly CountLine[] => {
  if (!existsSync(file)) return []
  const db = openDatabase(file, { readOnly: true })
  try {
    const [table] = db.prepare("SELECT name FROM sqlite_master WHERE name = 'projections'").all()
    const row =
      table === undefined
        ? undefined
        : db.prepare('SELECT revision, hash, result FROM projections WHERE name = ?').get(BesideTheStore.name)
    if (row === undefined) return []
    const { revision, hash, result } = row
    return [lineOf(BesideTheStore.name, JSON.parse(String(result)), { revision, hash })]
  } finally {
    db.close()
  }
}

const inPostgres = async (url: string): Promise<readonly CountLine[]> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows: made } = await client.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [countSchema])
    if (made.length === 0) return []
    // One statement sees one moment, although the killed process's last transaction may still be about to end.
    const { rows } = await client.query<Record<string, unknown>>(
      `SELECT c.revision::integer AS stands, c.hash, t.* FROM ${countSchema}.carillon_checkpoint c, ${countSchema}.counted t`,
    )
    return rows.flatMap(({ stands, hash, count, revision, chain }) =>
      hash === null ? [] : [lineOf(InPostgresName, { count, revision, chain }, { revision: stands, hash })],
    )
  } finally {
    await client.end()
  }
}

/** What is saved at this moment; nothing where nothing has been saved yet. */
export const savedCounts = async (projectionsFile: string, postgresUrl: string): Promise<readonly CountLine[]> => [
  ...besideTheStore(projectionsFile),
  ...(await inPostgres(postgresUrl)),
]
