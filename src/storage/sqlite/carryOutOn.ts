/**
 * Carries out the writes of a transaction on a connection, all or none, unless they have been carried out already.
 */
import type { Database, Statement } from '../Database.js'
import type { CarryOut, Guard, WorkerOutcome, Write } from './CommitWorker.js'

/** After some errors SQLite has rolled back by itself; then there is nothing left to undo. */
export const undo = (db: Database): void => {
  try {
    db.exec('ROLLBACK')
  } catch {
    // See above.
  }
}

/** `statementAt` gives the statement with a number. */
export const carryOutOn = (
  db: Database,
  { sql, expected, after }: Guard,
  writes: readonly Write[],
  statementAt: (place: number) => Statement | undefined,
): WorkerOutcome => {
  let isOpen = false
  try {
    db.exec('BEGIN IMMEDIATE')
    isOpen = true
    const [found] = db.prepare(sql).lists()[0] ?? []
    if (found === expected) for (const { statement, values } of writes) statementAt(statement)?.runList(values)
    db.exec('COMMIT')
    return found === expected || found === after ? { kind: 'committed' } : { kind: 'refused' }
  } catch (error) {
    if (isOpen) undo(db)
    return { kind: 'failed', error }
  }
}

/** Carries out transactions on one connection, each statement prepared once. */
export const carriedOutOn = (db: Database): CarryOut => {
  const prepared: Statement[] = []
  return (guard, writes, statements) =>
    carryOutOn(db, guard, writes, (place) => (prepared[place] ??= db.prepare(statements[place] ?? '')))
}
