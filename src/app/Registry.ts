/**
 * Finds definitions by name. Two definitions of the same name are refused when the registry is made, so that
 * a name in the log can never mean two things.
 */
import { CarillonError } from '../errors/CarillonError.js'
import type { AnyFlowDefinition } from './FlowDefinition.js'
import { participantsSign, type ContractDefinition } from '../ledger/Contract.js'
import type { AnyStateDefinition } from '../ledger/StateDefinition.js'
import type { App } from './App.js'
import type { AnyProjection } from './Projection.js'
import { nearestNames } from './nearestNames.js'
import type { AnySignalDefinition } from './SignalDefinition.js'

const mostListed = 20

/** What may have been meant, or else what there is. Carillon's own flows are nobody's first guess. */
const suggestion = (name: string, known: Iterable<string>): string => {
  const names = [...known]
  const similar = nearestNames(name, names)
  if (similar.length > 0) return ` Did you mean ${similar.join(' or ')}?`
  const own = names.filter((candidate) => !candidate.startsWith('carillon/'))
  return own.length === 0 ? '' : ` Known are: ${own.slice(0, mostListed).join(', ')}.`
}

export class Registry {
  readonly app: App
  readonly #states = new Map<string, AnyStateDefinition>()
  readonly #contracts = new Map<string, ContractDefinition>()
  readonly #flows = new Map<string, AnyFlowDefinition>()
  readonly #signals = new Map<string, AnySignalDefinition>()
  readonly #responders = new Map<string, AnyFlowDefinition>()

  constructor(app: App, builtIn: readonly AnyFlowDefinition[] = []) {
    this.app = app
    // States made under the default contract name it, whether or not a state of today's app still uses it.
    this.#contracts.set(participantsSign.name, participantsSign)
    for (const state of app.states) {
      this.#register('state', this.#states, state.type, state)
      const known = this.#contracts.get(state.contract.name)
      if (known !== undefined && known !== state.contract) {
        throw new CarillonError(
          'definition-invalid',
          `Two contracts are named ${state.contract.name}. Give one of them another name.`,
          { contract: state.contract.name },
        )
      }
      this.#contracts.set(state.contract.name, state.contract)
    }
    for (const signal of app.signals) this.#register('signal', this.#signals, signal.name, signal)
    this.#registerProjections(app)
    for (const flow of [...builtIn, ...app.flows]) {
      this.#register('flow', this.#flows, flow.name, flow)
      if (flow.respondsTo !== undefined) this.#register('responder', this.#responders, flow.respondsTo.flow, flow)
    }
  }

  #registerProjections({ projections }: App): void {
    const known = new Map<string, AnyProjection>()
    for (const projection of projections) this.#register('projection', known, projection.name, projection)
  }

  #register<D>(kind: string, into: Map<string, D>, name: string, definition: D): void {
    const known = into.get(name)
    if (known !== undefined && known !== definition)
      throw new CarillonError('definition-invalid', `Two ${kind}s are named ${name}. Give one of them another name.`, {
        name,
      })
    into.set(name, definition)
  }

  state(type: string): AnyStateDefinition | undefined {
    return this.#states.get(type)
  }

  /** The definition of a state type, or the error that says it is not there. */
  requireState(type: string): AnyStateDefinition {
    const found = this.#states.get(type)
    if (found === undefined)
      throw new CarillonError(
        'state-type-unknown',
        `App ${this.app.name} defines no state ${type}.${suggestion(type, this.#states.keys())} Add it to the app's states.`,
        { type },
      )
    return found
  }

  readonly contract = (name: string): ContractDefinition | undefined => this.#contracts.get(name)

  /** The flow that answers another party's flow of this name. */
  responderTo(flow: string): AnyFlowDefinition | undefined {
    return this.#responders.get(flow)
  }

  flow(name: string): AnyFlowDefinition | undefined {
    return this.#flows.get(name)
  }

  /** The definition of a flow, or the error that says it is not there. */
  requireFlow(name: string): AnyFlowDefinition {
    const found = this.#flows.get(name)
    if (found === undefined)
      throw new CarillonError(
        'flow-unknown',
        `App ${this.app.name} defines no flow ${name}.${suggestion(name, this.#flows.keys())} Add it to the app's flows.`,
        { flow: name },
      )
    return found
  }
  /** The definition of a signal, or the error that says it is not there. */
  requireSignal(name: string): AnySignalDefinition {
    const found = this.#signals.get(name)
    if (found === undefined)
      throw new CarillonError(
        'signal-unknown',
        `App ${this.app.name} defines no signal ${name}.${suggestion(name, this.#signals.keys())} Add it to the app's signals.`,
        { signal: name },
      )
    return found
  }
}
