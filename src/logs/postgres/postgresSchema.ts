/**
 * The tables of a log in PostgreSQL, brought up to date by numbered steps. A step that has been released is never
 * changed; a schema of a newer version is refused before anything in it is touched.
 */
import { CarillonError } from '../../errors/CarillonError.js'
import { sqlStateOf } from './postgresFailure.js'
import type { PostgresSession, SqlQuery, Row } from './PostgresSession.js'

/** The version before the first that was released; its logs are not signed and cannot be read. */
const unsignedVersion = 1

/** SQL that leads from one version to the next; the first makes version 2. `schema` is quoted already. */
const steps: readonly ((schema: string) => string)[] = [
  // Bytes, because text would depend on the encoding of the database. A tick's number is the key on which two writers
  // meet; rows are only ever added.
  (schema) => `
    CREATE TABLE ${schema}.log_ticks (
      tick bigint PRIMARY KEY,
      first_revision bigint NOT NULL UNIQUE,
      count integer NOT NULL,
      at_ms bigint NOT NULL,
      hash text NOT NULL,
      signature text NOT NULL,
      events bytea NOT NULL
    );
    CREATE FUNCTION ${schema}.log_is_append_only() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'the log is append-only'; END $$;
    CREATE TRIGGER log_ticks_are_never_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON ${schema}.log_ticks
      FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.log_is_append_only();
  `,
]

export const schemaVersion = unsignedVersion + steps.length

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Undefined when there is no log in the schema yet. */
const versionOf = async (
  query: (query: SqlQuery) => Promise<readonly Row[]>,
  schema: string,
): Promise<number | undefined> => {
  try {
    const rows = await query({ text: `SELECT max(version) AS version FROM ${quoted(schema)}.carillon_versions` })
    const version = rows[0]?.['version']
    return typeof version === 'number' ? version : undefined
  } catch (error) {
    // No such table, or no such schema.
    if (['42P01', '3F000'].includes(sqlStateOf(error) ?? '')) return undefined
    throw error
  }
}

const assertKnown = (version: number, schema: string): void => {
  if (version <= unsignedVersion)
    throw new CarillonError(
      'log-too-old',
      `The schema ${schema} holds a log of the format before the first release, whose ticks are not signed. It cannot be read any more, and nothing was changed. Name another schema to begin a new log.`,
      { schema, version },
    )
  if (version <= schemaVersion) return
  throw new CarillonError(
    'log-too-new',
    `The schema ${schema} is of version ${version}, made by a newer version of Carillon; this version knows up to ${schemaVersion}. Run the newer version.`,
    { schema, version },
  )
}

/** Refuses a schema that a newer version has brought up to date, perhaps while this one was running. */
export const assertSchema = async (
  query: (query: SqlQuery) => Promise<readonly Row[]>,
  schema: string,
): Promise<void> => {
  const version = await versionOf(query, schema)
  if (version !== undefined) assertKnown(version, schema)
}

/** Makes the tables, or brings them up to date. A role that may not make schemas finds its schema made by another. */
export const migrate = async (session: PostgresSession, schema: string): Promise<void> => {
  const version = await versionOf((query) => session.query(query), schema)
  if (version !== undefined) assertKnown(version, schema)
  if (version === schemaVersion) return
  await session.transaction(async (query) => {
    // Two nodes that start at once must not both make the tables.
    await query({ text: 'SELECT pg_advisory_xact_lock(hashtext($1))', values: [`carillon schema ${schema}`] })
    const found = await query({ text: 'SELECT 1 FROM pg_namespace WHERE nspname = $1', values: [schema] })
    if (found.length === 0) await query({ text: `CREATE SCHEMA ${quoted(schema)}` })
    await query({
      text: `CREATE TABLE IF NOT EXISTS ${quoted(schema)}.carillon_versions (version integer PRIMARY KEY, since timestamptz NOT NULL DEFAULT now())`,
    })
    const from = (await versionOf(query, schema)) ?? unsignedVersion
    if (from > unsignedVersion) assertKnown(from, schema)
    for (const [index, step] of steps.slice(from - unsignedVersion).entries()) {
      await query({ text: step(quoted(schema)) })
      await query({
        text: `INSERT INTO ${quoted(schema)}.carillon_versions (version) VALUES ($1)`,
        values: [from + index + 1],
      })
    }
  })
}
