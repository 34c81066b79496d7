/**
 * The table of states: its columns, how a row is read from them and how a new one is written. All who read states read
 * these columns, by this decoder.
 */
import { assertInvariant } from '../../errors/CarillonError.js'
import type { PublicKey } from '../../identity/PublicKey.js'
import type { TransactionId } from '../../ledger/TransactionId.js'
import type { SqlValue } from '../Database.js'
import type { StateTypeTable } from './StateTypeTable.js'
import type { StoredState } from './StoredState.js'
import type { Standing } from '../../agenda/ActivityRow.js'

/** What waits for a hand: word for word as in the index, or SQLite would not use it. */
export const waitsForHand = (table: string): string =>
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

/** In the order in which rows are written. */
export const ownColumns = [
  'seq',
  'transaction_seq',
  'output_index',
  'kind',
  'text',
  'relevant',
  'participants',
  'key',
  'from_revision',
  'until_revision',
  'consumed_by',
  'standing',
  'due_ms',
  'acts_at_ms',
  'activity',
  'attempt',
  'error',
  'note',
  'cause',
] as const

/** Of the state's transaction. */
const transactionColumns = ['id', 'notary'] as const

type Column = (typeof ownColumns)[number] | (typeof transactionColumns)[number]

/** The columns of {@link stateRowOf}, first in a row that may have more: of `states s` and its `transactions t`. */
export const stateColumns = [
  ...ownColumns.map((column) => `s.${column}`),
  ...transactionColumns.map((column) => `t.${column}`),
].join(', ')

/** How many they are: what else was asked for stands behind them. */
export const stateWidth = ownColumns.length + transactionColumns.length

/** Where each of them stands in a row that was read. */
const at = Object.fromEntries(
  [...ownColumns, ...transactionColumns].map((column, place) => [column, place]),
) as Readonly<Record<Column, number>>

export const orNull = (value: unknown): number | null => (typeof value === 'number' ? value : null)
const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** The number of the state in a row that begins with {@link stateColumns}. */
export const seqOf = (row: readonly SqlValue[]): number => Number(row[at.seq])

/** A row that begins with {@link stateColumns}, as a {@link StoredState}. */
export const stateRowOf = (row: readonly SqlValue[], kinds: StateTypeTable): StoredState => {
  const kind = kinds.withId(Number(row[at.kind]))
  assertInvariant(kind !== undefined, `state ${seqOf(row)} is of an unknown kind`)
  return {
    seq: seqOf(row),
    transactionSeq: Number(row[at.transaction_seq]),
    ref: { transaction: String(row[at.id]) as TransactionId, index: Number(row[at.output_index]) },
    kind,
    notary: textOrNull(row[at.notary]) as PublicKey | null,
    text: String(row[at.text]),
    relevant: row[at.relevant] === 1,
    participants: String(row[at.participants]),
    key: textOrNull(row[at.key]),
    fromRevision: Number(row[at.from_revision]),
    untilRevision: orNull(row[at.until_revision]),
    consumedBy: orNull(row[at.consumed_by]),
    standing: textOrNull(row[at.standing]) as Standing | null,
    dueMs: orNull(row[at.due_ms]),
    actsAtMs: orNull(row[at.acts_at_ms]),
    activity: textOrNull(row[at.activity]),
    attempt: Number(row[at.attempt]),
    error: textOrNull(row[at.error]),
    note: textOrNull(row[at.note]),
    cause: textOrNull(row[at.cause]) as StoredState['cause'],
    decoded: undefined,
  }
}

/** Adds a row to values that are to be inserted, in the order of {@link ownColumns}. */
export const pushState = (values: SqlValue[], row: StoredState): void => {
  values.push(
    row.seq,
    row.transactionSeq,
    row.ref.index,
    row.kind.id,
    row.text,
    row.relevant ? 1 : 0,
    row.participants,
    row.key,
    row.fromRevision,
    row.untilRevision,
    row.consumedBy,
    row.standing,
    row.dueMs,
    row.actsAtMs,
    row.activity,
    row.attempt,
    row.error,
    row.note,
    row.cause,
  )
}
