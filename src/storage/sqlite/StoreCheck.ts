/**
 * The check of a store's pages when it is opened. A small store is checked at once. Of a large one the pages by which the
 * start itself is decided are checked at once, and the others before anything else is decided; if nobody has written to
 * its file since, as the file system tells, they are checked while the node works.
 */
import { existsSync, statSync } from 'node:fs'
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises'
import { CarillonError } from '../../errors/CarillonError.js'
import { storageLimits, type StorageLimits } from '../limits.js'
import { openDatabase } from './openDatabase.js'
import { PageCheck } from './PageCheck.js'
import { storeFailure } from './storeFailure.js'

/** The tables by which the start of a node is decided. */
const tablesOfStart = ['node_facts', 'network_maps', 'changed_keys', 'map_anchor', 'accepted_maps', 'restored']

/** The root of the tree that names all others. */
const schemaRoot = 1

/** Between two parts of a check that nobody waits for. */
const restMs = 20

/** A page that is just being written differs for a moment; one that is damaged stays so. */
const looks = 40
const lookAgainMs = 250

export class StoreCheck {
  readonly #check: PageCheck
  #isOver = false
  /** Whether nothing may be decided before it is over. */
  readonly isAwaited: boolean

  private constructor(check: PageCheck, limits: StorageLimits) {
    this.#check = check
    this.isAwaited = check.bytes <= limits.pagesAlwaysAwaitedBytes || !check.isUntouched
  }

  /** Begins the check, before anyone has written to the file. Undefined when there is nothing more to check. */
  static begin(file: string, limits: StorageLimits = storageLimits): StoreCheck | undefined {
    if (!existsSync(file) || statSync(file).size === 0) return undefined
    // SQLite finds out which part of a write-ahead log counts.
    const db = openDatabase(file, { readOnly: true })
    try {
      db.prepare('SELECT count(*) FROM sqlite_schema').get()
      const check = PageCheck.of(file)
      if (check === undefined) return undefined
      let rest: StoreCheck | undefined
      try {
        if (check.bytes <= limits.pagesCheckedAtOnceBytes) check.assertAll()
        else {
          check.assertTree(schemaRoot)
          const roots = db
            .prepare(
              `SELECT rootpage FROM sqlite_schema WHERE tbl_name IN (${tablesOfStart.map(() => '?').join(', ')})`,
            )
            .all(...tablesOfStart)
          for (const { rootpage } of roots) check.assertTree(Number(rootpage))
          rest = new StoreCheck(check, limits)
        }
        return rest
      } finally {
        if (rest === undefined) check.close()
      }
    } finally {
      db.close()
    }
  }

  /** Checks the rest, and gives way now and then. Rejects when a page is damaged. */
  async finish(): Promise<void> {
    try {
      for (const different of this.#check.all()) {
        if (this.#isOver) return
        this.#check.assertNone(different)
        await turn()
      }
    } finally {
      this.stop()
    }
  }

  /** Checks the rest beside everything else, and calls back when a page is damaged. */
  async finishBeside(onDamage: (error: CarillonError) => void): Promise<void> {
    try {
      for (const different of this.#check.all()) {
        for (const page of different) if (await this.#staysDifferent(page)) this.#check.assertNone([page])
        await pause(restMs, undefined, { ref: false })
        if (this.#isOver) return
      }
    } catch (error) {
      if (!this.#isOver) onDamage(error instanceof CarillonError ? error : storeFailure(error))
    } finally {
      this.stop()
    }
  }

  async #staysDifferent(page: number): Promise<boolean> {
    for (let look = 0; look < looks; look++) {
      if (this.#isOver || this.#check.isSoundNow(page)) return false
      await pause(lookAgainMs, undefined, { ref: false })
    }
    return true
  }

  stop(): void {
    if (!this.#isOver) this.#check.close()
    this.#isOver = true
  }
}
