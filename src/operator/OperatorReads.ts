/**
 * What a decision on an operator's request depends on. It is read-only: a decider returns events or refuses, and changes
 * nothing.
 */
import type { AgendaReads } from '../agenda/AgendaReads.js'
import type { NodeRead } from '../log/NodeTables.js'
import type { OperatorRead } from './OperatorTables.js'

export type OperatorReads = AgendaReads & { readonly views: OperatorRead & NodeRead }
