/**
 * The time in which a transaction may be notarised: from the first instant on, until before the second.
 */
import * as t from 'io-ts'
import { InstantC, type Instant } from '../time/Instant.js'

/** Codec of a time window. */
export const TimeWindowC = t.readonly(t.exact(t.partial({ from: InstantC, until: InstantC })), 'TimeWindow')
/** When a transaction may be notarised: `from` belongs to the window, `until` does not; either may be left out. */
export type TimeWindow = { readonly from?: Instant; readonly until?: Instant }

/** Whether an instant lies in the window: `from` belongs to it, `until` does not. */
export const windowContains = (window: TimeWindow, at: Instant): boolean =>
  (window.from === undefined || window.from <= at) && (window.until === undefined || at < window.until)

/** A window that no instant can lie in. */
export const windowIsEmpty = (window: TimeWindow): boolean =>
  window.from !== undefined && window.until !== undefined && window.from >= window.until
