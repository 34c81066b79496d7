/**
 * Follows what a query means: a snapshot of the states at one revision, and every later change to them, tick by tick.
 * Nothing is left out between the two and nothing comes twice.
 */
import type { StateRef } from '../ledger/StateRef.js'
import { instantFromMillis, type Instant } from '../time/Instant.js'
import { matchingAmong, queryVault } from '../storage/queries/readVault.js'
import type { VaultEntry } from '../vault/VaultEntry.js'
import type { Page, StateCriteria, VaultQuery } from '../vault/query/VaultQuery.js'
import type { Database } from '../storage/Database.js'
import type { Locate } from '../storage/tables/HashIndex.js'
import { readFacts } from '../storage/tables/NodeFactTable.js'
import type { Committed } from '../engine/Committed.js'

/** What one tick has changed among the states that are tracked. */
export type VaultUpdate = {
  /** The revision after which this holds. */
  readonly revision: number
  readonly at: Instant
  /** States that are new. */
  readonly produced: readonly VaultEntry[]
  /** States that were used up. Those that a page of the snapshot had yet to show may be among them. */
  readonly consumed: readonly VaultEntry[]
}

/** A query that is being followed. */
export type Tracking = {
  /** The revision of the snapshot. */
  readonly revision: number
  /** The first page of the snapshot. */
  readonly first: Page<VaultEntry, string>
  /** A further page of the snapshot: states recorded later are not in it, those consumed meanwhile neither. */
  readonly page: (after: string) => Promise<Page<VaultEntry, string>>
  /** Ends the updates. */
  readonly stop: () => void
}

/** Which states a query means, whether or not they have been consumed by now. */
const eitherWay = ({ type, key, includeIrrelevant, where }: StateCriteria): StateCriteria => ({
  status: 'all',
  ...(type === undefined ? {} : { type }),
  ...(key === undefined ? {} : { key }),
  ...(includeIrrelevant === undefined ? {} : { includeIrrelevant }),
  ...(where === undefined ? {} : { where }),
})

/** The states a tick has produced and consumed, as far as the query means them. */
const updateOf = (
  db: Database,
  locate: Locate,
  query: VaultQuery,
  { revision, produced, consumed }: { revision: number; produced: readonly StateRef[]; consumed: readonly StateRef[] },
): Pick<VaultUpdate, 'produced' | 'consumed'> => {
  const among = (refs: readonly StateRef[]) => matchingAmong(db, eitherWay(query), refs, locate)
  const isOpen = (entry: VaultEntry): boolean => entry.untilRevision === undefined || entry.untilRevision > revision
  const status = query.status ?? 'unconsumed'
  const made = among(produced)
  return {
    // What a tick has both made and used up was never there for anyone who only asks for what is unconsumed.
    produced: status === 'consumed' ? [] : made.filter((entry) => status === 'all' || isOpen(entry)),
    consumed: among(consumed).filter(
      ({ ref }) =>
        status !== 'unconsumed' ||
        !produced.some((other) => other.transaction === ref.transaction && other.index === ref.index),
    ),
  }
}

export type TrackParts = {
  readonly reader: Database
  readonly locate: Locate
  readonly follow: (follower: (committed: Committed) => void) => () => void
  readonly read: <A>(read: (db: Database) => A) => Promise<A>
}

export const trackVault = async (
  parts: TrackParts,
  query: VaultQuery,
  onUpdate: (update: VaultUpdate) => void,
): Promise<Tracking> => {
  const { reader, locate, follow, read } = parts
  // The following begins as the snapshot is read, so that no tick falls in between. One that has just reached the disk may
  // be in the snapshot and be told to followers all the same.
  const { revision, first, stop } = await read((db) => {
    const { revision } = readFacts(db).head
    const first = queryVault(db, query)
    const stop = follow((committed) => {
      if (committed.lastRevision <= revision) return
      const refs = committed.touchedStates()
      if (refs.produced.length + refs.consumed.length === 0) return
      const update = updateOf(reader, locate, query, { revision: committed.lastRevision, ...refs })
      if (update.produced.length + update.consumed.length === 0) return
      onUpdate({ revision: committed.lastRevision, at: instantFromMillis(committed.atMs), ...update })
    })
    return { revision, first, stop }
  })
  return {
    revision,
    first,
    page: (after) => read((db) => queryVault(db, { ...query, after }, revision)),
    stop,
  }
}
