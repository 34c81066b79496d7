/**
 * Decides on what an operator asks, the same whether a node runs or the store is acted on without one.
 */
import { deciding, orThrow } from '../errors/Decision.js'
import { decideSignal } from '../flow/decideSignal.js'
import type { DomainEvent } from '../log/events.js'
import { dismissActivity, pauseActivity, resumeActivity, retryActivity, triggerActivity } from './operateActivity.js'
import { operateDraining } from './operateDraining.js'
import { cancelFlow, dismissFlow, killFlow, pauseFlow, resumeFlow, retryFlow } from './operateFlow.js'
import { acceptMap } from './operateNetwork.js'
import { issueToken, revokeToken } from './operateTokens.js'
import type { OperatorReads } from './OperatorReads.js'
import type { ActivityAction, FlowAction, OperatorRequest } from './OperatorRequest.js'

const onFlow: Readonly<Record<FlowAction, typeof killFlow>> = {
  retry: retryFlow,
  cancel: cancelFlow,
  kill: killFlow,
  pause: pauseFlow,
  resume: resumeFlow,
  dismiss: dismissFlow,
}

const onActivity: Readonly<Record<ActivityAction, typeof triggerActivity>> = {
  trigger: triggerActivity,
  retry: retryActivity,
  dismiss: dismissActivity,
  pause: pauseActivity,
  resume: resumeActivity,
}

export const decideOperatorRequest = deciding(
  (reads: OperatorReads, request: OperatorRequest, by: string): readonly DomainEvent[] => {
    switch (request.on) {
      case 'flow':
        return onFlow[request.action](reads, request.flow, by, request.withinMs)
      case 'activity': {
        const { action, ref, note } = request
        return [onActivity[action](reads, ref, { by, ...(note === undefined ? {} : { note }) })]
      }
      case 'signal':
        return orThrow(decideSignal(reads, request, by))
      case 'draining':
        return operateDraining(reads, request.action, by)
      case 'network':
        return acceptMap(reads, request.map, { by, note: request.note })
      case 'token':
        return request.action === 'issue'
          ? [issueToken(reads, request.token, by)]
          : revokeToken(reads, request.token, by)
    }
  },
)
