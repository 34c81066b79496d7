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
import { projectionFenced } from '../../app/projectionFenced.js'
import { HashC } from '../../encoding/hash.js'
import { CarillonError } from '../../errors/CarillonError.js'
import { sentenceOf } from '../../errors/sentenceOf.js'
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

type IsInLog = Parameters<ProjectionTarget['open']>[0]

const answerMs = 30_000
const checkpointTable = 'carillon_checkpoint'

const schemaBeside = (schema: string, version: number): string => `${schema}_v${version}`

const defaultSchemaOf = (name: string): string => name.replaceAll(/\W/g, '_').toLowerCase()

/** An error of the database's own, not of what was asked of it: it may pass. */
const mayPass = (error: unknown): boolean => {
  const state = sqlStateOf(error)
  return endsSession(error) || wantsAnotherTry(error) || (state !== undefined && /^(40|53|55|57|58|28)/.test(state))
}

/**
 * With these a statement would end the transaction of its batch, whatever else the batch holds. That no other statement
 * stands before them, the server sees to.
 */
const endsTransaction =
  /^(\s|;|--[^\n]*(\n|$)|\/\*[^]*?\*\/)*(begin|start\s+transaction|commit|end|abort|prepare\s+transaction|rollback(?!\s+(work\s+|transaction\s+)?to\b))\b/i

/** What the driver has said. The session tells it in words of a log, which a projection is not. */
const causeOf = (error: unknown): unknown =>
  error instanceof CarillonError && error.cause !== undefined ? error.cause : error

type Place = { readonly version: number; readonly checkpoint: ProjectionCheckpoint | undefined }

