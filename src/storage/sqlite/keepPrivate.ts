/**
 * Makes sure that only its owner can open a file of SQLite, before SQLite does: the files it lays beside the database, which
 * hold the newest facts, get the same mode. A file that is there is not opened for that, since closing a file gives up
 * every lock that this process has on it.
 */
import { chmodSync, closeSync, openSync, statSync } from 'node:fs'

const ownerOnly = 0o600

/** The database, and what SQLite lays beside it and may have left there. */
const endings = ['', '-wal', '-shm', '-journal']

export const keepPrivate = (database: string): void => {
  for (const ending of endings) {
    const file = `${database}${ending}`
    const found = statSync(file, { throwIfNoEntry: false })
    if (found === undefined) {
      if (ending === '') closeSync(openSync(file, 'a', ownerOnly))
      // Only where it changes something: whoever changes a file without need makes it look as if it had been written to.
    } else if ((found.mode & 0o777) !== ownerOnly) chmodSync(file, ownerOnly)
  }
}
