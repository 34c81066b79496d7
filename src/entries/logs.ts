/**
 * `carillon/logs`: logs and stores to open, the events in them, and tools for whole logs.
 */

// Log
export type {
  DomainEvent,
  EventOf,
  EventType,
  FlowOrigin,
  FlowOutcome,
  RecordedOperation,
  TransactionRecorded,
  Waiting,
  Waits,
} from '../log/events.js'
export type { AppendOutcome, EventLog } from '../log/EventLog.js'
export { decodeEvent } from '../log/decodeEvent.js'
export type { EncodedTick, Head } from '../log/Tick.js'
export { MemoryLog } from '../logs/memory/MemoryLog.js'
export { SqliteLog } from '../logs/sqlite/SqliteLog.js'
export { openLog } from '../logs/openLog.js'

// Tools for whole logs
export { verifyLog, type LogReport, type VerifyOptions } from '../history/verifyLog.js'
export type { LogFault, LogProblem } from '../history/LogProblem.js'
export type { KeptCheckpoint } from '../log/NodeTables.js'
export type { Checkpoint } from '../log/Checkpoint.js'
export { parseCheckpoint } from '../history/parseCheckpoint.js'
export { checkProof, proveEvent, type InclusionProof, type ProvenEvent } from '../history/InclusionProof.js'
export { exportLog } from '../history/exportLog.js'
export { importLog } from '../history/importLog.js'
export { copyLog, importInto, type CopyProgress } from '../history/copyLog.js'
export { rebuildViews } from '../history/rebuildViews.js'
export type { RebuildReport } from '../storage/rebuildStore.js'
export { foldLog } from '../history/foldLog.js'
export { TimeMachine, type DiffOptions, type LogSource } from '../history/TimeMachine.js'
export type { Moment } from '../history/moment.js'
export type { AgendaChange, Listing, Place, WorldDiff } from '../storage/queries/WorldDiff.js'

// App and node
export { EmbeddedStore } from '../storage/EmbeddedStore.js'
export { LogBackedStore, type LogBackedStoreOptions } from '../storage/LogBackedStore.js'
export type { TickStore } from '../storage/TickStore.js'
export type { Committed } from '../engine/Committed.js'
