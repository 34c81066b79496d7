/**
 * One connection to the primary, made when it is needed and made anew after it was lost, and the only place where the
 * driver is called: what leaves it is an answer or a typed error. Of several hosts, the one that takes writes is chosen,
 * so that a node follows a failover by its connection settings alone.
 */
import { Socket } from 'node:net'
import type pg from 'pg'
import { CarillonError, messageOf } from '../../errors/CarillonError.js'
import { remoteLogLimits } from '../limits.js'
import { assertEncrypted, type LogServer } from '../remote/assertEncrypted.js'
import { logClosed } from '../remote/logClosed.js'
import { withinDeadline } from '../remote/withinDeadline.js'
import type { PostgresAddress } from './PostgresAddress.js'
import { postgresDriver } from './postgresDriver.js'
import { endsSession, postgresFailure } from './postgresFailure.js'

/**
 * A statement with a name is parsed once a connection. `binary` spares bytes the detour through hex. Without values the
 * driver would let a text hold several statements; with `extended` the server refuses all but one.
 */
export type SqlQuery = {
  readonly text: string
  readonly values?: unknown[]
  readonly name?: string
  readonly binary?: boolean
  readonly queryMode?: 'extended'
}
/** A row of an answer, by the names of its columns. */
export type Row = Readonly<Record<string, unknown>>

/** A connection that is open. */
type Open = {
  readonly client: pg.Client
  readonly destroy: () => void
  isUsable: boolean
  /** Settles when the statement before has its answer: the driver takes one at a time. */
  turn: Promise<unknown>
}

export type SessionOptions = {
  readonly address: PostgresAddress
  /** How long one answer may take. */
  readonly answerMs: number
  readonly purpose: string
  /** Statements run on every new connection. */
  readonly prepare?: string
  /** Asked on every new connection, before it is used: throws when what is there cannot be. */
  readonly check?: (query: (query: SqlQuery) => Promise<readonly Row[]>) => Promise<void>
  readonly onNotification?: (payload: string) => void
  readonly onLost?: () => void
}

/** To whom the driver will connect, and how: it alone knows what an address and the environment mean together. */
const serversAt = ({ urls, shown }: PostgresAddress): readonly LogServer[] => {
  try {
    const { Client } = postgresDriver()
    return urls.map((connectionString) => {
      const { host, ssl: usesTls } = new Client({ connectionString })
      return { host, usesTls }
    })
  } catch (error) {
    throw postgresFailure(error, shown)
  }
}

/** Refuses an address whose connection would not be encrypted, on another machine. */
export const assertPostgresEncrypted = (address: PostgresAddress): void =>
  assertEncrypted(serversAt(address), address, 'Add sslmode=verify-full to the address.')

const inRecovery = 'SELECT pg_is_in_recovery() AS replica'

export class PostgresSession {
  readonly #options: SessionOptions
  #open: Promise<Open> | undefined
  #current: Open | undefined
  #lastGood = 0
  #closed = false

  constructor(options: SessionOptions) {
    this.#options = options
  }

  /** Runs one statement. What takes longer than the deadline costs the connection, since its answer may still come. */
  async query(query: SqlQuery): Promise<readonly Row[]> {
    return this.#run(await this.connect(), query)
  }

