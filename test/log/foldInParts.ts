/**
 * Folds a log in parts of any size, with commits and rollbacks wherever they are asked for, as a store may do it.
 */
import type { EncodedTick } from '../../src/entries/logs.js'
import { LogFold } from '../../src/storage/LogFold.js'
import { openDatabase } from '../../src/storage/sqlite/openDatabase.js'
import type { Database } from '../../src/storage/Database.js'
import { StoredViews, viewsSchema } from '../../src/storage/StoredViews.js'

/** What happens after a tick was folded. A rollback goes back to the last commit, and the ticks since are folded again. */
export const turns = ['go on', 'commit', 'commit and rest', 'roll back', 'write and roll back'] as const
export type Turn = (typeof turns)[number]

/** The views after the whole log; the turns are taken once, and then it simply goes on. The caller closes them. */
export const foldInParts = (ticks: readonly EncodedTick[], taken: readonly Turn[]): Database => {
  const db = openDatabase(':memory:')
  db.exec(viewsSchema)
  const views = new StoredViews(db)
  const fold = new LogFold(views)
  const left = [...taken]
  let committed = 0
  const commit = (next: number): void => {
    fold.write()
    db.exec('COMMIT')
    fold.committed()
    committed = next
  }
  db.exec('BEGIN')
  for (let next = 0; next < ticks.length;) {
    const tick = ticks[next]
    if (tick === undefined) break
    fold.fold(tick)
    next += 1
    const turn = left.shift() ?? 'go on'
    if (turn === 'go on') continue
    if (turn === 'commit' || turn === 'commit and rest') {
      commit(next)
      if (turn === 'commit and rest') fold.over()
    } else {
      if (turn === 'write and roll back') fold.write()
      db.exec('ROLLBACK')
      views.rolledBack()
      fold.rolledBack()
      next = committed
    }
    db.exec('BEGIN')
  }
  commit(ticks.length)
  return db
}
