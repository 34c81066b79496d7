/**
 * Starting and ending draining, recorded with who did it. What is so already is not recorded again.
 */
import type { Decision } from '../decision/Decision.js'
import type { DrainAction } from './OperatorRequest.js'

export const operateDraining = (decision: Decision, action: DrainAction, by: string): void => {
  const { draining } = decision.views.facts.now
  if (action === 'start' && !draining) decision.emit({ type: 'DrainingStarted', by })
  if (action === 'end' && draining) decision.emit({ type: 'DrainingEnded', by })
}
