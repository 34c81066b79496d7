/**
 * The list of all kinds of operations. Every `yield*` in a flow hands one operation to the engine, which answers it at
 * once or suspends the flow until the answer is there. A new kind needs a file in `operations/` and its lines here.
 */
import type { OperationDefinition } from './defineOperation.js'
import { invalidOperation, type InvalidOperation } from './invalidOperation.js'
import { changeNotary, type ChangeNotary } from './operations/changeNotary.js'
import { check, type Check } from './operations/check.js'
import { close, type Close } from './operations/close.js'
import { dependencies, type Dependencies } from './operations/dependencies.js'
import { enter, type Enter } from './operations/enter.js'
import { finalise, type Finalise } from './operations/finalise.js'
import { find, type Find } from './operations/find.js'
import { initiate, type Initiate } from './operations/initiate.js'
import { kill, type Kill } from './operations/kill.js'
import { load, type Load } from './operations/load.js'
import { lock, type Lock } from './operations/lock.js'
import { newId, type NewId } from './operations/newId.js'
import { notarise, type Notarise } from './operations/notarise.js'
import { notaryRequest, type NotaryRequestFor } from './operations/notaryRequest.js'
import { now, type Now } from './operations/now.js'
import { parents, type Parents } from './operations/parents.js'
import { progress, type Progress } from './operations/progress.js'
import { query, type Query } from './operations/query.js'
import { queryPage, type QueryPage } from './operations/queryPage.js'
import { receive, type Receive } from './operations/receive.js'
import { record, type RecordTransactions } from './operations/record.js'
import { send, type Send } from './operations/send.js'
import { sign, type Sign } from './operations/sign.js'
import { signId, type SignId } from './operations/signId.js'
import { sleep, type Sleep } from './operations/sleep.js'
import { sleepUntil, type SleepUntil } from './operations/sleepUntil.js'
import { step, type Step } from './operations/step.js'
import { takeHistory, type TakeHistory } from './operations/takeHistory.js'
import { unlock, type Unlock } from './operations/unlock.js'
import { vend, type Vend } from './operations/vend.js'
import { walk, type Walk } from './operations/walk.js'

/** What a flow may ask of its node; {@link FlowIo} makes them. */
export type Operation =
  | ChangeNotary
  | Check
  | Close
  | Dependencies
  | Enter
  | Finalise
  | Find
  | Initiate
  | Kill
  | Load
  | Lock
  | NewId
  | Notarise
  | NotaryRequestFor
  | Now
  | Parents
  | Progress
  | Query
  | QueryPage
  | Receive
  | RecordTransactions
  | Send
  | Sign
  | SignId
  | Sleep
  | SleepUntil
  | Step
  | TakeHistory
  | Unlock
  | Vend
  | Walk

/** The definition of each kind, by its name. */
export const operations: {
  readonly [K in Operation['kind']]: OperationDefinition<Extract<Operation, { readonly kind: K }>>
} = {
  changeNotary,
  check,
  close,
  dependencies,
  enter,
  finalise,
  find,
  initiate,
  kill,
  load,
  lock,
  newId,
  notarise,
  notaryRequest,
  now,
  parents,
  progress,
  query,
  queryPage,
  receive,
  record,
  send,
  sign,
  signId,
  sleep,
  sleepUntil,
  step,
  takeHistory,
  unlock,
  vend,
  walk,
}

export type AnyOperationDefinition = OperationDefinition<Operation | InvalidOperation>

const byKind: ReadonlyMap<string, AnyOperationDefinition> = new Map<string, AnyOperationDefinition>(
  Object.entries(operations),
)

/** How an operation is treated. App code may yield something of a kind that there is not. */
export const definitionOf = (operation: Operation): AnyOperationDefinition =>
  byKind.get(operation.kind) ?? invalidOperation
