/**
 * A log that was handed in, for whoever closes what it has opened: closing it does nothing, since it is its owner's to
 * close.
 */
import type { EventLog } from '../log/EventLog.js'

export const keptOpen = (log: EventLog): EventLog => ({
  ...(log.where === undefined ? {} : { where: log.where }),
  head: () => log.head(),
  append: (expected, tick) => log.append(expected, tick),
  read: (fromRevision) => log.read(fromRevision),
  follow: (fromRevision, signal) => log.follow(fromRevision, signal),
  ...(log.onBroken === undefined ? {} : { onBroken: log.onBroken }),
  ...(log.onUnchecked === undefined ? {} : { onUnchecked: log.onUnchecked }),
  ...(log.assertWhole === undefined ? {} : { assertWhole: log.assertWhole }),
  close: () => Promise.resolve(),
})
