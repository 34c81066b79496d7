/**
 * What is held against every simulated network, whatever its app.
 */
import { agreement, noDoubleSpend, timeWindowsKept } from './invariants/ledger.js'
import { chainIntact, codeAgrees, rebuildIdentical } from './invariants/logs.js'
import { nothingForgotten, oneOutcome } from './invariants/occurrences.js'
import { noFlowStuck, nodesGoOn, nothingLost } from './invariants/promises.js'
import type { Invariant } from './World.js'

/** What is held against every simulated network, whatever its app. */
export const builtInInvariants: readonly Invariant[] = [
  nodesGoOn,
  chainIntact,
  rebuildIdentical,
  noDoubleSpend,
  agreement,
  timeWindowsKept,
  oneOutcome,
  nothingForgotten,
  nothingLost,
  noFlowStuck,
  codeAgrees,
]
