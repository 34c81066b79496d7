/**
 * What is held against every simulated network, whatever its app.
 */
import { budgetsKept } from './invariants/budgets.js'
import { agreement, noDoubleSpend, notarisedIsRecorded, timeWindowsKept } from './invariants/ledger.js'
import { chainIntact, codeAgrees, rebuildIdentical } from './invariants/logs.js'
import { actsInTime, ticksAsPredicted, viewsOfModel } from './invariants/model.js'
import { projectionsExact } from './invariants/projections.js'
import { noFlowStuck, nodesGoOn, nothingForgotten, nothingLost } from './invariants/promises.js'
import {
  changesAreShared,
  contractsGoOn,
  finalIsSigned,
  heardIsSaid,
  historyIsWanted,
  keysCount,
  nothingGranted,
  nothingUnasked,
  oneStateAKey,
  signaturesCanonical,
} from './invariants/strangers.js'
import type { Invariant } from './World.js'

/** What is held against every simulated network, whatever its app. */
export const builtInInvariants: readonly Invariant[] = [
  ticksAsPredicted,
  viewsOfModel,
  actsInTime,
  nodesGoOn,
  chainIntact,
  rebuildIdentical,
  noDoubleSpend,
  agreement,
  notarisedIsRecorded,
  timeWindowsKept,
  nothingLost,
  noFlowStuck,
  nothingForgotten,
  codeAgrees,
  projectionsExact,
  oneStateAKey,
  nothingUnasked,
  finalIsSigned,
  heardIsSaid,
  contractsGoOn,
  changesAreShared,
  nothingGranted,
  signaturesCanonical,
  keysCount,
  historyIsWanted,
  budgetsKept,
]
