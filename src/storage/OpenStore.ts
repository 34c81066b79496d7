/**
 * A store as whoever opened it sees it: it can be read, handed to a node, and closed. How a node writes it is the node's
 * own affair.
 */
import { CarillonError } from '../errors/CarillonError.js'
import type { EncodedTick, Head } from '../log/Tick.js'
import type { TickStore } from './TickStore.js'

/** A store that is open, for a node to run on. {@link EmbeddedStore} and {@link LogBackedStore} open one. */
export type OpenStore = {
  /** The file of the committed views; undefined in memory. */
  readonly file?: string | undefined
  /** Where the log ends. */
  readonly head: () => Head
  /** The log from the tick that holds a revision, up to the head of the moment. */
  readonly read: (fromRevision: number) => AsyncIterable<EncodedTick>
  /** Closes it, for whoever has opened it. */
  readonly close: () => Promise<void>
}

const isTickStore = (store: OpenStore): store is TickStore => 'views' in store && 'commit' in store && 'reader' in store

/** The same store, as a node writes it. */
export const tickStoreOf = (store: OpenStore): TickStore => {
  if (isTickStore(store)) return store
  throw new CarillonError(
    'usage',
    'The store that was handed in is none of Carillon. Open one with EmbeddedStore or LogBackedStore, or name a folder.',
    {},
  )
}
