/**
 * Decides on what an operator asks: the one decider behind the node's own methods and the work on a store without a node.
 */
import type { FlowId } from '../log/FlowId.js'
import type { DomainEvent } from '../log/events.js'
import type { StateRef } from '../ledger/StateRef.js'
import type { ActivityAction, DrainAction, FlowAction } from './controlProtocol.js'
import { dischargeActivity, pauseActivity, resumeActivity, retryActivity, triggerActivity } from './operateActivity.js'
import { operateDraining } from './operateDraining.js'
import { killFlow, pauseFlow, resumeFlow, retryFlow } from './operateFlow.js'
import { issueToken, revokeToken, type NewToken } from './operateTokens.js'
import type { OperatorReads } from './OperatorReads.js'
import type { TokenId } from './Token.js'

/** What an operator asks. */
export type OperatorCommand =
  | { readonly on: 'flow'; readonly action: FlowAction; readonly flow: FlowId }
  | { readonly on: 'activity'; readonly action: ActivityAction; readonly ref: StateRef; readonly note?: string }
  | { readonly on: 'node'; readonly action: DrainAction }
  | { readonly on: 'token'; readonly action: 'issue'; readonly token: NewToken }
  | { readonly on: 'token'; readonly action: 'revoke'; readonly token: TokenId }

const flowActions = { retry: retryFlow, kill: killFlow, pause: pauseFlow, resume: resumeFlow }

const activityActions = {
  trigger: triggerActivity,
  retry: retryActivity,
  discharge: dischargeActivity,
  pause: pauseActivity,
  resume: resumeActivity,
}

export const decideOperatorRequest = (
  reads: OperatorReads,
  request: OperatorCommand,
  by: string,
): readonly DomainEvent[] => {
  switch (request.on) {
    case 'flow':
      return flowActions[request.action](reads, request.flow, by)
    case 'activity': {
      const { note } = request
      return [activityActions[request.action](reads, request.ref, { by, ...(note === undefined ? {} : { note }) })]
    }
    case 'token':
      return request.action === 'issue' ? [issueToken(reads, request.token, by)] : revokeToken(reads, request.token, by)
    case 'node':
      return operateDraining(reads, request.action, by)
  }
}
