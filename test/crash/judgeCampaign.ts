/**
 * The verdict on a campaign: every promise checked, every broken one named.
 */
import { checkAcknowledged, checkAnswered } from './checkAcknowledged.js'
import { checkCounts } from './checkCounts.js'
import { checkFlows } from './checkFlows.js'
import { checkChain, checkLedger } from './checkLedger.js'
import type { Evidence } from './Evidence.js'

export const judgeEvidence = (evidence: Evidence): readonly string[] =>
  [checkChain, checkLedger, checkFlows, checkAcknowledged, checkAnswered, checkCounts].flatMap((check) =>
    check(evidence),
  )
