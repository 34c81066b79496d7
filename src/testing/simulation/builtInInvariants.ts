/**
 * What is held against every simulated network, whatever its app.
 */
import { agreement, noDoubleSpend, notarisedIsRecorded, timeWindowsKept } from './invariants/ledger.js'
import { chainIntact, codeAgrees, rebuildIdentical } from './invariants/logs.js'
import { nothingForgotten, onTime, oneOutcome } from './invariants/occurrences.js'
import { noFlowStuck, nodesGoOn, nothingLost } from './invariants/promises.js'
import type { Invariant } from './World.js'

/** What is held against every simulated network, whatever its app. */
export const builtInInvariants: readonly Invariant[] = [
  nodesGoOn,
  chainIntact,
  rebuildIdentical,
  noDoubleSpend,
  agreement,
  notarisedIsRecorded,
  timeWindowsKept,
  oneOutcome,
  nothingForgotten,
  onTime,
  nothingLost,
  noFlowStuck,
  codeAgrees,
]
