/**
 * The little of SQL that views need, as a port: statements that are prepared once and run synchronously.
 */
export type SqlValue = string | number | null | Uint8Array
/** A row of an answer, by column. */
export type SqlRow = Readonly<Record<string, SqlValue>>

/** A prepared statement. */
export type Statement = {
  readonly run: (...values: readonly SqlValue[]) => void
  /** As `run`, for many values: a list is handed over faster than arguments. */
  readonly runList: (values: SqlValue[]) => void
  /** As `all`, with each row as the list of its columns: no names are attached, which is half the work. */
  readonly lists: (...values: readonly SqlValue[]) => readonly (readonly SqlValue[])[]
  readonly get: (...values: readonly SqlValue[]) => SqlRow | undefined
  readonly all: (...values: readonly SqlValue[]) => readonly SqlRow[]
  readonly iterate: (...values: readonly SqlValue[]) => IterableIterator<SqlRow>
}

/** A connection to the views. */
export type Database = {
  readonly prepare: (sql: string) => Statement
  readonly exec: (sql: string) => void
  readonly close: () => void
}
