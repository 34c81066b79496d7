/**
 * The verdict on a campaign: every promise checked, every broken one named.
 */
import { checkAcknowledged, checkAnswered } from './checkAcknowledged.js'
import { checkFlows } from './checkFlows.js'
import { checkChain, checkLedger } from './checkLedger.js'
import type { Evidence } from './Evidence.js'

export const judgeEvidence = (evidence: Evidence): readonly string[] =>
  [checkChain, checkLedger, checkFlows, checkAcknowledged, checkAnswered].flatMap((check) => check(evidence))
