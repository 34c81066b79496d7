/**
 * A connection whose transactions lie within one that is open already, so that they are all forgotten together with it.
 */
import type { Database, Statement } from '../Database.js'

const nested = (sql: string): string =>
  sql
    .replace(/^BEGIN(?: IMMEDIATE)?$/, 'SAVEPOINT nested')
    .replace(/^COMMIT$/, 'RELEASE nested')
    .replace(/^ROLLBACK$/, 'ROLLBACK TO nested; RELEASE nested')

/** `close` is called instead of closing the connection. */
export const nestedTransactions = (db: Database, close: () => void): Database => ({
  prepare: (sql): Statement => db.prepare(nested(sql)),
  exec: (sql) => {
    db.exec(nested(sql))
  },
  close,
})
