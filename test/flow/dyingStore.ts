/**
 * A store on which the process dies between two ticks, where a spec wants it to.
 */
import { CarillonError } from '../../src/index.js'
import { EmbeddedStore } from '../../src/entries/logs.js'
import type { TickStore } from '../../src/storage/TickStore.js'

/** A store on which the process dies after each tick that `crashes` says: the next tick cannot even begin. */
export const dyingStore = (crashes: (tick: number) => boolean) => {
  const store = EmbeddedStore.inMemory()
  const died = { ticks: 0, now: false }
  const dying: TickStore = {
    views: store.views,
    reader: store.reader,
    head: store.head,
    begin: () => {
      if (died.now) throw new CarillonError('invariant-broken', 'The process has died.')
      store.begin()
    },
    commit: (tick) => {
      const outcome = store.commit(tick)
      // The start of the node alone is no step forward, and dying there would go on for ever.
      if (tick.events.every((line) => line.includes('"type":"NodeStarted"'))) return outcome
      died.ticks += 1
      died.now = crashes(died.ticks)
      return outcome
    },
    rollback: store.rollback,
    tick: store.tick,
    read: (fromRevision) => store.read(fromRevision),
    close: store.close,
  }
  return { store: dying, died }
}
