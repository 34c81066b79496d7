/**
 * The few facts about the node as a whole: where its views stand, whose they are, whether it drains.
 */
import type { Hash } from '../../encoding/hash.js'
import { leafHash } from '../../encoding/merkle.js'
import { emptyRange, grow, type MountainRange } from '../../encoding/MountainRange.js'
import type { NetworkId } from '../../identity/NetworkId.js'
import type { PublicKey } from '../../identity/PublicKey.js'
import { emptyHead, type Head } from '../../log/Tick.js'
import type { FactChange, NodeFacts, NodeFactsTable, SignerFrom } from '../../log/NodeTables.js'
import type { TickSigner } from '../../log/TickSigner.js'
import type { UnitOfWork } from '../UnitOfWork.js'
import type { Database, Statement } from '../Database.js'

export const nodeFactsSchema = `
  CREATE TABLE IF NOT EXISTS node_facts (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    tick INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    hash TEXT NOT NULL,
    signature TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    latest_ms INTEGER NOT NULL,
    party_name TEXT,
    party_key TEXT,
    signers TEXT NOT NULL,
    app TEXT,
    app_version TEXT,
    draining INTEGER NOT NULL,
    term INTEGER NOT NULL,
    running INTEGER NOT NULL,
    peaks TEXT NOT NULL
  ) STRICT;
`

export const readFacts = (db: Database): NodeFacts => {
  const row = db.prepare('SELECT * FROM node_facts').get()
  if (row === undefined)
    return {
      head: emptyHead,
      atMs: 0,
      latestMs: 0,
      partyName: null,
      partyKey: null,
      signers: [],
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
    head: {
      tick: Number(row['tick']),
      revision: Number(row['revision']),
      hash: String(row['hash']) as Hash,
      signature: String(row['signature']),
    },
    atMs: Number(row['at_ms']),
    latestMs: Number(row['latest_ms']),
    partyName: text('party_name'),
    partyKey: text('party_key'),
    signers: JSON.parse(String(row['signers'])) as readonly SignerFrom[],
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

export class NodeFactTable implements NodeFactsTable {
  readonly #replace: Statement
  now: NodeFacts
  range: MountainRange

  constructor(db: Database, unit: UnitOfWork) {
    this.#replace = db.prepare(
      'INSERT OR REPLACE INTO node_facts VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    )
    this.now = readFacts(db)
    this.range = readRange(db)
    unit.join({
      write: () => this.#write(),
      rolledBack: () => {
        this.now = readFacts(db)
        this.range = readRange(db)
      },
    })
  }

  get signer(): TickSigner | undefined {
    return this.now.signers.at(-1)
  }

  signerOf(tick: number): TickSigner | undefined {
    return this.now.signers.findLast(({ fromTick }) => fromTick <= tick)
  }

  keysUpTo(tick: number): readonly PublicKey[] {
    return this.now.signers.filter(({ fromTick }) => fromTick <= tick).map(({ key }) => key)
  }

  change(change: FactChange): void {
    this.now = { ...this.now, ...change }
  }

  began(key: PublicKey, network: NetworkId): void {
    const { signers, head } = this.now
    if (signers.length === 0) this.now = { ...this.now, signers: [{ key, network, fromTick: head.tick + 1 }] }
  }

  changeSigner(change: Partial<TickSigner>): void {
    const { signers, head } = this.now
    const last = signers.at(-1)
    if (last !== undefined)
      this.now = { ...this.now, signers: [...signers, { ...last, ...change, fromTick: head.tick + 2 }] }
  }

  /** Moves on to the end of the tick that is being closed. */
  advanceTo(head: Head, atMs: number): void {
    this.#moveTo(head, atMs)
    this.range = grow(this.range, leafHash(head.hash))
  }

  /** Stands within the tick that follows, without counting it among those that are over. */
  stopWithin(revision: number, atMs: number): void {
    this.#moveTo({ ...this.now.head, revision }, atMs)
  }

  #moveTo(head: Head, atMs: number): void {
    this.now = { ...this.now, head, atMs, latestMs: Math.max(this.now.latestMs, atMs) }
  }

  #write(): void {
    const { head, atMs, latestMs, partyName, partyKey, signers, app, appVersion, draining, term, running } = this.now
    this.#replace.run(
      head.tick,
      head.revision,
      head.hash,
      head.signature,
      atMs,
      latestMs,
      partyName,
      partyKey,
      JSON.stringify(signers),
      app,
      appVersion,
      draining ? 1 : 0,
      term,
      running ? 1 : 0,
      this.range.peaks.join(' '),
    )
  }
}
