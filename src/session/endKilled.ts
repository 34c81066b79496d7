/**
 * The end of a flow that somebody else wanted to end. What it has recorded on the ledger stays; whoever has a session
 * with it is told.
 */
import type { SessionReads } from './SessionReads.js'
import type { DomainEvent } from '../log/events.js'
import type { FlowRow } from '../flow/FlowRow.js'
import { endSessions } from './sessionMessages.js'

export const endKilled = (
  reads: SessionReads,
  row: Pick<FlowRow, 'id' | 'seq'>,
  by: string,
  message = `Killed by ${by}.`,
): readonly DomainEvent[] => {
  const error = { code: 'flow-killed', message }
  return [
    { type: 'FlowEnded', flow: row.id, outcome: 'killed', by, error },
    ...endSessions(reads, row, { kind: 'error', code: 'flow-killed', message: 'The flow was killed.' }),
  ]
}
