/**
 * Carillon: an event-sourced ledger and flow framework whose states know when they are due. These are all its
 * public names; test tools are under `carillon/testing`.
 */

// Errors
export { CarillonError, type AppErrorCode, type ErrorDetails, type RecordedError } from './errors/CarillonError.js'
export type { Consequence } from './errors/Consequence.js'
export type { ErrorCode } from './errors/catalogue.js'

// Values
export type { Json } from './encoding/canonical.js'
export { canonicalText } from './encoding/canonical.js'
export { IntegerC } from './encoding/IntegerC.js'
export { JsonC } from './encoding/JsonC.js'
export { HashC, type Hash } from './encoding/hash.js'

// Time
export {
  instant,
  instantFromMillis,
  InstantC,
  millisBetween,
  plus,
  toDateTime,
  toMillis,
  type Instant,
} from './time/Instant.js'
export type { Clock } from './time/Clock.js'
export { systemClock } from './time/SystemClock.js'
export {
  localDate,
  LocalDateC,
  localTime,
  LocalTimeC,
  timeOfDay,
  TimeOfDayC,
  type LocalDate,
  type LocalTime,
  type TimeOfDay,
} from './time/LocalTime.js'
export { addDays, addMonths, daysBetween, endOfMonth, isEndOfMonth } from './time/dates.js'
export { instantIn } from './time/instantIn.js'
export { zone, ZoneC, type Zone } from './time/Zone.js'
export { zoneDataVersion } from './time/zoneDataVersion.js'

// Business calendars
export {
  addBusinessDays,
  BusinessCalendarC,
  CentreC,
  isBusinessDay,
  RollC,
  rollDate,
  unionOf,
  type BusinessCalendar,
  type Centre,
  type Roll,
} from './time/calendars/BusinessCalendar.js'
export { addPeriods, FrequencyC, type Frequency } from './time/calendars/Frequency.js'
export { addTenor, maturityOf, tenor, TenorC, type Tenor } from './time/calendars/Tenor.js'
export { periodsBetween, StubC, type Period, type PeriodsOptions, type Stub } from './time/calendars/periods.js'
export { holidayDataVersion } from './time/calendars/holidays.js'

// Recurrence
export {
  atInstants,
  cron,
  everyInterval,
  everyOnCalendar,
  ExclusionsC,
  RecurrenceC,
  repetition,
  rrule,
  RuleC,
  type Exclusions,
  type LocalOptions,
  type Recurrence,
  type RecurrenceOptions,
  type RecurrenceRule as RecurrenceRule,
} from './time/recurrence/Recurrence.js'
export { allBetween, checkRecurrence, nextAfter, preview, previousBefore } from './time/recurrence/occurrences.js'
export { defaultDstPolicy, DstPolicyC, type DstPolicy } from './time/recurrence/DstPolicy.js'
export { JitterC, type Jitter } from './time/recurrence/jitter.js'
export { recurring, type Recurring, type RecurringOptions } from './app/recurring.js'
export type { Missed, Overlap, RecurringOccurrence, RecurringSchedule } from './app/schedule.js'

// Identity
export { PartyC, type Party } from './identity/Party.js'
export { PublicKeyC, type PublicKey } from './identity/PublicKey.js'
export {
  allKeys,
  CompositeKeyC,
  isSatisfiedBy,
  KeyC,
  primitiveKeys,
  thresholdOf,
  weighted,
  type CompositeKey,
  type Key,
} from './identity/Key.js'
export { networkIdOf, type NetworkId } from './identity/NetworkId.js'
export { NetworkMap, type Member, type NotaryKind } from './identity/NetworkMap.js'
export {
  openNetworkMap,
  signNetworkMap,
  type NetworkTerms,
  type SignedNetworkMap,
} from './identity/SignedNetworkMap.js'
export { type KeyChange } from './identity/KeyChange.js'
export { generateKeyPair, importKeyPair, verifySignature, type KeyPair } from './identity/KeyPair.js'

// Ledger
export { parseRef, sameRef, showRef, StateRefC, type StateRef } from './ledger/StateRef.js'
export { TransactionIdC, type TransactionId } from './ledger/TransactionId.js'
export { activity, ActivityC, FlowRefC, type Activity, type ActivityOptions, type FlowRef } from './ledger/Activity.js'
export { TimeWindowC, windowContains, type TimeWindow } from './ledger/TimeWindow.js'
export { defineCommand, type CommandDefinition } from './ledger/Command.js'
export { commandsShown, type Visible as ShownTransaction } from './ledger/TearOff.js'
export {
  allOf,
  both,
  defineContract,
  participantsSign,
  rule,
  type ContractDefinition,
  type ContractOptions,
  type Rule,
  type Verify,
  type Violations,
} from './ledger/Contract.js'
export type { LedgerTransaction, ResolvedCommand, ResolvedState } from './ledger/LedgerTransaction.js'
export {
  defineState,
  type AnyStateDefinition,
  type RunsOn,
  type StateDefinition,
  type StateKind,
  type StateOptions,
  type Upcaster,
} from './ledger/StateDefinition.js'
export type { IndexedValue, IndexedValues } from './ledger/IndexedValue.js'
export type { StateAndRef } from './ledger/StateAndRef.js'
export type { DraftCommand, DraftOutput, TransactionBuilder } from './ledger/TransactionBuilder.js'

