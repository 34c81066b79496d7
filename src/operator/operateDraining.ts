/**
 * Starting and ending draining, recorded with who did it. What is so already is not recorded again.
 */
import type { DomainEvent } from '../log/events.js'
import type { OperatorReads } from './OperatorReads.js'
import type { DrainAction } from './OperatorRequest.js'

export const operateDraining = (reads: OperatorReads, action: DrainAction, by: string): readonly DomainEvent[] => {
  const { draining } = reads.views.facts.now
  if (action === 'start') return draining ? [] : [{ type: 'DrainingStarted', by }]
  return draining ? [{ type: 'DrainingEnded', by }] : []
}
