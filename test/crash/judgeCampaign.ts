/**
 * The verdict on a campaign: every promise checked, every broken one named.
 */
import { checkAcknowledged, checkAnswered } from './checkAcknowledged.js'
import { checkCounts } from './checkCounts.js'
import { checkFlows } from './checkFlows.js'
import { checkChain, checkLedger } from './checkLedger.js'
import { checkWaiting } from './checkWaiting.js'
import type { Evidence } from './Evidence.js'

/** The verdict on flows and ledger. */
export const judgeFlows = (evidence: Evidence): readonly string[] =>
  [checkChain, checkLedger, checkFlows, checkWaiting, checkAcknowledged, checkAnswered].flatMap((check) =>
    check(evidence),
  )

/** The same, and that on projections. */
export const judgeEvidence = (evidence: Evidence): readonly string[] => [
  ...judgeFlows(evidence),
  ...checkCounts(evidence),
]
