/**
 * A projection into tables of one's own PostgreSQL. Its tables and its checkpoint lie in one schema, and each batch of events
 * changes both in one transaction, so every event counts exactly once. A new version is built in a schema beside the old one
 * and takes its name when it has caught up.
 */
import { randomUUID } from 'node:crypto'
import {
  assertProjection,
  type ProjectionCheckpoint,
  type ProjectionTarget,
  type TargetProjection,
} from '../../app/Projection.js'
import { evolveThrew } from '../../app/evolveThrew.js'
import { HashC } from '../../encoding/hash.js'
import { CarillonError, messageOf } from '../../errors/CarillonError.js'
import type { PublicEvent, PublicEventType } from '../../log/PublicEvent.js'
import { parsePostgresAddress } from './PostgresAddress.js'
import { endsSession, sqlStateOf, wantsAnotherTry } from './postgresFailure.js'
import { assertPostgresEncrypted, PostgresSession, type Row, type SqlQuery } from './PostgresSession.js'
import { quoted } from './postgresSchema.js'

/** Runs one statement inside the transaction of a batch, and gives its rows. */
export type ProjectionSql = (text: string, values?: readonly unknown[]) => Promise<readonly Row[]>

/** What an app developer writes. */
export type PostgresProjectionOptions<T extends PublicEventType> = {
  /** A name that stays the same for ever. */
  readonly name: string
  /** A higher version is built anew from the first event, beside the old one. Default 1. */
  readonly version?: number
  /** The events it is folded from. Default: all public events. */
  readonly types?: readonly T[]
  /** Where the database is, as in `postgres://user:password@host:5432/database`. */
  readonly url: string
  /** The schema of its tables; nothing else may be in it. Default: the name, with _ for what is no letter or digit. */
  readonly schema?: string
  /** Makes the tables, without the name of a schema: `CREATE TABLE totals (...)`. */
  readonly tables: readonly string[]
  /** Takes in an event. Everything it does by `sql` is one transaction with the checkpoint. */
  readonly evolve: (sql: ProjectionSql, event: PublicEvent & { readonly type: T }) => Promise<void>
}

type Query = (query: SqlQuery) => Promise<readonly Row[]>

const answerMs = 30_000
const checkpointTable = 'carillon_checkpoint'

const defaultSchemaOf = (name: string): string => name.replaceAll(/\W/g, '_').toLowerCase()

/** An error of the database's own, not of what was asked of it: it may pass. */
const mayPass = (error: unknown): boolean => {
  const state = sqlStateOf(error)
  return endsSession(error) || wantsAnotherTry(error) || (state !== undefined && /^(40|53|55|57|58|28)/.test(state))
}

type Place = { readonly version: number; readonly checkpoint: ProjectionCheckpoint | undefined }

class PostgresTarget<T extends PublicEventType> implements ProjectionTarget {
  readonly #options: PostgresProjectionOptions<T>
  readonly #version: number
  readonly #live: string
  readonly #session: PostgresSession
  /** Stands in the checkpoint from `open` on. What an earlier owner still had under way then changes nothing. */
  readonly #owner = randomUUID()
  /** The schema it writes to. */
  #schema: string

  constructor(options: PostgresProjectionOptions<T>, version: number) {
    this.#options = options
    this.#version = version
    const address = parsePostgresAddress(options.url, options.schema ?? defaultSchemaOf(options.name))
    this.#live = address.schema
    this.#schema = address.schema
    this.#session = new PostgresSession({ address, answerMs, purpose: `projection ${options.name}` })
  }