  /** Anything that was thrown, as the typed error that leaves the adapter. */
  failureOf(error: unknown): CarillonError {
    return postgresFailure(error, this.#options.address.shown)
  }

  /**
   * Several statements in one transaction; the statements must be quick. All of them go over one connection: what is asked
   * after it was lost, or after the end, is refused.
   */
  async transaction<A>(work: (query: (query: SqlQuery) => Promise<readonly Row[]>) => Promise<A>): Promise<A> {
    const open = await this.connect()
    let hasEnded = false
    await this.#run(open, { text: 'BEGIN' })
    try {
      const result = await work((query) =>
        hasEnded
          ? Promise.reject(new Error('the transaction has ended; await each statement'))
          : this.#run(open, query),
      )
      hasEnded = true
      await this.#run(open, { text: 'COMMIT' })
      return result
    } catch (error) {
      hasEnded = true
      await this.#run(open, { text: 'ROLLBACK' }).catch(() => undefined)
      throw error
    }
  }

  #run(open: Open, query: SqlQuery): Promise<readonly Row[]> {
    const answer = open.turn.then(async () => {
      try {
        if (!open.isUsable) throw new Error('the connection was lost')
        const { answerMs } = this.#options
        const result = await withinDeadline(open.client.query<Row>(query), answerMs, 'An answer of the server')
        return result.rows
      } catch (error) {
        if (endsSession(error)) this.#drop(open)
        throw this.failureOf(error)
      }
    })
    open.turn = answer.catch(() => undefined)
    return answer
  }

  /** Makes the connection if there is none. */
  async connect(): Promise<Open> {
    if (this.#closed) throw logClosed(this.#options.address.shown)
    const known = await this.#open?.catch(() => undefined)
    if (known?.isUsable === true) return known
    this.#open ??= this.#connectAnywhere()
    try {
      return await this.#open
    } catch (error) {
      this.#open = undefined
      throw this.failureOf(error)
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    const open = await this.#open?.catch(() => undefined)
    if (open === undefined) return
    this.#drop(open)
  }

  #drop(open: Open): void {
    open.isUsable = false
    // By now there may be a newer connection, which stays.
    if (this.#current === open) this.#open = undefined
    open.destroy()
  }

  async #connectAnywhere(): Promise<Open> {
    const { urls } = this.#options.address
    const problems: unknown[] = []
    for (let turn = 0; turn < urls.length; turn++) {
      const index = (this.#lastGood + turn) % urls.length
      try {
        const open = await this.#connectTo(urls[index] ?? '')
        this.#lastGood = index
        this.#current = open
        return open
      } catch (error) {
        problems.push(error)
      }
    }
    const known = problems.find((problem) => problem instanceof CarillonError)
    if (known !== undefined) throw known
    // When all have answered, and refused, that is what there is to say; otherwise one of them may yet come back.
    if (problems.length === 1 || problems.every((problem) => !endsSession(problem))) throw problems[0]
    throw Object.assign(new Error(problems.map(messageOf).join('; ')), { cause: problems[0] })
  }

  async #connectTo(connectionString: string): Promise<Open> {
    const { address, answerMs, purpose, prepare, check, onNotification, onLost } = this.#options
    const { Client } = postgresDriver()
    const socket = new Socket()
    const client = new Client({
      connectionString,
      stream: () => socket,
      keepAlive: true,
      // PostgreSQL cuts it off at 63 characters.
      fallback_application_name: `carillon ${purpose} ${address.schema}`,
    })
    const open: Open = { client, destroy: () => socket.destroy(), isUsable: true, turn: Promise.resolve() }
    const lost = (): void => {
      if (!open.isUsable) return
      this.#drop(open)
      onLost?.()
    }
    // Without a listener an error of an idle connection would end the process; the next query connects again.
    client.on('error', lost)
    client.on('end', lost)
    if (onNotification !== undefined) client.on('notification', ({ payload }) => onNotification(payload ?? ''))
    const greet = async (): Promise<void> => {
      await client.connect()
      const { rows } = await client.query<Row>(inRecovery)
      if (rows[0]?.['replica'] !== false) throw new Error('this server is a replica, which takes no writes')
      if (prepare !== undefined) await client.query(prepare)
      await check?.(async (query) => (await client.query<Row>(query)).rows)
    }
    try {
      await withinDeadline(greet(), Math.min(remoteLogLimits.logConnectMs, answerMs), 'Connecting')
      return open
    } catch (error) {
      open.isUsable = false
      socket.destroy()
      throw error
    }
  }
}
