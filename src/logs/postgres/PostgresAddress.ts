/**
 * Where a PostgreSQL log is: a connection string as libpq knows it, which may name several hosts, and the schema that
 * holds the log. It can be shown without its password.
 */
import { CarillonError } from '../../errors/CarillonError.js'
import { plaintextOption } from '../remote/assertEncrypted.js'

export type PostgresAddress = {
  /** One connection string for each host, in the order they are tried. */
  readonly urls: readonly string[]
  readonly schema: string
  /** For messages: without password. */
  readonly shown: string
  /** Whether it says that plain text is meant. */
  readonly allowsPlaintext?: true
}

export const defaultSchema = 'carillon'

const invalid = (why: string): CarillonError =>
  new CarillonError(
    'log-address-invalid',
    `The address of the PostgreSQL log cannot be used: ${why}. Write it as postgres://user:password@host:5432/database?schema=carillon.`,
  )

// The authority may list hosts, which the URL class refuses, so it is taken apart by hand first.
const pattern = /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#]*)(\/[^?#]*)?(\?[^#]*)?$/

/** What libpq understands and the driver does not, or what is meant for Carillon alone. */
const ownKeys = ['schema', 'target_session_attrs', plaintextOption]

const assertSchema = (schema: string): string => {
  // PostgreSQL cuts longer names off silently, and two logs would then meet in one schema.
  if (!/^[A-Za-z_][\w$-]{0,62}$/.test(schema) || /^pg_/i.test(schema))
    throw invalid(`"${schema}" is no name for a schema (up to 63 letters, digits and _)`)
  return schema
}

export const parsePostgresAddress = (url: string, schema?: string): PostgresAddress => {
  const parts = pattern.exec(url)
  if (parts === null) throw invalid('it is not a PostgreSQL connection string')
  const [, scheme = '', credentials = '', hosts = '', database = '', query = ''] = parts
  const options = new URLSearchParams(query)
  const named = schema ?? options.get('schema') ?? defaultSchema
  const plaintext = options.get(plaintextOption) === 'true' ? ({ allowsPlaintext: true } as const) : {}
  for (const key of ownKeys) options.delete(key)
  const rest = options.size === 0 ? '' : `?${options.toString()}`
  const urls = hosts.split(',').map((host) => `${scheme}${credentials}${host}${database}${rest}`)
  for (const each of urls) if (!URL.canParse(each)) throw invalid('a host or the port is not written correctly')
  const user = credentials === '' ? '' : `${credentials.slice(0, -1).split(':')[0] ?? ''}@`
  const shown = `${scheme}${user}${hosts}${database}?schema=${named}`
  return { urls, schema: assertSchema(named), shown, ...plaintext }
}
