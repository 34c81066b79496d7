/**
 * All views of a node, as the engine asks for them. Deciders get {@link ReadViews}, in which nothing can be written;
 * only an event changes a view.
 */
import type { AgendaRead } from '../agenda/AgendaTables.js'
import type { FlowsReadTables } from '../flow/FlowTables.js'
import type { FoldableEvent } from '../log/FoldableEvent.js'
import type { NodeRead } from '../log/NodeTables.js'
import type { NotaryRead } from '../notary/NotaryTables.js'
import type { OperatorRead } from '../operator/OperatorTables.js'
import type { SessionsReadTables } from '../session/SessionTables.js'
import type { VaultRead } from '../vault/VaultTables.js'

export interface ReadViews
  extends NodeRead, VaultRead, FlowsReadTables, SessionsReadTables, NotaryRead, AgendaRead, OperatorRead {}

export interface Views extends ReadViews {
  /** Applies one event. */
  readonly fold: (event: FoldableEvent, revision: number, atMs: number) => void
}
