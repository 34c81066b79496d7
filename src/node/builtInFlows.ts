/**
 * The flows every node has, whatever its app: recording what others have made final, and a notary's judgement.
 */
import type { App } from '../app/App.js'
import { ChangeNotary, CompleteNotaryChange, notaryChangeResponders } from '../app/finality/changeNotary.js'
import { BroadcastFlow, NotariseFlow } from '../app/finality/finaliseTogether.js'
import { NotaryResponder, ReceiveBroadcast } from '../app/finality/respond.js'
import type { AnyFlowDefinition } from '../app/FlowDefinition.js'

export const builtInFlows = ({ agreesTo }: App): readonly AnyFlowDefinition[] => [
  BroadcastFlow,
  NotariseFlow,
  ReceiveBroadcast,
  NotaryResponder,
  ChangeNotary,
  CompleteNotaryChange,
  ...notaryChangeResponders(agreesTo.changeNotary),
]