class PostgresTarget<T extends PublicEventType> implements ProjectionTarget {
  readonly #options: PostgresProjectionOptions<T>
  readonly #version: number
  readonly #live: string
  /** The schema of a version that has not caught up yet. */
  readonly #beside: string
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
    this.#beside = schemaBeside(address.schema, version)
    this.#schema = address.schema
    this.#session = new PostgresSession({ address, answerMs, purpose: `projection ${options.name}` })
  }

  readonly open: ProjectionTarget['open'] = (isInLog) =>
    this.#asProjection(() =>
      this.#session.transaction(async (query) => {
        await this.#lockPlace(query)
        const live = await this.#placeIn(query, this.#live)
        this.#assertNotNewer(live)
        this.#schema = live === undefined || live.version === this.#version ? this.#live : this.#beside
        const own = this.#schema === this.#live ? live : await this.#placeIn(query, this.#schema)
        return own === undefined ? this.#make(query) : this.#take(query, isInLog)
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
        const place = await this.#ownPlace(query)
        if (place === undefined) return false
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
        await this.#lockPlace(query)
        const live = await this.#placeIn(query, this.#live)
        this.#assertNotNewer(live)
        // It has the name already: the answer was lost.
        if (live?.version === this.#version) return
        await query({ text: `SET LOCAL search_path TO ${quoted(this.#schema)}` })
        if ((await this.#ownPlace(query)) === undefined) throw projectionFenced(this.#options.name)
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
      const rows = endsTransaction.test(text)
        ? Promise.reject(new Error(`"${text.trim()}" is no statement for a projection: each batch is one transaction.`))
        : query({ text, values: [...values], queryMode: 'extended' })
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
      throw evolveThrew(this.#options.name, event, causeOf(error))
    }
  }

  /** Two processes that start at once must not both make the tables, nor change them under one another. */
  async #lockPlace(query: Query): Promise<void> {
    const values = [`carillon projection ${this.#live}`]
    await query({ text: 'SELECT pg_advisory_xact_lock(hashtext($1))', values })
  }

  #assertNotNewer(live: Place | undefined): void {
    if (live === undefined || live.version <= this.#version) return
    const { name } = this.#options
    throw new CarillonError(
      'projection-outdated',
      `Projection ${name} is defined as version ${this.#version}, and schema ${this.#live} was built by version ${live.version}. Run the newer app, or give the definition a higher version.`,
      { projection: name, version: this.#version, saved: live.version },
    )
  }

  async #make(query: Query): Promise<undefined> {
    const schema = quoted(this.#schema)
    await query({ text: `CREATE SCHEMA ${schema}` })
    await query({ text: `SET LOCAL search_path TO ${schema}` })
    await query({
      text: `CREATE TABLE ${checkpointTable} (name text NOT NULL, version integer NOT NULL, revision bigint, hash text, owner text NOT NULL)`,
    })
    await query({
      text: `INSERT INTO ${checkpointTable} (name, version, owner) VALUES ($1, $2, $3)`,
      values: [this.#options.name, this.#version, this.#owner],
    })
    for (const text of this.#options.tables) await query({ text }).catch((error: unknown) => this.#tablesRefused(error))
    return undefined
  }

  /** A wrong statement is as wrong the next time; what may pass, and rights that may be given, are waited for. */
  #tablesRefused(error: unknown): never {
    const state = sqlStateOf(error)
    if (state === undefined || state === '42501' || mayPass(error)) throw error
    const { name } = this.#options
    throw new CarillonError(
      'projection-threw',
      `The tables of projection ${name} cannot be made: ${sentenceOf(causeOf(error))} Mend its definition and start the node again.`,
      { projection: name },
      error,
    )
  }

  /** Becomes the owner of the tables, when what the earlier one had under way has ended. */
  async #take(query: Query, isInLog: IsInLog): Promise<ProjectionCheckpoint | undefined> {
    await query({ text: `SET LOCAL search_path TO ${quoted(this.#schema)}` })
    const [row] = await query({ text: `SELECT version, revision, hash FROM ${checkpointTable} FOR UPDATE` })
    const checkpoint = placeOf(row)?.checkpoint
    // The node of another log must not stop the one whose tables these are.
    if (checkpoint !== undefined && !(await isInLog(checkpoint))) return checkpoint
    await query({ text: `UPDATE ${checkpointTable} SET owner = $1`, values: [this.#owner] })
    return checkpoint
  }

  /** Where it stands, held until the transaction ends; undefined when another process has taken the tables over. */
  async #ownPlace(query: Query): Promise<Place | undefined> {
    const text = `SELECT version, revision, hash, owner FROM ${checkpointTable} FOR UPDATE`
    const [row] = await query({ text }).catch((error: unknown) => {
      // They have been given another name by whoever has taken them over.
      if (sqlStateOf(error) === '42P01') return []
      throw error
    })
    const place = placeOf(row)
    return place?.version === this.#version && row?.['owner'] === this.#owner ? place : undefined
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
        : await query({ text: `SELECT name, version, revision, hash FROM ${quoted(schema)}.${checkpointTable}` })
    const { name } = this.#options
    const owner = row?.['name']
    const place = placeOf(row)
    if (place !== undefined && owner === name) return place
    throw new CarillonError(
      'projection-outdated',
      `Schema ${schema} is there, and ${typeof owner === 'string' ? `belongs to projection ${owner}` : 'was not made by a projection'}. Give projection ${name} a schema of its own.`,
      { projection: name, schema },
    )
  }

  /** Errors of the connection, in words of a projection. */
  async #asProjection<A>(work: () => Promise<A>): Promise<A> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof CarillonError && error.code.startsWith('projection-')) throw error
      const said = causeOf(error)
      throw new CarillonError(
        'projection-store-away',
        `The database of projection ${this.#options.name} cannot be used: ${sentenceOf(said)} The projection goes on by itself when it can.`,
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
  const { name, version = 1, types, url, schema = defaultSchemaOf(name) } = options
  assertProjection(name, version, types)
  // An address that cannot be used is told where it is written, not when the node starts.
  assertPostgresEncrypted(parsePostgresAddress(url, schemaBeside(schema, version)))
  return Object.freeze({ kind: 'target', name, version, types, openTarget: () => new PostgresTarget(options, version) })
}