// Flows
export {
  defineFlow,
  NoInputC,
  type AnyFlowDefinition,
  type FlowBody,
  type FlowDefinition,
  type FlowOptions,
} from './app/FlowDefinition.js'
export type { Consent, Consents } from './ledger/Consents.js'
export type { Finalised } from './finality/Finalised.js'
export type { TogetherOptions } from './app/finality/finaliseTogether.js'
export { transactRetry, type TransactOptions, type TransactWork } from './app/transact.js'
export { DefaultCommand } from './finality/defaultCommand.js'
export type { FinalityOptions, SignerCheck } from './app/finality/respond.js'
export type { Verdict } from './app/finality/Verdict.js'
export type { CommandKind, PartCheck, PartSigner, TransactionPart } from './app/finality/signPart.js'
export type {
  ChildFlow,
  ChildOptions,
  FlowIo,
  NamedParts,
  PartEntry,
  PartResult,
  PartResults,
  RaceWinner,
  StartedBy,
  StepOptions,
  WaitedState,
} from './app/FlowIo.js'
export type { Unbounded, Within } from './app/within.js'
export {
  defineSignal,
  type AnySignalDefinition,
  type ReceivedSignal,
  type SignalDefinition,
  type SignalOptions,
} from './app/SignalDefinition.js'
export type { SignalTarget } from './flow/decideSignal.js'
export { KeyedStates, type KeyedState } from './app/KeyedStates.js'
export { defineResponder, type ResponderOptions } from './app/Responder.js'
export type { SessionInput } from './session/SessionInput.js'
export type { Session } from './app/Session.js'
export { FlowIdC, type FlowId } from './log/FlowId.js'
export type { Operation } from './app/Operation.js'
export type { StepContext } from './flow/operations/step.js'
export { defaultRetry, type RetryPolicy } from './flow/RetryPolicy.js'
export { ChangeNotary, CompleteNotaryChange } from './app/finality/changeNotary.js'
export { parkFlow } from './flow/parkFlow.js'
export { FlowRefused, Refusal, refuseWith, type AsWritten, type RefusalCodec, type RefusalOf } from './flow/Refusal.js'
export type { RunOutcome } from './flow/FlowEnd.js'
export type { EndedAs } from './log/endedAs.js'
export { retryLater } from './flow/retryLater.js'
export type { FlowDetails, FlowQuery, FlowSummary, FlowTrouble, KeptSignal } from './flow/FlowSummary.js'
export type { WhenParentEnds } from './flow/ChildRow.js'
export type { FlowStatus, StartCause } from './flow/FlowRow.js'

// Log
export type { Assessment } from './ledger/Assessment.js'
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
} from './log/events.js'
export type { AppendOutcome, EventLog } from './log/EventLog.js'
export { decodeEvent } from './log/decodeEvent.js'
export type { EncodedTick, Head } from './log/Tick.js'
export { MemoryLog } from './logs/memory/MemoryLog.js'
export { SqliteLog } from './logs/sqlite/SqliteLog.js'
export { openLog } from './logs/openLog.js'

// Tools for whole logs
export { verifyLog, type LogReport, type VerifyOptions } from './history/verifyLog.js'
export type { LogFault, LogProblem } from './history/LogProblem.js'
export type { KeptCheckpoint } from './log/NodeTables.js'
export type { Checkpoint } from './log/Checkpoint.js'
export { parseCheckpoint } from './history/parseCheckpoint.js'
export { checkProof, proveEvent, type InclusionProof, type ProvenEvent } from './history/InclusionProof.js'
export { exportLog } from './history/exportLog.js'
export { importLog } from './history/importLog.js'
export { copyLog, importInto, type CopyProgress } from './history/copyLog.js'
export { rebuildViews } from './history/rebuildViews.js'
export type { RebuildReport } from './storage/rebuildStore.js'
export { foldLog } from './history/foldLog.js'
export { backupStore, restoreStore, type BackupProgress } from './backup/backupStore.js'
export { acceptRestored, compareRestored, type Acceptance, type AcceptOptions } from './backup/acceptRestored.js'
export { compareWithPeers, type CompareOptions, type PeersCompared } from './backup/compareWithPeers.js'
export type { Peers } from './backup/askPeers.js'
export { TimeMachine, type DiffOptions, type LogSource } from './history/TimeMachine.js'
export type { Moment } from './history/moment.js'
export type { AgendaChange, Listing, Place, WorldDiff } from './storage/queries/WorldDiff.js'
export { digestViews } from './storage/digest.js'
export type { Database, SqlRow, SqlValue, Statement } from './storage/Database.js'

