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
  FlowStarted,
  MessageReceived,
  MessageSent,
  RecordedOperation,
  TransactionRecorded,
  Waiting,
  Waits,
} from '../log/events.js'
export type { AppendOutcome, EventLog } from '../log/EventLog.js'
export type { WrittenMessage } from '../log/Message.js'
export { decodeEvent } from '../log/decodeEvent.js'
export type { EncodedTick, Head } from '../log/Tick.js'
export { MemoryLog } from '../logs/memory/MemoryLog.js'
export { SqliteLog } from '../logs/sqlite/SqliteLog.js'
export { openLog } from '../logs/openLog.js'

// Tools for whole logs
export { verifyLog, type LogReport, type VerifyOptions } from '../history/verifyLog.js'
export type { LogCheckerOptions } from '../history/LogChecker.js'
export type { LogFault, LogProblem } from '../history/LogProblem.js'
export type { KeptCheckpoint } from '../log/NodeTables.js'
export type { Checkpoint } from '../log/Checkpoint.js'
export { parseCheckpoint } from '../history/parseCheckpoint.js'
export { checkProof, proveEvent, type InclusionProof, type ProvenEvent } from '../history/InclusionProof.js'
export { exportLog } from '../history/exportLog.js'
export { importLog, type MakeStoreOptions } from '../history/importLog.js'
export { copyLog, importInto, type CopiedLog, type CopyProgress } from '../history/copyLog.js'
export { rebuildViews } from '../history/rebuildViews.js'
export type { RebuildReport } from '../storage/rebuildStore.js'
/** @internal */
export { foldLog } from '../history/foldLog.js'
export { TimeMachine, type DiffOptions, type LogSource } from '../history/TimeMachine.js'
export type { ViewQuestions } from '../storage/queries/ViewQuestions.js'
export type { StatesPage } from '../storage/queries/readStates.js'
export type { Moment } from '../history/moment.js'
export type { AgendaChange, Listing, Place, WorldDiff } from '../storage/queries/WorldDiff.js'

// App and node
export { EmbeddedStore, type EmbeddedStoreOptions } from '../storage/EmbeddedStore.js'
export { LogBackedStore, type LogBackedStoreOptions } from '../storage/LogBackedStore.js'
export type { OpenStore } from '../storage/OpenStore.js'
