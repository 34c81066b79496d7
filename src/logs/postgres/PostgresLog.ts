/**
 * A log in a schema of a PostgreSQL database: one row a tick. The primary key is the lock: a tick is inserted only
 * beside its predecessor, by number and hash, in one statement, so that of two writers one inserts nothing.
 */
import * as t from 'io-ts'
import { isLeft } from 'fp-ts/lib/Either.js'
import { HashC } from '../../encoding/hash.js'
import { NodeFault, type CarillonError } from '../../errors/CarillonError.js'
import { remoteLogLimits } from '../limits.js'
import { instantFromMillis, toMillis, type Instant } from '../../time/Instant.js'
import type { AppendOutcome, EventLog } from '../../log/EventLog.js'
import { BackOff } from '../../engine/BackOff.js'
import { mayPass } from '../remote/mayPass.js'
import { pause } from '../../engine/pause.js'
import { untilAborted } from '../../engine/untilAborted.js'
import { emptyHead, type EncodedTick, type Head } from '../../log/Tick.js'
import { parsePostgresAddress, type PostgresAddress } from './PostgresAddress.js'
import { PostgresNotifications } from './PostgresNotifications.js'
import { surelyNotCommitted, wantsAnotherTry } from './postgresFailure.js'
import { PostgresSession, assertPostgresEncrypted, type SqlQuery, type Row } from './PostgresSession.js'
import { assertSchema, migrate, quoted } from './postgresSchema.js'

/** Where the log is. */
export type PostgresLogOptions = {
  /** A connection string; several hosts are separated by commas, and the one that takes writes is used. */
  readonly url: string
  /** The schema that holds the log. Default `carillon`, or what `?schema=` in the connection string says. */
  readonly schema?: string
  /** How long an append may take before it counts as unknown and is looked for. Default 10 seconds. */
  readonly answerMs?: number
}

const whole = new t.Type<number, number>(
  'whole number',
  t.number.is,
  (value, context) => {
    const number = Number(value)
    return Number.isSafeInteger(number) ? t.success(number) : t.failure(value, context)
  },
  t.identity,
)
const HeadRowC = t.type({ tick: whole, first_revision: whole, count: whole, hash: HashC, signature: t.string })
/** In binary form the driver has no parser for bytes and takes them to be UTF-8, which they are. */
const TickRowC = t.type({
  tick: whole,
  first_revision: whole,
  at_ms: whole,
  hash: HashC,
  signature: t.string,
  events: t.string,
})

/** Other settings of the database must not weaken what an answered append means, nor cancel it half-way. */
const writerSettings = `
  SET lock_timeout = ${remoteLogLimits.logLockMs};
  SET statement_timeout = 0;
  -- "off" answers before the disk has it. Whoever has chosen more than "on", such as a replica's disk, keeps that.
  SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
`

const headColumns = 'tick, first_revision, count, hash, signature'

/** Asked through a function, because the compiler takes a property it has seen false to be false for ever. */
const isAborted = (signal: AbortSignal): boolean => signal.aborted

/** A log in PostgreSQL. Open one with {@link PostgresLog.open}. */
export class PostgresLog implements EventLog {
  readonly #address: PostgresAddress
  readonly #writer: PostgresSession
  readonly #reader: PostgresSession
  readonly #notifications: PostgresNotifications
  readonly #closed = new AbortController()
  readonly #table: string

  private constructor({ url, schema, answerMs = remoteLogLimits.logAnswerMs }: PostgresLogOptions) {
    this.#address = parsePostgresAddress(url, schema)
    assertPostgresEncrypted(this.#address)
    this.#table = `${quoted(this.#address.schema)}.log_ticks`
    this.#writer = new PostgresSession({
      address: this.#address,
      answerMs,
      purpose: 'writer',
      prepare: writerSettings,
      check: (query) => assertSchema(query, this.#address.schema),
    })
    this.#reader = new PostgresSession({ address: this.#address, answerMs, purpose: 'reader' })
    this.#notifications = new PostgresNotifications(this.#address, answerMs)
  }

