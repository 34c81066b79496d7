/**
 * The troubles of flows and what operators did about them, in order: every failed try with when it is tried again, every
 * time one was parked, retried, paused or resumed.
 */
import { canonicalText } from '../encoding/canonical.js'
import type { DomainEvent } from '../log/events.js'
import type { Database, Statement } from '../views/Database.js'

export const troublesSchema = `
  CREATE TABLE IF NOT EXISTS flow_troubles (
    flow_seq INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    what TEXT NOT NULL,
    by TEXT,
    error TEXT,
    retry_at TEXT,
    PRIMARY KEY (flow_seq, revision)
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
    case 'FlowAdvanced': {
      const { waiting } = event
      if ((waiting.for !== 'step' && waiting.for !== 'turn') || waiting.retryAt === undefined) return undefined
      return { what: 'failed a try', error: waiting.error, retryAt: waiting.retryAt }
    }
    case 'FlowParked':
      return { what: 'parked', error: event.error }
    case 'FlowRetried':
      return { what: 'retried', by: event.by }
    case 'FlowPaused':
      return { what: 'paused', by: event.by }
    case 'FlowResumed':
      return { what: 'resumed', by: event.by }
    case 'FlowStarted':
    case 'FlowEnded':
      return undefined
  }
}

export class TroubleTable {
  readonly #insert: Statement

  constructor(db: Database) {
    this.#insert = db.prepare('INSERT INTO flow_troubles VALUES (?, ?, ?, ?, ?, ?, ?)')
  }

  fold(event: FlowEvent, flowSeq: number, revision: number, atMs: number): void {
    const trouble = troubleIn(event)
    if (trouble === undefined) return
    const { what, by = null, error, retryAt = null } = trouble
    this.#insert.run(flowSeq, revision, atMs, what, by, error === undefined ? null : canonicalText(error), retryAt)
  }
}
