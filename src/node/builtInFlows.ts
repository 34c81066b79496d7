/**
 * The flows every node has, whatever its app: recording what others have made final, and a notary's judgement.
 */
import { ChangeNotary, ChangeNotaryResponder } from '../finality/changeNotary.js'
import { BroadcastFlow, NotariseFlow } from '../finality/finaliseTogether.js'
import { NotaryResponder, ReceiveBroadcast } from '../finality/respond.js'
import type { AnyFlowDefinition } from '../flow/FlowDefinition.js'

export const builtInFlows: readonly AnyFlowDefinition[] = [
  BroadcastFlow,
  NotariseFlow,
  ReceiveBroadcast,
  NotaryResponder,
  ChangeNotary,
  ChangeNotaryResponder,
]
