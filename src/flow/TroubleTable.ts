/**
 * The troubles of flows and what operators did about them, in order: every failed try with when it is tried again, every
 * time one was parked, retried, paused or resumed.
 */
import { canonicalText } from '../encoding/canonical.js'
import type { DomainEvent, Waiting, Waits } from '../log/events.js'
import type { Instant } from '../time/Instant.js'
import type { Database, Statement } from '../storage/Database.js'
import type { FlowRow } from './FlowRow.js'
import { waitsOf } from './waiting.js'

export const troublesSchema = `
  CREATE TABLE IF NOT EXISTS flow_troubles (
    flow_seq INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    place INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    what TEXT NOT NULL,
    by TEXT,
    error TEXT,
    retry_at TEXT,
    PRIMARY KEY (flow_seq, revision, place)
  ) STRICT, WITHOUT ROWID;
`

/** What happened to a flow in trouble. */
export type TroubleKind = 'failed a try' | 'parked' | 'retried' | 'paused' | 'resumed'

type FlowEvent = Extract<DomainEvent, { readonly type: `Flow${string}` }>

type Trouble = {
  readonly what: TroubleKind
  readonly by?: string
  readonly error?: unknown
  readonly retryAt?: string
}

const troubleIn = (event: FlowEvent): Trouble | undefined => {
  switch (event.type) {
    case 'FlowParked':
      return { what: 'parked', error: event.error }
    case 'FlowRetried':
      return { what: 'retried', by: event.by }
    case 'FlowPaused':
      return { what: 'paused', by: event.by }
    case 'FlowResumed':
      return { what: 'resumed', by: event.by }
    case 'FlowStarted':
    case 'FlowAdvanced':
    case 'FlowEnded':
      return undefined
  }
}

type Retry = Extract<Waiting, { readonly for: 'step' | 'turn' }> & { readonly retryAt: Instant }

const isRetry = (waiting: Waiting): waiting is Retry =>
  (waiting.for === 'step' || waiting.for === 'turn') && waiting.retryAt !== undefined

export class TroubleTable {
  readonly #insert: Statement

  constructor(db: Database) {
    this.#insert = db.prepare('INSERT INTO flow_troubles VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
  }

  fold(event: FlowEvent, flowSeq: number, revision: number, atMs: number): void {
    const trouble = troubleIn(event)
    if (trouble !== undefined) this.#add(flowSeq, revision, 0, atMs, trouble)
  }

  /** Before a flow's row takes new waits: those with a next try that it does not have yet follow a failed one. */
  foldWaits(row: FlowRow, waits: Waits, revision: number, atMs: number): void {
    if (!waits.some(isRetry)) return
    const before = new Set(waitsOf(row)?.map(canonicalText))
    waits.forEach((waiting, place) => {
      if (!isRetry(waiting) || before.has(canonicalText(waiting))) return
      const { error, retryAt } = waiting
      this.#add(row.seq, revision, place, atMs, { what: 'failed a try', error, retryAt })
    })
  }

  #add(flowSeq: number, revision: number, place: number, atMs: number, trouble: Trouble): void {
    const { what, by = null, error, retryAt = null } = trouble
    const cause = error === undefined ? null : canonicalText(error)
    this.#insert.run(flowSeq, revision, place, atMs, what, by, cause, retryAt)
  }
}
