/**
 * What the compiler must refuse: a decider that changes a row. This file is compiled by `npm run types` and never run.
 * Each line that is expected not to compile fails the build when it does.
 */
import type { Decision as DecisionOf } from '../../src/errors/Decision.js'
import type { OperationReads } from '../../src/app/Operation.js'
import { decideNotaryChange } from '../../src/finality/decideNotaryChange.js'
import { decideTransaction } from '../../src/finality/decideTransaction.js'
import { recordSigned } from '../../src/finality/recordSigned.js'
import { decideSignal } from '../../src/flow/decideSignal.js'
import { decideNotarisation, notariseOwn, releaseOwn } from '../../src/notary/decideNotarisation.js'
import { decideOperatorRequest } from '../../src/operator/decideOperatorRequest.js'
import { decideStart } from '../../src/operator/operateFlow.js'
import type { StateRef } from '../../src/ledger/StateRef.js'
import type { FlowId } from '../../src/log/FlowId.js'
import type { SessionId } from '../../src/log/SessionId.js'
import type { OperatorReads } from '../../src/operator/OperatorReads.js'
import type { MessageReads } from '../../src/session/decideMessage.js'
import type { VaultTables } from '../../src/vault/VaultTables.js'

/** What deciders are given, of all rooms together. */
type Decision = OperationReads & MessageReads & OperatorReads

export const decideState = ({ views }: Decision, ref: StateRef): void => {
  const row = views.states.find(ref)
  if (row === undefined) return
  // @ts-expect-error -- a state is consumed by an event
  row.consumedBy = 1
  // @ts-expect-error -- what the app said about a state is recorded
  row.key = 'mine'
}

export const decideActivity = ({ views }: Decision, ref: StateRef): void => {
  const row = views.activities.find(ref)
  if (row === undefined) return
  // @ts-expect-error -- how an activity stands follows from events
  row.standing = 'closed'
  // @ts-expect-error -- and so does when the node acts
  row.actsAtMs = 0
  for (const due of views.activities.due(0, 1)) {
    // @ts-expect-error -- also in a list
    due.attempt = 2
  }
}

export const decideFlow = ({ views }: Decision, id: FlowId): void => {
  const row = views.flows.find(id)
  if (row === undefined) return
  // @ts-expect-error -- a flow ends by an event
  row.status = 'killed'
  // @ts-expect-error -- a flow is woken by an event, or by its instant
  row.wakeMs = 0
}

export const decideSession = ({ views }: Decision, id: SessionId): void => {
  const row = views.sessions.find(id, 'initiator')
  if (row === undefined) return
  // @ts-expect-error -- a message is sent by an event
  row.sent = 2
}

export const decideNode = ({ views }: Decision): void => {
  // @ts-expect-error -- draining is an event
  views.facts.now.draining = true
}

/** The vault's own evolver cannot change an activity either: that is the agenda's. */
export const evolveState = ({ states }: VaultTables, ref: StateRef): void => {
  const row = states.find(ref)
  if (row === undefined) return
  row.consumedBy = 1
  // @ts-expect-error -- the standing of an activity is no business of the vault
  row.standing = null
}

type Reads = Decision['views']

/** A decider is given nothing that writes. */
export type WriterOfDecider = Extract<
  { readonly [Room in keyof Reads]: keyof Reads[Room] }[keyof Reads] | keyof Reads,
  | 'fold'
  | 'insert'
  | 'touch'
  | 'progress'
  | 'appendOperations'
  | 'change'
  | 'keep'
  | 'met'
  | 'lock'
  | 'receive'
  | 'send'
>
export const hasNoWriter: [WriterOfDecider] extends [never] ? true : false = true

/** It cannot record a fact either, and signs only where an operation declares so. */
export const hasNoEmitter: [Extract<keyof Decision, 'emit' | 'release' | 'sign' | 'key'>] extends [never]
  ? true
  : false = true

type Decider = (...args: never[]) => DecisionOf<unknown>

/** A refusal is a value: a decider that throws it instead has another type. */
export const refusalsAreReturned: readonly Decider[] = [
  decideNotarisation,
  decideNotaryChange,
  decideOperatorRequest,
  decideSignal,
  decideStart,
  decideTransaction,
  notariseOwn,
  recordSigned,
  releaseOwn,
]
