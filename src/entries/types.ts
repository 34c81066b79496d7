/**
 * `carillon/types`: types that signatures of `carillon` name and that an app seldom writes out.
 */

// Errors
export type { AppErrorCode, ErrorDetails, RecordedError } from '../errors/CarillonError.js'
export type { ErrorTrace, RecordedCause } from '../errors/ErrorTrace.js'
export type { Consequence } from '../errors/Consequence.js'
export type { CatalogueEntry, ErrorCode } from '../errors/catalogue.js'

// Values
export type { Encoded } from '../encoding/canonical.js'

// Time
export type { Clock } from '../time/Clock.js'

// Identity
export type { Random } from '../identity/Random.js'

// Ledger
export type { Output, TransactionBody } from '../ledger/Transaction.js'
export type { ActivityOptions } from '../ledger/Activity.js'
export type { ContractDefinition, ContractOptions, Verify, Violations } from '../ledger/Contract.js'
export type { ResolvedCommand } from '../ledger/LedgerTransaction.js'
export type { DefinedState, StateOptions, Upcaster } from '../ledger/StateDefinition.js'
export type { IndexedValue, IndexedValues } from '../ledger/IndexedValue.js'
export type { DraftCommand, DraftOutput } from '../ledger/TransactionBuilder.js'

// Flows
export type { FlowOperation, FlowOptions, RespondsTo } from '../app/FlowDefinition.js'
export type { Consents } from '../ledger/Consents.js'
export type { SessionRole } from '../log/Message.js'
export type { SessionId, SessionIdBrand } from '../log/SessionId.js'
export type { StateQuery } from '../flow/queryStates.js'
export type { Finalised } from '../finality/Finalised.js'
export type { TogetherOptions } from '../app/finality/finaliseTogether.js'
export type { TransactWork } from '../app/transact.js'
export type { FinalityOptions, SignerCheck } from '../app/finality/respond.js'
export type { Verdict } from '../app/finality/Verdict.js'
export type { CommandKind, PartCheck, PartSigner } from '../app/finality/signPart.js'
export type {
  ChildFlow,
  ChildOptions,
  NamedParts,
  PartEntry,
  PartResult,
  PartResults,
  RaceWinner,
  StartedBy,
  StepOptions,
  WaitedState,
} from '../app/FlowIo.js'
export type { Unbounded, Within } from '../app/within.js'
export type { AnySignalDefinition, ReceivedSignal, SignalDefinition, SignalOptions } from '../app/SignalDefinition.js'
export type { SignalTarget } from '../flow/decideSignal.js'
export type { KeyedState } from '../app/KeyedStates.js'
export type { ResponderOptions } from '../app/Responder.js'
export type { SessionInput } from '../session/SessionInput.js'
export type { StepContext } from '../flow/operations/step.js'
export type { RetryPolicy } from '../flow/RetryPolicy.js'
export type { AsWritten, RefusalCodec } from '../flow/Refusal.js'
export type { RunOutcome } from '../flow/FlowEnd.js'
export type { EndedAs } from '../log/endedAs.js'
export type { FlowChild, FlowDetails, FlowQuery, FlowTrouble, KeptSignal } from '../flow/FlowSummary.js'
export type { TroubleKind } from '../flow/TroubleRow.js'
export type { WhenParentEnds } from '../flow/ChildRow.js'
export type { FlowStatus, StartCause } from '../flow/FlowRow.js'

// Log
export type { Assessment } from '../ledger/Assessment.js'

// Views
export type { Sort, StateCriteria, Status } from '../vault/query/VaultQuery.js'
export type { Criterion, Span, Who } from '../vault/query/Criterion.js'
export type { Aggregate, VaultAggregate } from '../vault/query/VaultAggregate.js'
export type { Tracking, VaultUpdate } from '../node/trackVault.js'
export type { UnstartedOutcome } from '../agenda/UnstartedRow.js'
export type { Standing } from '../agenda/ActivityRow.js'
export type { AgendaEntry, AgendaQuery, Attempt } from '../agenda/AgendaEntry.js'
export type { Why } from '../agenda/why.js'

// App and node
export type { AppOptions } from '../app/App.js'
export type { Role, Standby, StandbyOptions } from '../standby/Standby.js'
export type { By, ByWithNote, StartOptions } from '../node/Node.js'
export type { FlowHandle } from '../node/FlowHandle.js'
export type { GivenLimits, NodeLimits } from '../node/NodeLimits.js'
export type { LimitsLike } from '../limits.js'
export type { AgendaLimits } from '../agenda/limits.js'
export type { BackupLimits } from '../backup/limits.js'
export type { EngineLimits } from '../engine/limits.js'
export type { ProjectionLimits } from '../projection/limits.js'
export type { SessionLimits } from '../session/limits.js'
export type { StorageLimits } from '../storage/limits.js'
export type { HangingStep } from '../engine/AsyncStepRunner.js'
export type { NodeOptions } from '../node/NodeOptions.js'

// HTTP and telemetry
export type { Done, FlowAction, OperatorRequest } from '../operator/OperatorRequest.js'
export type { FlowsMatching, OperatedFlows } from '../node/operateFlows.js'
