/**
 * The list of all kinds of operations. Every `yield*` in a flow hands one operation to the engine, which answers it at
 * once or suspends the flow until the answer is there. A new kind needs a file in `operations/` of the room it is
 * about, and its lines here.
 */
import type { AgendaReads } from '../agenda/AgendaReads.js'
import type { FinalityReads } from '../finality/FinalityReads.js'
import type { OperationDefinition } from '../flow/defineOperation.js'
import { invalidOperation, type InvalidOperation } from '../flow/invalidOperation.js'
import { all } from '../flow/operations/all.js'
import { cancelled, type Cancelled } from '../flow/operations/cancelled.js'
import { changeNotary, type ChangeNotaryOperation } from '../finality/operations/changeNotary.js'
import { check, type Check } from '../finality/operations/check.js'
import { close, type Close } from '../session/operations/close.js'
import { continueAs, type ContinueAs } from '../flow/operations/continueAs.js'
import { dependencies, type Dependencies } from '../finality/operations/dependencies.js'
import { enter, type Enter } from '../flow/operations/enter.js'
import { finalise, type Finalise } from '../finality/operations/finalise.js'
import { find, type Find } from '../flow/operations/find.js'
import { initiate, type Initiate } from '../session/operations/initiate.js'
import { join, type Join } from '../flow/operations/join.js'
import { kill, type Kill } from '../agenda/operations/kill.js'
import { load, type Load } from '../flow/operations/load.js'
import { lock, type Lock } from '../flow/operations/lock.js'
import { newId, type NewId } from '../flow/operations/newId.js'
import { notarise, type Notarise } from '../notary/operations/notarise.js'
import { notaryRequest, type NotaryRequestFor } from '../finality/operations/notaryRequest.js'
import { notaryChangeSigned, type NotaryChangeSigned } from '../finality/operations/notaryChangeSigned.js'
import { now, type Now } from '../flow/operations/now.js'
import { parents, type Parents } from '../finality/operations/parents.js'
import type { Parts } from '../flow/Parts.js'
import { progress, type Progress } from '../flow/operations/progress.js'
import { query, type Query } from '../flow/operations/query.js'
import { queryPage, type QueryPage } from '../flow/operations/queryPage.js'
import { race } from '../flow/operations/race.js'
import { receive, type Receive } from '../session/operations/receive.js'
import { record, type RecordTransactions } from '../finality/operations/record.js'
import { recordHistory, type RecordHistory } from '../finality/operations/recordHistory.js'
import { send, type Send } from '../session/operations/send.js'
import { sendSignal, type SendSignal } from '../flow/operations/sendSignal.js'
import { sign, type Sign } from '../finality/operations/sign.js'
import { signId, type SignId } from '../notary/operations/signId.js'
import { signal, type WaitForSignal } from '../flow/operations/signal.js'
import { sleep, type Sleep } from '../flow/operations/sleep.js'
import { sleepUntil, type SleepUntil } from '../flow/operations/sleepUntil.js'
import { start, type StartChild } from '../flow/operations/start.js'
import { step, type Step } from '../flow/operations/step.js'
import { takeHistory, type TakeHistory } from '../finality/operations/takeHistory.js'
import { traceHistory, type TraceHistory } from '../finality/operations/traceHistory.js'
import { unlock, type Unlock } from '../flow/operations/unlock.js'
import { vend, type Vend } from '../finality/operations/vend.js'
import { waitFor, type WaitForState } from '../flow/operations/waitFor.js'
import { waitForConsumption, type WaitForConsumption } from '../flow/operations/waitForConsumption.js'
import { waitForTransaction, type WaitForTransaction } from '../flow/operations/waitForTransaction.js'
import { walk, type Walk } from '../finality/operations/walk.js'

/** What the deciders of operations read, all of them together. */
export type OperationReads = FinalityReads & AgendaReads

/** What a flow may ask of its node; {@link FlowIo} makes them. */
export type Operation =
  | Cancelled
  | ChangeNotaryOperation
  | Check
  | Close
  | ContinueAs
  | Dependencies
  | Enter
  | Finalise
  | Find
  | Initiate
  | Join
  | Kill
  | Load
  | Lock
  | NewId
  | Notarise
  | NotaryChangeSigned
  | NotaryRequestFor
  | Now
  | Parents
  | Parts<'all'>
  | Parts<'race'>
  | Progress
  | Query
  | QueryPage
  | Receive
  | RecordHistory
  | RecordTransactions
  | Send
  | SendSignal
  | Sign
  | SignId
  | Sleep
  | SleepUntil
  | StartChild
  | Step
  | TakeHistory
  | TraceHistory
  | Unlock
  | Vend
  | WaitForConsumption
  | WaitForSignal
  | WaitForState
  | WaitForTransaction
  | Walk

/** The definition of each kind, by its name. */
export const operations: {
  readonly [K in Operation['kind']]: OperationDefinition<Extract<Operation, { readonly kind: K }>, OperationReads>
} = {
  all,
  cancelled,
  changeNotary,
  check,
  close,
  continueAs,
  dependencies,
  enter,
  finalise,
  find,
  initiate,
  join,
  kill,
  load,
  lock,
  newId,
  notarise,
  notaryChangeSigned,
  notaryRequest,
  now,
  parents,
  progress,
  query,
  queryPage,
  race,
  receive,
  record,
  recordHistory,
  send,
  sendSignal,
  sign,
  signal,
  signId,
  sleep,
  sleepUntil,
  start,
  step,
  takeHistory,
  traceHistory,
  unlock,
  vend,
  waitFor,
  waitForConsumption,
  waitForTransaction,
  walk,
}

export type AnyOperationDefinition = OperationDefinition<Operation | InvalidOperation, OperationReads>

const byKind: ReadonlyMap<string, AnyOperationDefinition> = new Map<string, AnyOperationDefinition>(
  Object.entries(operations),
)

/** How an operation is treated. App code may yield something of a kind that there is not. */
export const definitionOf = (operation: Operation): AnyOperationDefinition =>
  byKind.get(operation.kind) ?? invalidOperation
