/**
 * `--at`, and other options that name a moment of the past: a revision, or an instant.
 */
import { InvalidArgumentError, Option } from 'commander'
import { messageOf } from '../errors/CarillonError.js'
import { parseMoment, revisionInStore, type Moment } from '../history/moment.js'
import { revisionUnknown } from '../log/revisionUnknown.js'
import type { Database } from '../storage/Database.js'
import { readFacts } from '../storage/tables/NodeFactTable.js'

export const momentValue = (text: string): Moment => {
  try {
    return parseMoment(text)
  } catch (error) {
    throw new InvalidArgumentError(`It must be a revision or an instant. ${messageOf(error)}`)
  }
}

export const atOption = (what: string): Option =>
  new Option('--at <moment>', `${what} as it was right after a revision, or at an instant`).argParser(momentValue)

/** The revision of a moment in a store; one the store has reached. */
export const revisionOf = (db: Database, moment: Moment): number => {
  const revision = revisionInStore(db, moment)
  const last = readFacts(db).head.revision
  if (revision > last) throw revisionUnknown(revision, last)
  return revision
}
