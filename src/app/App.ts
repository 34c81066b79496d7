/**
 * An app: the states and flows a node is to run. Contracts and commands come along with the states.
 */
import type { AnyFlowDefinition } from './FlowDefinition.js'
import type { AnySignalDefinition } from './SignalDefinition.js'
import type { Consents } from '../ledger/Consents.js'
import type { AnyProjection } from './Projection.js'
import type { AnyStateDefinition } from '../ledger/StateDefinition.js'
import { assertName } from '../ledger/assertName.js'

/** What a node runs. Make one with {@link defineApp}. */
export type App = {
  readonly name: string
  readonly version: string
  readonly states: readonly AnyStateDefinition[]
  readonly flows: readonly AnyFlowDefinition[]
  readonly signals: readonly AnySignalDefinition[]
  readonly agreesTo: Consents
  readonly projections: readonly AnyProjection[]
}

/** What an app developer writes. */
export type AppOptions = {
  /** A name that stays the same for ever; a store belongs to the app of this name. */
  readonly name: string
  /** Shown in the log at every start. Default `0.0.0`. */
  readonly version?: string
  readonly states: readonly AnyStateDefinition[]
  readonly flows: readonly AnyFlowDefinition[]
  /** What its flows may be told while they run. Default: nothing. */
  readonly signals?: readonly AnySignalDefinition[]
  /** What it agrees to when another party asks and none of its flows does. Default: nothing. */
  readonly agreesTo?: Consents
  /** Results of one's own, folded from the events of the log. Default: none. */
  readonly projections?: readonly AnyProjection[]
}

/** Defines an app by its states and flows; contracts and commands come along with them. */
export const defineApp = (options: AppOptions): App => {
  assertName('app', options.name)
  return Object.freeze({
    name: options.name,
    version: options.version ?? '0.0.0',
    states: options.states,
    flows: options.flows,
    signals: options.signals ?? [],
    agreesTo: options.agreesTo ?? {},
    projections: options.projections ?? [],
  })
}
