/**
 * What the rules ask of the agenda's tables. Deciders get the reading half, the agenda's evolver both halves.
 */
import type { StateRef } from '../ledger/StateRef.js'
import type { StateRow } from '../vault/StateRow.js'

export interface ActivitiesRead {
  readonly get: (stateSeq: number) => Readonly<StateRow>
  readonly find: (ref: StateRef) => Readonly<StateRow> | undefined
  /** The first that are due, in order; fewer than there are when no more were read ahead. */
  readonly due: (nowMs: number, limit: number) => readonly Readonly<StateRow>[]
  /** Whether something is due, of what was read ahead. */
  readonly isDueAhead: (nowMs: number) => boolean
  /** The earliest instant at which the node must act. */
  readonly nextDueMs: () => number | undefined
  /** Those whose flow ended without consuming the state, by due instant and log order, after a given place. */
  readonly ended: (
    after: { readonly dueMs: number; readonly seq: number },
    limit: number,
  ) => readonly Readonly<StateRow>[]
  /** Of the unconsumed states of one type, in log order, after a given sequence number. */
  readonly unconsumedAfter: (type: string, afterSeq: number, limit: number) => readonly Readonly<StateRow>[]
}

/** What deciders may ask of the agenda. */
export interface AgendaRead {
  readonly activities: ActivitiesRead
}