  readonly open = (): Promise<ProjectionCheckpoint | undefined> =>
    this.#asProjection(() =>
      this.#session.transaction(async (query) => {
        // Two processes that start at once must not both make the tables.
        await query({
          text: 'SELECT pg_advisory_xact_lock(hashtext($1))',
          values: [`carillon projection ${this.#live}`],
        })
        const live = await this.#placeIn(query, this.#live)
        if (live === undefined || live.version === this.#version) {
          this.#schema = this.#live
          return live === undefined ? this.#make(query, this.#live) : this.#take(query, this.#live)
        }
        if (live.version > this.#version)
          throw new CarillonError(
            'projection-outdated',
            `Projection ${this.#options.name} is defined as version ${this.#version}, and schema ${this.#live} was built by version ${live.version}. Run the newer app, or give the definition a higher version.`,
            { projection: this.#options.name, version: this.#version, saved: live.version },
          )
        this.#schema = `${this.#live}_v${this.#version}`
        const beside = await this.#placeIn(query, this.#schema)
        return beside === undefined ? this.#make(query, this.#schema) : this.#take(query, this.#schema)
      }),
    )

  readonly apply = (
    events: readonly PublicEvent[],
    to: ProjectionCheckpoint,
    from: ProjectionCheckpoint | undefined,
  ): Promise<boolean> =>
    this.#asProjection(() =>
      this.#session.transaction(async (query) => {
        await query({ text: `SET LOCAL search_path TO ${quoted(this.#schema)}` })
        const [row] = await query({ text: `SELECT version, revision, hash, owner FROM ${checkpointTable} FOR UPDATE` })
        const place = placeOf(row)
        if (place?.version !== this.#version || row?.['owner'] !== this.#owner) return false
        // The answer to the same batch may have been lost.
        if (place.checkpoint?.hash === to.hash) return true
        if (place.checkpoint?.hash !== from?.hash) return false
        for (const event of events) await this.#evolve(query, event)
        await query({
          text: `UPDATE ${checkpointTable} SET revision = $1, hash = $2`,
          values: [to.revision, to.hash],
        })
        return true
      }),
    )

  readonly caughtUp = async (): Promise<void> => {
    if (this.#schema === this.#live) return
    await this.#asProjection(() =>
      this.#session.transaction(async (query) => {
        await query({ text: `DROP SCHEMA IF EXISTS ${quoted(this.#live)} CASCADE` })
        await query({ text: `ALTER SCHEMA ${quoted(this.#schema)} RENAME TO ${quoted(this.#live)}` })
      }),
    )
    this.#schema = this.#live
  }

  readonly close = (): Promise<void> => this.#session.close()

  async #evolve(query: Query, event: PublicEvent): Promise<void> {
    const asked: Promise<readonly Row[]>[] = []
    const sql: ProjectionSql = (text, values = []) => {
      const rows = query({ text, values: [...values] })
      rows.catch(() => undefined)
      asked.push(rows)
      return rows
    }
    try {
      try {
        await this.#options.evolve(sql, event as PublicEvent & { readonly type: T })
      } finally {
        // A statement that was refused has made the transaction void, also when it was not awaited or its error was caught.
        await Promise.all(asked)
      }
    } catch (error) {
      if (error instanceof CarillonError && sqlStateOf(error) === undefined && error.cause !== undefined) throw error
      if (sqlStateOf(error) !== undefined && mayPass(error)) throw error
      const said = error instanceof CarillonError && error.cause !== undefined ? error.cause : error
      throw evolveThrew(this.#options.name, event, said)
    }
  }

  async #make(query: Query, schema: string): Promise<undefined> {
    await query({ text: `CREATE SCHEMA ${quoted(schema)}` })
    await query({ text: `SET LOCAL search_path TO ${quoted(schema)}` })
    await query({
      text: `CREATE TABLE ${checkpointTable} (version integer NOT NULL, revision bigint, hash text, owner text)`,
    })
    await query({
      text: `INSERT INTO ${checkpointTable} (version, owner) VALUES ($1, $2)`,
      values: [this.#version, this.#owner],
    })
    for (const text of this.#options.tables) await query({ text })
    return undefined
  }

  /** Becomes the owner of the tables in a schema, when what the earlier one had under way has ended. */
  async #take(query: Query, schema: string): Promise<ProjectionCheckpoint | undefined> {
    const table = `${quoted(schema)}.${checkpointTable}`
    // Tables that were made before there were owners.
    await query({ text: `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS owner text` })
    const [row] = await query({
      text: `UPDATE ${table} SET owner = $1 RETURNING version, revision, hash`,
      values: [this.#owner],
    })
    return placeOf(row)?.checkpoint
  }

  /** Where the projection in a schema stands; undefined when there is no such schema. */
  async #placeIn(query: Query, schema: string): Promise<Place | undefined> {
    const found = await query({ text: 'SELECT 1 FROM pg_namespace WHERE nspname = $1', values: [schema] })
    if (found.length === 0) return undefined
    const tables = await query({
      text: 'SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename = $2',
      values: [schema, checkpointTable],
    })
    const [row] =
      tables.length === 0
        ? []
        : await query({ text: `SELECT version, revision, hash FROM ${quoted(schema)}.${checkpointTable}` })
    const place = placeOf(row)
    if (place !== undefined) return place
    throw new CarillonError(
      'projection-outdated',
      `Schema ${schema} is there, and was not made by a projection. Give projection ${this.#options.name} a schema of its own.`,
      { projection: this.#options.name, schema },
    )
  }

  /** Errors of the connection, in words of a projection. */
  async #asProjection<A>(work: () => Promise<A>): Promise<A> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof CarillonError && error.code.startsWith('projection-')) throw error
      const said = error instanceof CarillonError && error.cause !== undefined ? error.cause : error
      throw new CarillonError(
        'projection-store-away',
        `The database of projection ${this.#options.name} cannot be used: ${messageOf(said)}. The projection goes on by itself when it can.`,
        { projection: this.#options.name },
        said,
      )
    }
  }
}

const placeOf = (row: Row | undefined): Place | undefined => {
  if (row === undefined) return undefined
  const { version, revision, hash } = row
  return {
    version: Number(version),
    checkpoint: HashC.is(hash) ? { revision: Number(revision), hash } : undefined,
  }
}

/** Defines a projection whose result are tables of a PostgreSQL database. */
export const definePostgresProjection = <T extends PublicEventType = PublicEventType>(
  options: PostgresProjectionOptions<T>,
): TargetProjection => {
  const { name, version = 1, types } = options
  assertProjection(name, version, types)
  // An address that cannot be used is told where it is written, not when the node starts.
  assertPostgresEncrypted(parsePostgresAddress(options.url, options.schema ?? defaultSchemaOf(name)))
  return Object.freeze({ kind: 'target', name, version, types, openTarget: () => new PostgresTarget(options, version) })
}
