/**
 * Carillon: an event-sourced ledger and flow framework whose states know when they are due. What most apps need is
 * here; the rest is under subpaths by purpose, such as `carillon/calendars`, and test tools under `carillon/testing`.
 */

// Errors
export { CarillonError } from './errors/CarillonError.js'

// Values
export { left, right } from 'fp-ts/lib/Either.js'
export { none, some } from 'fp-ts/lib/Option.js'
export { codec } from './app/codec.js'
export { type Json, canonicalText } from './encoding/canonical.js'
export { IntegerC } from './encoding/IntegerC.js'
export { JsonC } from './encoding/JsonC.js'
export { HashC, type Hash, type HashBrand } from './encoding/hash.js'

// Time
export {
  instant,
  instantFromMillis,
  InstantC,
  millisBetween,
  plus,
  toMillis,
  type Instant,
  type InstantBrand,
} from './time/Instant.js'

// Identity
export { PartyC, type Party } from './identity/Party.js'
export { PublicKeyC, type PublicKey, type PublicKeyBrand } from './identity/PublicKey.js'

// Ledger
export { parseRef, sameRef, showRef, StateRefC, type StateRef } from './ledger/StateRef.js'
export { TransactionIdC, type TransactionId } from './ledger/TransactionId.js'
export { activity, ActivityC, FlowRefC, type Activity, type FlowRef } from './ledger/Activity.js'
export { TimeWindowC, windowContains, type TimeWindow } from './ledger/TimeWindow.js'
export { defineCommand, type CommandDefinition } from './ledger/Command.js'
export { commandsShown, type Visible as ShownTransaction } from './ledger/TearOff.js'
export { allOf, both, defineContract, participantsSign, rule, type Rule } from './ledger/Contract.js'
export type { LedgerTransaction, ResolvedState } from './ledger/LedgerTransaction.js'
export {
  defineState,
  type AnyStateDefinition,
  type RunsOn,
  type StateDefinition,
  type StateKind,
} from './ledger/StateDefinition.js'
export type { StateAndRef } from './ledger/StateAndRef.js'
export type { TransactionBuilder } from './ledger/TransactionBuilder.js'

// Flows
export {
  defineFlow,
  NoInputC,
  type AnyFlowDefinition,
  type FlowBody,
  type FlowDefinition,
} from './app/FlowDefinition.js'
export type { Consent } from './ledger/Consents.js'
export { transactRetry, type TransactOptions } from './app/transact.js'
export { DefaultCommand } from './finality/defaultCommand.js'
export type { TransactionPart } from './app/finality/signPart.js'
export type { FlowIo } from './app/FlowIo.js'
export { defineSignal } from './app/SignalDefinition.js'
export { KeyedStates } from './app/KeyedStates.js'
export { defineResponder } from './app/Responder.js'
export type { Session } from './app/Session.js'
export { FlowIdC, type FlowId, type FlowIdBrand } from './log/FlowId.js'
export { defaultRetry } from './flow/RetryPolicy.js'
export { ChangeNotary, CompleteNotaryChange } from './app/finality/changeNotary.js'
export { parkFlow } from './flow/parkFlow.js'
export { FlowRefused, Refusal, refuseWith, type RefusalOf } from './flow/Refusal.js'
export { retryLater } from './flow/retryLater.js'
export type { FlowSummary } from './flow/FlowSummary.js'

// Views
export type { VaultEntry } from './vault/VaultEntry.js'
export type { Page, VaultQuery } from './vault/query/VaultQuery.js'

// App and node
export { defineApp, type App } from './app/App.js'
export { startNode } from './node/startNode.js'
export { standBy } from './standby/Standby.js'
export type { Node } from './node/Node.js'
