/**
 * The one decision about what an operator asks, the same whether a node runs or the store is acted on alone.
 */
import type { Decision } from '../decision/Decision.js'
import {
  dischargeActivity,
  pauseActivity,
  resumeActivity,
  retryActivity,
  triggerActivity,
  type Operator,
} from './operateActivity.js'
import { operateDraining } from './operateDraining.js'
import { killFlow, pauseFlow, resumeFlow, retryFlow, type LiveFlows } from './operateFlow.js'
import { issueToken, revokeToken } from './operateTokens.js'
import type { ActivityAction, FlowAction, OperatorRequest } from './OperatorRequest.js'

const onFlow: Readonly<Record<FlowAction, typeof killFlow>> = {
  retry: retryFlow,
  kill: killFlow,
  pause: pauseFlow,
  resume: resumeFlow,
}

const onActivity: Readonly<Record<ActivityAction, typeof triggerActivity>> = {
  trigger: triggerActivity,
  retry: retryActivity,
  discharge: dischargeActivity,
  pause: pauseActivity,
  resume: resumeActivity,
}

/** `live` are the flows in memory, which must not go on as they were. */
export const decideOperatorRequest = (
  decision: Decision,
  live: LiveFlows,
  request: OperatorRequest,
  by: Operator['by'],
): void => {
  switch (request.on) {
    case 'flow':
      onFlow[request.action](decision, live, request.flow, by)
      return
    case 'activity': {
      const { action, ref, note } = request
      onActivity[action](decision, ref, { by, ...(note === undefined ? {} : { note }) })
      return
    }
    case 'draining':
      operateDraining(decision, request.action, by)
      return
    case 'token':
      if (request.action === 'issue') issueToken(decision, request.token, by)
      else revokeToken(decision, request.token, by)
  }
}
