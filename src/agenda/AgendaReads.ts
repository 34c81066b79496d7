/**
 * What a decision about activities depends on. It is read-only: a decider returns events or refuses, and changes nothing.
 */
import type { AssessmentReads } from '../ledger/assess.js'
import type { SessionReads } from '../session/SessionReads.js'
import type { AgendaLimits } from './limits.js'
import type { AgendaRead } from './AgendaTables.js'

export type AgendaReads = SessionReads &
  AssessmentReads & { readonly views: AgendaRead; readonly limits: { readonly agenda: AgendaLimits } }
