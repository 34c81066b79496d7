/**
 * The end of a flow that somebody else wanted to end. What it has recorded on the ledger stays; whoever has a session
 * with it is told.
 */
import type { Decision } from '../decision/Decision.js'
import type { FlowRow } from './FlowRow.js'
import { endSessions } from './sessionMessages.js'

export const endKilled = (decision: Decision, row: FlowRow, by: string): void => {
  const error = { code: 'flow-killed', message: `Killed by ${by}.` }
  decision.emit({ type: 'FlowEnded', flow: row.id, outcome: 'killed', by, error })
  endSessions(decision, row, { kind: 'error', code: 'flow-killed', message: 'The flow was killed.' })
}
