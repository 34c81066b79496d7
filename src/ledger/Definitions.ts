/**
 * The definitions of an app, as the rules look them up. Of a flow they know its signature and not its code.
 */
import type * as t from 'io-ts'
import type { Consents } from './Consents.js'
import type { ContractDefinition } from './Contract.js'
import type { AnyStateDefinition } from './StateDefinition.js'

/** What the rules know of a flow: whether a state may name it, whether a client may start it, and which input it takes. */
export type FlowSignature = {
  readonly name: string
  readonly version: number
  readonly schedulable: boolean
  readonly clients: boolean
  readonly input: t.Type<unknown, unknown>
}

/** What a signal is called, and what it says. */
export type SignalSignature = { readonly name: string; readonly data: t.Type<unknown, unknown> }

export type Definitions = {
  readonly app: { readonly name: string; readonly agreesTo?: Consents }
  /** The definition of a state type; throws `state-type-unknown` when there is none. */
  readonly requireState: (type: string) => AnyStateDefinition
  readonly contract: (name: string) => ContractDefinition | undefined
  /** The signature of a flow; throws `flow-unknown` when there is none. */
  readonly requireFlow: (name: string) => FlowSignature
  /** The signature of a signal; throws `signal-unknown` when there is none. */
  readonly requireSignal: (name: string) => SignalSignature
}
