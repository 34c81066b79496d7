/**
 * Everything the log knows about a state and its activity.
 */
import { tellWhy, type Why } from '../../agenda/why.js'
import type { StateRef } from '../../ledger/StateRef.js'
import type { Database } from '../Database.js'
import type { Locate } from '../tables/HashIndex.js'
import { readFacts } from '../tables/NodeFactTable.js'
import { attemptsOf } from './readOccurrences.js'
import { findState, findStateRow } from './readVault.js'

export const explainState = (db: Database, ref: StateRef, locate?: Locate): Why | undefined => {
  const row = findStateRow(db, ref, locate)
  const state = findState(db, ref, locate)
  return row === undefined || state === undefined
    ? undefined
    : tellWhy(row, state, attemptsOf(db, row.seq), readFacts(db))
}