  /** Connects, and makes the tables or brings them up to date. */
  static async open(options: PostgresLogOptions): Promise<PostgresLog> {
    const log = new PostgresLog(options)
    try {
      await migrate(log.#writer, log.#address.schema)
      return log
    } catch (error) {
      await log.close()
      throw error
    }
  }

  /** Where the log is, for messages: without the password. */
  get where(): string {
    return this.#address.shown
  }

  readonly head = (): Promise<Head> => this.#headOn(this.#reader)

  readonly append: EventLog['append'] = async (expected, tick) => {
    for (;;) {
      let added: readonly Row[]
      try {
        await this.#writer.connect()
      } catch (error) {
        return { kind: 'failed', error: this.#writer.failureOf(error) }
      }
      try {
        added = await this.#writer.query(this.#insert(expected, tick))
      } catch (error) {
        if (wantsAnotherTry(error)) continue
        return { kind: surelyNotCommitted(error) ? 'failed' : 'unknown', error: this.#writer.failureOf(error) }
      }
      if (added.length === 0) return this.#refusal()
      this.#notifications.notify()
      return { kind: 'appended' }
    }
  }

  #insert(expected: Head, tick: EncodedTick): SqlQuery {
    return {
      name: 'carillon_append',
      text: `
        INSERT INTO ${this.#table} (tick, first_revision, count, at_ms, hash, signature, events)
        SELECT $1::bigint, $2::bigint, $3::integer, $4::bigint, $5::text, $6::text, $7::bytea
        WHERE $8::bigint = $1::bigint - 1
          AND ($8::bigint = 0 OR EXISTS (SELECT 1 FROM ${this.#table}
            WHERE tick = $8::bigint AND hash = $9::text AND signature = $10::text
              AND first_revision + count = $2::bigint))
        ON CONFLICT DO NOTHING
        RETURNING tick`,
      values: [
        tick.number,
        tick.firstRevision,
        tick.events.length,
        toMillis(tick.at),
        tick.hash,
        tick.signature,
        Buffer.from(tick.events.join('\n')),
        expected.tick,
        expected.hash,
        expected.signature,
      ],
    }
  }

  async #refusal(): Promise<AppendOutcome> {
    try {
      return { kind: 'refused', head: await this.#headOn(this.#writer) }
    } catch (error) {
      // It was not added; who was first is still to be found out.
      return { kind: 'unknown', error: this.#writer.failureOf(error) }
    }
  }

  async *read(fromRevision: number): AsyncGenerator<EncodedTick> {
    const { tick: until } = await this.head()
    let next = await this.#tickHolding(fromRevision)
    while (next <= until) {
      const page = await this.#page(next)
      if (page.length === 0) throw this.#foreign(`tick ${next} is missing`)
      for (const tick of page) {
        if (tick.number > until) return
        next = tick.number + 1
        if (tick.firstRevision + tick.events.length > fromRevision) yield tick
      }
    }
  }

  async *follow(fromRevision: number, signal: AbortSignal): AsyncGenerator<EncodedTick> {
    const ended = AbortSignal.any([signal, this.#closed.signal])
    const backOff = new BackOff()
    let next: number | undefined
    while (!isAborted(ended)) {
      let page: readonly EncodedTick[]
      try {
        const found = await untilAborted(this.#lookFrom(next, fromRevision), ended, () => undefined)
        if (found === undefined) return
        next = found.next
        page = found.page
        backOff.succeeded()
      } catch (error) {
        if (isAborted(ended)) return
        if (!mayPass(error)) throw error
        await pause(backOff.next(), ended)
        continue
      }
      for (const tick of page) {
        if (isAborted(ended)) return
        next = tick.number + 1
        if (tick.firstRevision + tick.events.length > fromRevision) yield tick
      }
      if (page.length === 0 && !isAborted(ended)) await this.#notifications.next(ended)
    }
  }

  /** The next ticks for a follower, and the number of the first of them. */
  async #lookFrom(
    tick: number | undefined,
    fromRevision: number,
  ): Promise<{ readonly next: number; readonly page: readonly EncodedTick[] }> {
    // Before the look, so that nothing can come between the two unheard.
    await this.#notifications.listen()
    const next = tick ?? (await this.#tickHolding(fromRevision))
    return { next, page: await this.#page(next) }
  }

  readonly close = async (): Promise<void> => {
    if (this.#closed.signal.aborted) return
    this.#closed.abort()
    await Promise.all([this.#writer.close(), this.#reader.close(), this.#notifications.close()])
  }

  async #headOn(session: PostgresSession): Promise<Head> {
    const [row] = await session.query({
      name: 'carillon_head',
      text: `SELECT ${headColumns} FROM ${this.#table} ORDER BY tick DESC LIMIT 1`,
    })
    if (row === undefined) return emptyHead
    const { tick, first_revision: first, count, hash, signature } = this.#decode(HeadRowC, row)
    return { tick, revision: first + count - 1, hash, signature }
  }

  /** The number of the tick that holds a revision, or of the last one before it. */
  async #tickHolding(revision: number): Promise<number> {
    const [row] = await this.#reader.query({
      name: 'carillon_tick_holding',
      text: `SELECT tick FROM ${this.#table} WHERE first_revision <= $1 ORDER BY first_revision DESC LIMIT 1`,
      values: [revision],
    })
    return row === undefined ? 1 : this.#decode(t.type({ tick: whole }), row).tick
  }

  /** Ticks from a number on: at least one if there is one, and then as many as fit into a page. */
  async #page(fromTick: number): Promise<readonly EncodedTick[]> {
    const rows = await this.#reader.query({
      name: 'carillon_page',
      // Numbers as text, because in binary form the driver misreads large ones.
      text: `
        SELECT tick::text, first_revision::text, at_ms::text, hash, signature, events FROM (
          SELECT *, sum(octet_length(events)) OVER (ORDER BY tick) - octet_length(events) AS bytes_before
          FROM (SELECT * FROM ${this.#table} WHERE tick >= $1 ORDER BY tick LIMIT ${remoteLogLimits.logPageTicks}) AS ticks
        ) AS page
        WHERE bytes_before < ${remoteLogLimits.logPageBytes} ORDER BY page.tick`,
      values: [fromTick],
      binary: true,
    })
    return rows.map((row, index) => {
      const found = this.#decode(TickRowC, row)
      if (found.tick !== fromTick + index) throw this.#foreign(`tick ${fromTick + index} is missing`)
      return {
        number: found.tick,
        firstRevision: found.first_revision,
        at: this.#instantOf(found.tick, found.at_ms),
        hash: found.hash,
        signature: found.signature,
        events: found.events.split('\n'),
      }
    })
  }

  #instantOf(tick: number, atMs: number): Instant {
    try {
      return instantFromMillis(atMs)
    } catch {
      throw this.#foreign(`tick ${tick} has no valid instant`)
    }
  }

  #decode<A>(codec: t.Decoder<unknown, A>, row: Row): A {
    const decoded = codec.decode(row)
    if (isLeft(decoded)) throw this.#foreign('a row of log_ticks cannot be read')
    return decoded.right
  }

  #foreign(what: string): CarillonError {
    return new NodeFault(
      'log-foreign',
      `The log at ${this.where} is not as Carillon has made it: ${what}. Choose another schema, or restore the one that was changed.`,
      { where: this.where },
    )
  }
}
