/**
 * Writes what events say about the node as a whole.
 */
import { isNewerCheckpoint } from './Checkpoint.js'
import type { EventOf } from './events.js'
import type { NodeTables } from './NodeTables.js'

export type NodeEvent = EventOf<
  | 'NodeStarted'
  | 'NodeStopped'
  | 'NetworkJoined'
  | 'NetworkMapChanged'
  | 'NetworkMapAccepted'
  | 'KeyChanged'
  | 'DrainingStarted'
  | 'DrainingEnded'
  | 'SessionOpened'
  | 'CheckpointReceived'
  | 'RestoreAccepted'
>

const keepCheckpoint = ({ heads }: NodeTables, event: EventOf<'CheckpointReceived'>, atMs: number): void => {
  const { party, checkpoint } = event
  const kept = heads.kept(party.key)
  // An older checkpoint never takes the place of a newer one.
  if (kept === undefined || isNewerCheckpoint(checkpoint, kept)) heads.keep(party, checkpoint, atMs)
}

export const evolveNode = (tables: NodeTables, event: NodeEvent, revision: number, atMs: number): void => {
  const { facts, maps, heads } = tables
  switch (event.type) {
    case 'NodeStarted': {
      const { party, app, appVersion, term } = event
      facts.change({ partyName: party.name, partyKey: party.key, app, appVersion, term, running: true })
      facts.began(party.key, event.network)
      if (event.map !== undefined) maps.use(event.map)
      return
    }
    case 'NodeStopped':
      facts.change({ running: false })
      return
    case 'NetworkJoined':
      facts.changeSigner({ network: event.network })
      return
    case 'NetworkMapChanged':
      maps.use(event.map)
      return
    case 'NetworkMapAccepted':
      maps.accept(event.map, revision)
      return
    case 'KeyChanged':
      maps.changedKey(event.change, revision)
      if (event.change.party === facts.now.partyKey) facts.changeSigner({ key: event.change.to })
      return
    case 'DrainingStarted':
      facts.change({ draining: true })
      return
    case 'DrainingEnded':
      facts.change({ draining: false })
      return
    case 'SessionOpened':
      heads.met(event.party, revision)
      return
    case 'CheckpointReceived':
      keepCheckpoint(tables, event, atMs)
      return
    case 'RestoreAccepted':
      // Compared with what others have seen, it is the same log; told to go on regardless, it may be another one.
      if (event.checkpoints === 0) heads.continueFromCopy(atMs)
      return
  }
}