// Views
export type { VaultEntry } from './vault/VaultEntry.js'
export type { Page, Sort, StateCriteria, Status, VaultQuery } from './vault/query/VaultQuery.js'
export type { Criterion, Span, Who } from './vault/query/Criterion.js'
export type { Aggregate, VaultAggregate } from './vault/query/VaultAggregate.js'
export type { Tracking, VaultUpdate } from './node/trackVault.js'
export type { Standing } from './agenda/ActivityRow.js'
export type { AgendaEntry, AgendaQuery, Attempt } from './agenda/AgendaEntry.js'
export type { Why } from './agenda/why.js'

// App and node
export { defineApp, type App, type AppOptions } from './app/App.js'
export { startNode } from './node/startNode.js'
export { standBy, type Role, type Standby, type StandbyOptions } from './standby/Standby.js'
export type { By, ByWithNote, Node, StartOptions } from './node/Node.js'
export type { FlowHandle } from './node/FlowHandle.js'
export type { GivenLimits, NodeLimits } from './node/NodeLimits.js'
export type { NodeOptions } from './node/NodeOptions.js'
export { EmbeddedStore } from './storage/EmbeddedStore.js'
export { LogBackedStore, type LogBackedStoreOptions } from './storage/LogBackedStore.js'
export type { TickStore } from './storage/TickStore.js'
export type {
  PublicActivityEvent,
  EventPosition,
  FlowChangedEvent,
  FlowEndedEvent,
  FlowProgressedEvent,
  FlowStartedEvent,
  PublicNodeEvent,
  ProducedState,
  PublicError,
  PublicEvent,
  PublicEventBody,
  PublicEventType,
  PublicOrigin,
  RecordedCommand,
  SignalReceivedEvent,
  TransactionRecordedEvent,
} from './log/PublicEvent.js'
export { producedStates } from './app/producedStates.js'
export type { Subscription } from './subscription/callBack.js'
export type { PublicEventOf, SubscribeFrom, SubscribeOptions } from './subscription/subscribe.js'
export type { Subscribe } from './subscription/subscriber.js'
export {
  defineProjection,
  type AnyProjection,
  type ProjectionCheckpoint,
  type ProjectionOptions,
  type ProjectionStore,
  type ProjectionTarget,
  type SavedProjection,
  type TargetProjection,
  type ValueProjection,
} from './app/Projection.js'
export {
  definePostgresProjection,
  type PostgresProjectionOptions,
  type ProjectionSql,
} from './logs/postgres/PostgresProjection.js'
export type { ProjectionStatus } from './projection/ProjectionRunner.js'
export type { ProjectionReader } from './projection/ProjectionReader.js'
export type { Committed } from './engine/Committed.js'
export type { LogFields, Logger } from './engine/Logger.js'
export {
  defineVerb,
  defineVerbs,
  type Verb,
  type VerbAnswer,
  type VerbArgument,
  type VerbAsked,
  type VerbCaller,
  type VerbGroup,
  type VerbOption,
  type VerbOptions,
} from './http/AppVerb.js'
export { openControlSocket, type ControlOptions, type ControlSocket } from './http/ControlSocket.js'

// HTTP and telemetry
export type { HttpOptions, HttpServer } from './http/listenHttp.js'
export { readLocalToken, type LocalToken } from './http/localToken.js'
export { serveHttp } from './http/serveHttp.js'
export type { ServedApi, ServedNode } from './http/ServedApi.js'
export { serveStandby, type ServedStandby } from './http/serveStandby.js'
export {
  definePanel,
  type ActionAsked,
  type Block,
  type Cell,
  type Field,
  type Panel,
  type PanelAction,
  type PanelOptions,
  type Tone,
} from './http/Panel.js'
export { defineEndpoint, type Endpoint, type EndpointAsked, type EndpointOptions } from './http/Endpoint.js'
export { ClockControl } from './http/ClockControl.js'
export { NodeMetrics } from './telemetry/NodeMetrics.js'
export { instrumentNode } from './telemetry/instrumentNode.js'
export { jsonLogger, type JsonLoggerOptions } from './telemetry/jsonLogger.js'
export { logOutcomes } from './telemetry/logOutcomes.js'
export type { FlowAction, OperatorRequest } from './operator/OperatorRequest.js'
export type { FlowsMatching, OperatedFlows } from './node/operateFlows.js'
export { PermissionC, type Permission } from './operator/Permission.js'
export { type Token, type TokenId } from './operator/Token.js'

// Networks of processes
export { readKeyFile, writeKeyFile, type KeyFileOptions } from './keys/KeyFile.js'
export { rotateKey, type RotatedKey, type RotateKeyOptions } from './folder/rotateKey.js'
export { addParty, type AddedMember, type AddedParty, type MapChange } from './network/addParty.js'
export { changePartyKey, type ChangedPartyKey } from './network/changePartyKey.js'
export { makeNetwork, type NewMember, type NewNetwork, type NewNetworkOptions } from './network/makeNetwork.js'
export { openNetworkFolder, type NetworkFolder } from './network/NetworkFolder.js'
export { TlsTransport, type TlsTransportOptions } from './transport/TlsTransport.js'
export { makeCertificate, type CertificateRequest } from './network/certificate.js'
export type { TransportLimits } from './transport/limits.js'
export type { Transport } from './session/Transport.js'
export type { Envelope, Message } from './log/Message.js'
