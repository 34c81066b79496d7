/**
 * Applies one event to the tables of all rooms. Rooms share events, never rows: each event goes to every room that
 * follows it, in the order of the rooms. It calls no app code and depends on nothing but the events, so the same log
 * always gives the same rows.
 */
import type { AgendaTables } from '../agenda/AgendaTables.js'
import { evolveActivities, evolveAgenda } from '../agenda/evolveAgenda.js'
import { evolveFlows } from '../flow/evolveFlows.js'
import type { FlowTables } from '../flow/FlowTables.js'
import { wakeForTransaction } from '../flow/wakeWaiting.js'
import { evolveNode } from '../log/evolveNode.js'
import type { FoldableEvent } from '../log/FoldableEvent.js'
import type { NodeTables } from '../log/NodeTables.js'
import { evolveNotary } from '../notary/evolveNotary.js'
import type { NotaryTables } from '../notary/NotaryTables.js'
import { evolveTokens } from '../operator/evolveTokens.js'
import type { OperatorTables } from '../operator/OperatorTables.js'
import { evolveSessions } from '../session/evolveSessions.js'
import type { SessionTables } from '../session/SessionTables.js'
import { evolveTransaction, evolveVault } from '../vault/evolveVault.js'
import { partsOf } from '../vault/TransactionParts.js'
import type { VaultTables } from '../vault/VaultTables.js'

/** The tables of all rooms, for those who write them. */
export interface Tables
  extends NodeTables, VaultTables, FlowTables, SessionTables, NotaryTables, AgendaTables, OperatorTables {}

export const evolve = (tables: Tables, event: FoldableEvent, revision: number, atMs: number): void => {
  switch (event.type) {
    case 'TransactionRecorded': {
      const parts = partsOf(event)
      evolveTransaction(tables, event, parts, revision, atMs)
      wakeForTransaction(tables, event, parts, atMs)
      evolveActivities(tables, event, parts)
      return
    }
    case 'FlowStarted':
      evolveFlows(tables, event, revision, atMs)
      evolveAgenda(tables, event, revision, atMs)
      return
    case 'FlowAdvanced':
      evolveFlows(tables, event, revision, atMs)
      evolveSessions(tables, event, revision)
      return
    case 'FlowEnded':
      evolveVault(tables, event, revision, atMs)
      evolveFlows(tables, event, revision, atMs)
      evolveSessions(tables, event, revision)
      evolveAgenda(tables, event, revision, atMs)
      return
    case 'FlowParked':
    case 'FlowRetried':
    case 'FlowPaused':
    case 'FlowCancelled':
    case 'FlowResumed':
    case 'FlowDismissed':
    case 'SignalReceived':
    case 'SignalTaken':
      evolveFlows(tables, event, revision, atMs)
      return
    case 'ActivityMoved':
    case 'ActivityRemoved':
    case 'ActivityMissed':
    case 'ActivityStartFailed':
    case 'ActivityParked':
    case 'ActivityPaused':
    case 'ActivityResumed':
    case 'ActivityTriggered':
    case 'ActivityRetried':
    case 'ActivityDismissed':
      evolveAgenda(tables, event, revision, atMs)
      return
    case 'StateReassessed':
      evolveVault(tables, event, revision, atMs)
      evolveFlows(tables, event, revision, atMs)
      evolveAgenda(tables, event, revision, atMs)
      return
    case 'StatesLocked':
    case 'StatesUnlocked':
    case 'KeysReserved':
    case 'TransactionSigned':
      evolveVault(tables, event, revision, atMs)
      return
    case 'SessionOpened':
      evolveNode(tables, event, revision, atMs)
      evolveSessions(tables, event, revision)
      return
    case 'MessageReceived':
      evolveFlows(tables, event, revision, atMs)
      evolveSessions(tables, event, revision)
      return
    case 'MessageSent':
    case 'MessageAcknowledged':
      evolveSessions(tables, event, revision)
      return
    case 'TransactionNotarised':
      evolveNotary(tables, event, revision)
      return
    case 'TokenIssued':
    case 'TokenRevoked':
      evolveTokens(tables, event, atMs)
      return
    case 'LeaseRenewed':
      // It says only that the leader lives, to those who follow as it is written.
      return
    case 'NodeStarted':
    case 'NodeStopped':
    case 'NetworkJoined':
    case 'NetworkMapChanged':
    case 'NetworkMapAccepted':
    case 'KeyChanged':
    case 'DrainingStarted':
    case 'DrainingEnded':
    case 'CheckpointReceived':
    case 'RestoreAccepted':
      evolveNode(tables, event, revision, atMs)
      return
  }
}
