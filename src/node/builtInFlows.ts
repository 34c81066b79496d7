/**
 * The flows every node has, whatever its app: recording what others have made final, and a notary's judgement.
 */
import type { App } from '../app/App.js'
import { ChangeNotary, CompleteNotaryChange, notaryChangeResponders } from '../app/finality/changeNotary.js'
import { BroadcastFlow, NotariseFlow } from '../app/finality/finaliseTogether.js'
import { NotaryResponder, ReceiveBroadcast } from '../app/finality/respond.js'
import type { AnyFlowDefinition } from '../app/FlowDefinition.js'

/** Those that were made for an app: a simulation starts nodes of one app thousands of times. */
const madeFor = new WeakMap<App, readonly AnyFlowDefinition[]>()

export const builtInFlows = (app: App): readonly AnyFlowDefinition[] => {
  const made = madeFor.get(app) ?? [
    BroadcastFlow,
    NotariseFlow,
    ReceiveBroadcast,
    NotaryResponder,
    ChangeNotary,
    CompleteNotaryChange,
    ...notaryChangeResponders(app.agreesTo.changeNotary),
  ]
  madeFor.set(app, made)
  return made
}
