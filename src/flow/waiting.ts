/**
 * What a suspended flow waits for, as its record tells it.
 */
import type { Waiting } from '../log/events.js'
import { instantFromMillis } from '../time/Instant.js'
import type { Wait } from './Answer.js'
import type { Description } from './describeOperation.js'
import type { FlowRow } from './FlowRow.js'

/** What a suspended flow waits for, as its row holds it. */
export const waitingOf = (row: FlowRow): Waiting | undefined =>
  row.waiting === null ? undefined : (JSON.parse(row.waiting) as Waiting)

/** A wait as the record tells it. */
export const waitingFor = (wait: Wait, description: Description, attempt: number): Waiting => {
  switch (wait.kind) {
    case 'until':
      return { for: 'instant', ...description, until: instantFromMillis(wait.atMs) }
    case 'message': {
      const { session, role, seq } = wait.operation
      return { for: 'message', ...description, session, role, seq }
    }
    case 'step':
      return { for: 'step', ...description, attempt }
  }
}
