/**
 * The few facts about the node as a whole: where its views stand, whose they are, whether it drains.
 */
import type { Hash } from '../encoding/hash.js'
import { leafHash } from '../encoding/merkle.js'
import { emptyRange, grow, type MountainRange } from '../encoding/MountainRange.js'
import { emptyHead, type Head } from '../log/Tick.js'
import type { Database, Statement } from './Database.js'

export const nodeFactsSchema = `
  CREATE TABLE IF NOT EXISTS node_facts (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    tick INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    hash TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    party_name TEXT,
    party_key TEXT,
    app TEXT,
    app_version TEXT,
    draining INTEGER NOT NULL,
    term INTEGER NOT NULL,
    running INTEGER NOT NULL,
    peaks TEXT NOT NULL
  ) STRICT;
`

export type Facts = {
  head: Head
  atMs: number
  partyName: string | null
  partyKey: string | null
  app: string | null
  appVersion: string | null
  draining: boolean
  /** Counts the starts of the node. */
  term: number
  /** False after a clean stop. */
  running: boolean
}

export const readFacts = (db: Database): Facts => {
  const row = db.prepare('SELECT * FROM node_facts').get()
  if (row === undefined)
    return {
      head: emptyHead,
      atMs: 0,
      partyName: null,
      partyKey: null,
      app: null,
      appVersion: null,
      draining: false,
      term: 0,
      running: false,
    }
  const text = (name: string): string | null => {
    const value = row[name]
    return typeof value === 'string' ? value : null
  }
  return {
    head: { tick: Number(row['tick']), revision: Number(row['revision']), hash: String(row['hash']) as Hash },
    atMs: Number(row['at_ms']),
    partyName: text('party_name'),
    partyKey: text('party_key'),
    app: text('app'),
    appVersion: text('app_version'),
    draining: row['draining'] === 1,
    term: Number(row['term']),
    running: row['running'] === 1,
  }
}

/** The mountain range over the ticks so far. Its peaks are kept, since only the whole log could give them back. */
export const readRange = (db: Database): MountainRange => {
  const row = db.prepare('SELECT tick, peaks FROM node_facts').get()
  if (row === undefined) return emptyRange
  const peaks = String(row['peaks'])
  return { leaves: Number(row['tick']), peaks: peaks === '' ? [] : (peaks.split(' ') as Hash[]) }
}

export class NodeFacts {
  readonly #db: Database
  readonly #replace: Statement
  now: Facts
  /** Over the running hashes of all ticks up to the head: what a signed head commits to for short proofs. */
  range: MountainRange

  constructor(db: Database) {
    this.#db = db
    this.#replace = db.prepare('INSERT OR REPLACE INTO node_facts VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
    this.now = readFacts(db)
    this.range = readRange(db)
  }

  /** Moves on to the end of the tick that is being closed. */
  advanceTo(head: Head, atMs: number): void {
    this.now.head = head
    this.now.atMs = atMs
    this.range = grow(this.range, leafHash(head.hash))
  }

  /** Stands within the tick that follows, without counting it among those that are over. */
  stopWithin(revision: number, atMs: number): void {
    this.now.head = { ...this.now.head, revision }
    this.now.atMs = atMs
  }

  flush(): void {
    const { head, atMs, partyName, partyKey, app, appVersion, draining, term, running } = this.now
    this.#replace.run(
      head.tick,
      head.revision,
      head.hash,
      atMs,
      partyName,
      partyKey,
      app,
      appVersion,
      draining ? 1 : 0,
      term,
      running ? 1 : 0,
      this.range.peaks.join(' '),
    )
  }

  rolledBack(): void {
    this.now = readFacts(this.#db)
    this.range = readRange(this.#db)
  }
}
