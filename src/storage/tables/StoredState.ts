/**
 * The physical row of a state: the vault and the agenda keep their columns side by side in one row.
 */
import type { ActivityColumns } from '../../agenda/ActivityRow.js'
import type { NewState, StateDraft, StateRow } from '../../vault/StateRow.js'

export type StoredState = StateDraft & ActivityColumns & { decoded: StateRow['decoded'] }

/** A state that was just produced. All members are named here and in the same order as where a row is read. */
export const newState = (state: NewState): StoredState => ({
  seq: state.seq,
  transactionSeq: state.transactionSeq,
  ref: state.ref,
  kind: state.kind,
  notary: state.notary,
  text: state.text,
  relevant: state.relevant,
  participants: state.participants,
  key: state.key,
  fromRevision: state.fromRevision,
  untilRevision: null,
  consumedBy: null,
  standing: null,
  dueMs: null,
  actsAtMs: null,
  activity: null,
  attempt: 0,
  error: null,
  note: null,
  cause: null,
  decoded: undefined,
})
