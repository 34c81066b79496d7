/**
 * A state ref as typed by a person: whole, or the first digits of a transaction id that no other begins with,
 * followed by the output's index where the transaction has several outputs.
 */
import { CarillonError } from '../../errors/CarillonError.js'
import { parseRef, type StateRef } from '../../ledger/StateRef.js'
import type { Database, SqlRow } from '../Database.js'

const fewestDigits = 4
const digits = /^([0-9a-f]{4,64})(?::(\d{1,6}))?$/

/** Rows of transactions whose id begins with the digits, at most two: through the sorted keys, then the tail. */
const beginningWith = (db: Database, prefix: string): readonly SqlRow[] => {
  const first = Number.parseInt(prefix.slice(0, 12).padEnd(12, '0'), 16)
  const last = Number.parseInt(prefix.slice(0, 12).padEnd(12, 'f'), 16)
  const columns = 't.id AS id, t.outputs AS outputs'
  const begins = 't.id >= ? AND t.id < ?'
  const bounds = [prefix, `${prefix}g`] as const
  const indexed = db
    .prepare(
      `SELECT ${columns} FROM transactions_keys k JOIN transactions t ON t.seq = k.seq WHERE k.prefix BETWEEN ? AND ? AND ${begins} LIMIT 2`,
    )
    .all(first, last, ...bounds)
  const unindexed = db
    .prepare(
      `SELECT ${columns} FROM transactions t WHERE t.seq > coalesce((SELECT seq FROM transactions_keys_until), -1) AND ${begins} LIMIT 2`,
    )
    .all(...bounds)
  return [...indexed, ...unindexed]
}

/** Said of a text that no state ref can begin with. */
export const noStateRef = (text: string): CarillonError =>
  new CarillonError(
    'state-unknown',
    `"${text}" is not a state ref. Give at least ${fewestDigits} hex digits of the transaction id, and :0 for its first output; "carillon agenda" and "carillon vault" show them.`,
    { ref: text },
  )

export const resolveRef = (db: Database, text: string): StateRef => {
  const [, prefix, index] = digits.exec(text.trim().toLowerCase()) ?? []
  const refuse = (why: string): never => {
    throw new CarillonError('state-unknown', why, { ref: text })
  }
  if (prefix === undefined) throw noStateRef(text)
  const found = beginningWith(db, prefix)
  const [only] = found
  if (only === undefined) return refuse(`No transaction in this store begins with ${prefix}.`)
  if (found.length > 1)
    return refuse(`More than one transaction begins with ${prefix}. Give more of its 64 hex digits.`)
  const outputs = Number(only['outputs'])
  if (index === undefined && outputs > 1)
    return refuse(
      `Transaction ${prefix} has ${outputs} outputs. Say which one: ${prefix}:0 to ${prefix}:${outputs - 1}.`,
    )
  if (Number(index ?? 0) >= outputs)
    return refuse(
      `Transaction ${prefix} has ${outputs === 1 ? 'one output' : `${outputs} outputs`}, counted from :0; there is no :${index ?? 0}.`,
    )
  return parseRef(`${String(only['id'])}:${Number(index ?? 0)}`)
}
