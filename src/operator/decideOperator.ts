/**
 * Decides on what an operator asks: the one decider behind the node's own methods and the work on a store without a node.
 */
import type { FlowId } from '../log/FlowId.js'
import type { DomainEvent } from '../log/events.js'
import type { StateRef } from '../ledger/StateRef.js'
import type { ActivityAction, DrainAction, FlowAction } from './controlProtocol.js'
import { dischargeActivity, pauseActivity, resumeActivity, retryActivity, triggerActivity } from './operateActivity.js'
import { killFlow, pauseFlow, resumeFlow, retryFlow } from './operateFlow.js'
import { issueToken, revokeToken, type NewToken } from './operateTokens.js'
import type { OperatorReads } from './OperatorReads.js'
import type { TokenId } from './Token.js'

/** What an operator asks; `by` is recorded as it stands. */
export type OperatorCommand = { readonly by: string } & (
  | { readonly on: 'flow'; readonly action: FlowAction; readonly flow: FlowId }
  | { readonly on: 'activity'; readonly action: ActivityAction; readonly ref: StateRef; readonly note?: string }
  | { readonly on: 'node'; readonly action: DrainAction }
  | { readonly on: 'token'; readonly action: 'issue'; readonly token: NewToken }
  | { readonly on: 'token'; readonly action: 'revoke'; readonly token: TokenId }
)

const flowActions = { retry: retryFlow, kill: killFlow, pause: pauseFlow, resume: resumeFlow }

const activityActions = {
  trigger: triggerActivity,
  retry: retryActivity,
  discharge: dischargeActivity,
  pause: pauseActivity,
  resume: resumeActivity,
}

const decideDraining = (reads: OperatorReads, action: DrainAction, by: string): readonly DomainEvent[] => {
  const { draining } = reads.views.facts.now
  if (action === 'start') return draining ? [] : [{ type: 'DrainingStarted', by }]
  return draining ? [{ type: 'DrainingEnded', by }] : []
}

export const decideOperator = (reads: OperatorReads, command: OperatorCommand): readonly DomainEvent[] => {
  const { by } = command
  switch (command.on) {
    case 'flow':
      return flowActions[command.action](reads, command.flow, by)
    case 'activity': {
      const { note } = command
      return [activityActions[command.action](reads, command.ref, { by, ...(note === undefined ? {} : { note }) })]
    }
    case 'token':
      return command.action === 'issue' ? [issueToken(reads, command.token, by)] : revokeToken(reads, command.token, by)
    case 'node':
      return decideDraining(reads, command.action, by)
  }
}
