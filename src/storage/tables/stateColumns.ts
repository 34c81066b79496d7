/**
 * The table of states: its columns, how a row is read from them and how a new one is written. All who read states read
 * these columns, by this decoder.
 */
import { assertInvariant } from '../../errors/CarillonError.js'
import type { PublicKey } from '../../identity/PublicKey.js'
import type { TransactionId } from '../../ledger/TransactionId.js'
import type { Standing } from '../../agenda/ActivityRow.js'
import type { SqlValue } from '../Database.js'
import type { StateTypeTable } from './StateTypeTable.js'
import type { StoredState } from './StoredState.js'

/** What needs attention: word for word as in the index, or SQLite would not use it. */
export const needsAttention = (table: string): string =>
  `(${table}.standing IN ('parked', 'missed') OR ${table}.standing = 'ended' AND ${table}.error IS NOT NULL)`

export const statesSchema = `
  CREATE TABLE IF NOT EXISTS states (
    seq INTEGER PRIMARY KEY,
    transaction_seq INTEGER NOT NULL,
    output_index INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    text TEXT NOT NULL,
    relevant INTEGER NOT NULL,
    participants TEXT NOT NULL,
    key TEXT,
    from_revision INTEGER NOT NULL,
    until_revision INTEGER,
    consumed_by INTEGER,
    standing TEXT,
    due_ms INTEGER,
    acts_at_ms INTEGER,
    activity TEXT,
    attempt INTEGER NOT NULL,
    error TEXT,
    note TEXT,
    cause TEXT
  ) STRICT;
  CREATE INDEX IF NOT EXISTS states_agenda ON states (acts_at_ms, seq) WHERE acts_at_ms IS NOT NULL;
  CREATE INDEX IF NOT EXISTS states_unconsumed ON states (kind, seq) WHERE until_revision IS NULL;
  CREATE INDEX IF NOT EXISTS states_consumed ON states (kind, until_revision, seq) WHERE until_revision IS NOT NULL;
  CREATE INDEX IF NOT EXISTS states_keyed ON states (kind, key, until_revision, seq) WHERE key IS NOT NULL;
  CREATE INDEX IF NOT EXISTS states_attention ON states (standing, due_ms, seq) WHERE standing IN ('ended', 'parked', 'missed', 'paused');
  CREATE INDEX IF NOT EXISTS states_hand ON states (seq) WHERE (standing IN ('parked', 'missed') OR standing = 'ended' AND error IS NOT NULL);
  CREATE INDEX IF NOT EXISTS states_started ON states (seq) WHERE standing = 'started' AND until_revision IS NULL;
`

/** The table's columns, in the order of {@link stateRowOf} and {@link valuesOf}. */
// prettier-ignore
export const ownColumns = [
  'seq', 'transaction_seq', 'output_index', 'kind', 'text', 'relevant', 'participants', 'key',
  'from_revision', 'until_revision', 'consumed_by', 'standing', 'due_ms', 'acts_at_ms', 'activity', 'attempt',
  'error', 'note', 'cause',
]

/** What they hold of a row. */
// prettier-ignore
export const valuesOf = (row: StoredState): readonly SqlValue[] => [
  row.seq, row.transactionSeq, row.ref.index, row.kind.id, row.text, Number(row.relevant), row.participants,
  row.key, row.fromRevision, row.untilRevision, row.consumedBy, row.standing, row.dueMs, row.actsAtMs,
  row.activity, row.attempt, row.error, row.note, row.cause,
]

const progressColumns = [
  'until_revision',
  'consumed_by',
  'standing',
  'acts_at_ms',
  'attempt',
  'error',
  'note',
  'cause',
] as const

/** What changes of a row: how far its life and its activity have come, or also what the app said about it. */
export const changes = [
  progressColumns,
  [...progressColumns, 'relevant', 'participants', 'key', 'due_ms', 'activity'],
] as const

/** What is over with the activity when its state is consumed, as nearly every change of a state is. */
export const emptied = ['standing', 'acts_at_ms', 'error', 'note', 'cause'] as const

/** Of the state's transaction. */
const transactionColumns = ['id', 'notary'] as const

const names = [...ownColumns, ...transactionColumns]

/** The columns of {@link stateRowOf}, first in a row that may have more: of `states s` and its `transactions t`. */
export const stateColumns = names.map((name, place) => `${place < ownColumns.length ? 's' : 't'}.${name}`).join(', ')

/** How many they are: what else was asked for stands behind them. */
export const stateWidth = names.length

const numberOrNull = (value: unknown): number | null => (typeof value === 'number' ? value : null)
const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** A row that begins with {@link stateColumns}, as a {@link StoredState}. */
export const stateRowOf = (values: readonly SqlValue[], kinds: StateTypeTable): StoredState => {
  // In the order of the columns above.
  // prettier-ignore
  const [
    seq, transactionSeq, index, kindId, text, relevant, participants, key, from, until, consumedBy,
    standing, dueMs, actsAtMs, activity, attempt, error, note, cause, id, notary,
  ] = values
  const kind = kinds.withId(Number(kindId))
  assertInvariant(kind !== undefined, `state ${String(seq)} is of an unknown kind`)
  return {
    seq: Number(seq),
    transactionSeq: Number(transactionSeq),
    ref: { transaction: String(id) as TransactionId, index: Number(index) },
    kind,
    notary: textOrNull(notary) as PublicKey | null,
    text: String(text),
    relevant: relevant === 1,
    participants: String(participants),
    key: textOrNull(key),
    fromRevision: Number(from),
    untilRevision: numberOrNull(until),
    consumedBy: numberOrNull(consumedBy),
    standing: textOrNull(standing) as Standing | null,
    dueMs: numberOrNull(dueMs),
    actsAtMs: numberOrNull(actsAtMs),
    activity: textOrNull(activity),
    attempt: Number(attempt),
    error: textOrNull(error),
    note: textOrNull(note),
    cause: textOrNull(cause) as StoredState['cause'],
    decoded: undefined,
  }
}
