/**
 * How flows belong together: a child to its parent, and a flow to the one that it has continued as.
 */
import type { FlowsReadTables } from './FlowTables.js'
import { hasEnded, type FlowRow } from './FlowRow.js'

/** The flow that one has continued as, however often; itself when it has not. */
export const lastOf = ({ flows, children }: FlowsReadTables, row: FlowRow): FlowRow => {
  const last = children.lastOf(row.seq)
  return last === row.seq ? row : flows.get(last)
}

/** The parent of a flow that is to end with it, and has ended; undefined when there is none. */
export const endedParentOf = ({ flows, children }: FlowsReadTables, row: FlowRow): FlowRow | undefined => {
  const link = children.of(row.seq)
  if (link?.whenParentEnds !== 'cancel') return undefined
  const parent = flows.get(link.parentSeq)
  return hasEnded(parent) ? parent : undefined
}
