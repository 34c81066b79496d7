/**
 * A transaction as contracts see it: inputs and references resolved to states, everything decoded.
 */
import type { Party } from '../identity/Party.js'
import type { PublicKey } from '../identity/PublicKey.js'
import type { CommandDefinition } from './Command.js'
import type { StateAndRef } from './StateAndRef.js'
import type { AnyStateDefinition, StateKind } from './StateDefinition.js'
import type { TimeWindow } from './TimeWindow.js'

/** A state of a transaction with the definition that reads it and the rules that govern it. */
export type ResolvedState = StateAndRef<unknown> & {
  readonly definition: AnyStateDefinition
  readonly contract: { readonly name: string; readonly version: number }
}

/** A command with its data decoded. */
export type ResolvedCommand<A = unknown> = {
  readonly type: string
  readonly data: A
  readonly signers: readonly PublicKey[]
}

const ofKind = <A>(states: readonly ResolvedState[], kind: StateKind<A>): readonly StateAndRef<A>[] =>
  states.filter((state): state is ResolvedState & StateAndRef<A> => state.type === kind.type)

/** What a contract is given: the states a transaction consumes, reads and produces, and its commands. */
export class LedgerTransaction {
  readonly inputs: readonly ResolvedState[]
  readonly references: readonly ResolvedState[]
  readonly outputs: readonly ResolvedState[]
  readonly commands: readonly ResolvedCommand[]
  readonly timeWindow: TimeWindow | undefined
  readonly notary: Party

  constructor(parts: {
    readonly inputs: readonly ResolvedState[]
    readonly references: readonly ResolvedState[]
    readonly outputs: readonly ResolvedState[]
    readonly commands: readonly ResolvedCommand[]
    readonly timeWindow: TimeWindow | undefined
    readonly notary: Party
  }) {
    this.inputs = parts.inputs
    this.references = parts.references
    this.outputs = parts.outputs
    this.commands = parts.commands
    this.timeWindow = parts.timeWindow
    this.notary = parts.notary
  }

  /** The consumed states of one kind. */
  inputsOf<A>(kind: StateKind<A>): readonly StateAndRef<A>[] {
    return ofKind(this.inputs, kind)
  }

  /** The states of one kind that are only read. */
  referencesOf<A>(kind: StateKind<A>): readonly StateAndRef<A>[] {
    return ofKind(this.references, kind)
  }

  /** The produced states of one kind. */
  outputsOf<A>(kind: StateKind<A>): readonly StateAndRef<A>[] {
    return ofKind(this.outputs, kind)
  }

  /** The commands of one kind. */
  commandsOf<A>(definition: CommandDefinition<A>): readonly ResolvedCommand<A>[] {
    return this.commands.filter((command): command is ResolvedCommand<A> => command.type === definition.type)
  }

  /** Every key that some command asks to sign. */
  get signers(): ReadonlySet<PublicKey> {
    return new Set(this.commands.flatMap(({ signers }) => signers))
  }

  /** The participants of all consumed and produced states, repeated where they take part in several. */
  get participants(): readonly Party[] {
    return [...this.inputs, ...this.outputs].flatMap((state) => state.definition.participants(state.data))
  }
}
