/**
 * The PostgreSQL server that all specs of one run share, and fresh schemas on it.
 */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { PostgresServer } from './PostgresServer.js'

let shared: Promise<PostgresServer> | undefined

/** A connection string for the shared server. */
export const postgresUrl = async (): Promise<string> => {
  const given = process.env['PG_URL']
  if (given !== undefined && given !== '') return given
  shared ??= PostgresServer.start()
  return (await shared).url
}

/** A hook of the whole run, because this module is loaded outside of every `describe`. */
after(async function () {
  this.timeout(30_000)
  await (await shared)?.remove()
})

export const withClient = async <A>(url: string, work: (client: pg.Client) => Promise<A>): Promise<A> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

export const freshSchema = (): string => `carillon_test_${randomBytes(8).toString('hex')}`

export const dropSchema = async (url: string, schema: string): Promise<void> => {
  await withClient(url, (client) => client.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`))
}

/** Ends every connection of Carillon to a schema, as a restart of the server or of a firewall would. */
export const cutConnections = async (url: string, schema: string): Promise<void> => {
  await withClient(url, (client) =>
    client.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE $1 AND pid <> pg_backend_pid()',
      [`carillon % ${schema}`],
    ),
  )
}
