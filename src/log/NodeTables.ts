/**
 * What the rules ask of the tables about the node as a whole: where its views stand, whose they are, which network map
 * and which key changes it has gone by, and the checkpoints it keeps of other parties' logs.
 */
import type { Hash } from '../encoding/hash.js'
import type { MountainRange } from '../encoding/MountainRange.js'
import type { KeyChange } from '../identity/KeyChange.js'
import type { NetworkId } from '../identity/NetworkId.js'
import type { Party } from '../identity/Party.js'
import type { PublicKey } from '../identity/PublicKey.js'
import type { Instant } from '../time/Instant.js'
import type { Checkpoint } from './Checkpoint.js'
import type { Head } from './Tick.js'
import type { TickSigner } from './TickSigner.js'

/** What ticks are signed with from a tick on. */
export type SignerFrom = TickSigner & { readonly fromTick: number }

/** The few facts about the node as a whole. */
export type NodeFacts = {
  readonly head: Head
  readonly atMs: number
  /** The latest time that the log tells: later than `atMs` where the clock was set back since. */
  readonly latestMs: number
  readonly partyName: string | null
  readonly partyKey: string | null
  /** What ticks were signed with, oldest first; none before the first start. */
  readonly signers: readonly SignerFrom[]
  readonly app: string | null
  readonly appVersion: string | null
  readonly draining: boolean
  /** Counts the starts of the node. */
  readonly term: number
  /** False after a clean stop. */
  readonly running: boolean
}

export interface NodeFactsRead {
  readonly now: NodeFacts
  /** Over the running hashes of all ticks up to the head: what a checkpoint commits to for short proofs. */
  readonly range: MountainRange
  /** What the next tick is signed with; undefined when that is for its own first event to say. */
  readonly signer: TickSigner | undefined
  /** What a tick was signed with. */
  readonly signerOf: (tick: number) => TickSigner | undefined
  /** The keys that had signed the log when a tick was written, its own among them. */
  readonly keysUpTo: (tick: number) => readonly PublicKey[]
}

/** What an event can change about the node; where the views stand is for the tick to say. */
export type FactChange = Partial<
  Pick<NodeFacts, 'partyName' | 'partyKey' | 'app' | 'appVersion' | 'draining' | 'term' | 'running'>
>

export interface NodeFactsTable extends NodeFactsRead {
  readonly change: (change: FactChange) => void
  /** The first start of a node says with which key and in which network it signs. */
  readonly began: (key: PublicKey, network: NetworkId) => void
  /** From the tick after the one that is open on, ticks are signed with something else. */
  readonly changeSigner: (change: Partial<TickSigner>) => void
}

/** Which map it is: its root, the number that root has given it, and the hash of what it says. */
export type MapSerial = { readonly root: PublicKey; readonly serial: number; readonly hash?: Hash }

export interface MapsRead {
  /** The serial of the newest map of a root; undefined when none was ever used. */
  readonly newest: (root: PublicKey) => number | undefined
  /** The map that the node has gone by last; undefined when it never went by one. Old logs know no hash of it. */
  readonly anchor: () => MapSerial | undefined
  /** Whether an operator has let the node go by a map, whatever it went by before. */
  readonly isAccepted: (hash: Hash) => boolean
  /** Whether a change to this key is recorded. */
  readonly isRecorded: (change: KeyChange) => boolean
  /** All changes of keys that are recorded, in their order. */
  readonly changes: () => readonly KeyChange[]
}

export interface Maps extends MapsRead {
  readonly use: (map: MapSerial) => void
  readonly accept: (map: MapSerial, revision: number) => void
  readonly changedKey: (change: KeyChange, revision: number) => void
}

/** A checkpoint that the node keeps of a party's log, and since when. */
export type KeptCheckpoint = { readonly party: Party; readonly keptAt: Instant; readonly checkpoint: Checkpoint }

export interface CheckpointsRead {
  /** When the node was last let continue from a copy of its log. */
  readonly continuedAt: Instant | undefined
  /** The newest checkpoint that is kept of a party's log. */
  readonly kept: (party: PublicKey) => Checkpoint | undefined
  /** The other parties that the node has talked with, the last one first. */
  readonly peers: (me: PublicKey, limit: number) => readonly PublicKey[]
}

export interface Checkpoints extends CheckpointsRead {
  /** Keeps a checkpoint in the place of the one that is kept of that party. */
  readonly keep: (party: Party, checkpoint: Checkpoint, atMs: number) => void
  /** The node talks with a party. */
  readonly met: (party: PublicKey, revision: number) => void
  /** The node was let continue from a copy of its log. */
  readonly continueFromCopy: (atMs: number) => void
}

/** What deciders may ask about the node. */
export interface NodeRead {
  readonly facts: NodeFactsRead
  readonly maps: MapsRead
  readonly heads: CheckpointsRead
}

/** What the evolver of the node's facts writes to. */
export interface NodeTables extends NodeRead {
  readonly facts: NodeFactsTable
  readonly maps: Maps
  readonly heads: Checkpoints
}
