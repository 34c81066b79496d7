/**
 * A transaction as contracts see it: inputs and references resolved to states, everything decoded.
 */
import type { Party } from '../identity/Party.js'
import { isLeft, right } from 'fp-ts/lib/Either.js'
import { CarillonError } from '../errors/CarillonError.js'
import { canonicalText } from '../encoding/canonical.js'
import type { Key } from '../identity/Key.js'
import type { PublicKey } from '../identity/PublicKey.js'
import { decodeCommandData, type CommandDefinition } from './Command.js'
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
  readonly signers: readonly Key[]
  /** True while the data is still in encoded form, as another party sent it. */
  readonly isEncoded?: boolean
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
  /** Where the transaction only changes the notary of its states: the new one. No contract is asked then. */
  readonly newNotary: Party | undefined
  #participants: readonly Party[] | undefined
  #signers: ReadonlySet<PublicKey> | undefined

  constructor(parts: {
    readonly inputs: readonly ResolvedState[]
    readonly references: readonly ResolvedState[]
    readonly outputs: readonly ResolvedState[]
    readonly commands: readonly ResolvedCommand[]
    readonly timeWindow: TimeWindow | undefined
    readonly notary: Party
    readonly newNotary?: Party | undefined
  }) {
    this.inputs = parts.inputs
    this.references = parts.references
    this.outputs = parts.outputs
    this.commands = parts.commands
    this.timeWindow = parts.timeWindow
    this.notary = parts.notary
    this.newNotary = parts.newNotary
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

  /** The commands of one kind, their data decoded. */
  commandsOf<A>(definition: CommandDefinition<A>): readonly ResolvedCommand<A>[] {
    return this.commands
      .filter(({ type }) => type === definition.type)
      .map((command) => {
        const decoded =
          command.isEncoded === true ? decodeCommandData(definition, command.data) : right(command.data as A)
        if (isLeft(decoded))
          throw new CarillonError(
            'command-data-invalid',
            `The data of command ${definition.type} does not fit its codec: ${decoded.left}`,
            { command: definition.type },
          )
        return { type: command.type, data: decoded.right, signers: command.signers }
      })
  }

  /**
   * The commands of one kind that ask for the signature of a key, their data decoded. A contract that relies on what a
   * party says asks in this way: the same party may sign for another command of the transaction, and be shown only that.
   */
  commandsSignedBy<A>(definition: CommandDefinition<A>, key: Key): readonly ResolvedCommand<A>[] {
    const text = canonicalText(key)
    return this.commandsOf(definition).filter(({ signers }) => signers.some((signer) => canonicalText(signer) === text))
  }

  /**
   * Every single key that some command asks to sign; composite keys are asked for with {@link hasSigner}. It says nothing
   * of which command: see {@link commandsSignedBy}.
   */
  get signers(): ReadonlySet<PublicKey> {
    if (this.#signers !== undefined) return this.#signers
    const found = new Set<PublicKey>()
    for (const { signers } of this.commands) for (const key of signers) if (typeof key === 'string') found.add(key)
    this.#signers = found
    return found
  }

  /** Whether some command asks for the signature of this very key, single or composite. */
  hasSigner(key: Key): boolean {
    const text = canonicalText(key)
    return this.commands.some(({ signers }) => signers.some((signer) => canonicalText(signer) === text))
  }

  /** The participants of all consumed and produced states, repeated where they take part in several. */
  get participants(): readonly Party[] {
    // Asked for more than once while a transaction is decided, and always the same.
    if (this.#participants !== undefined) return this.#participants
    const found: Party[] = []
    for (const { definition, data } of this.inputs) found.push(...definition.participants(data))
    for (const { definition, data } of this.outputs) found.push(...definition.participants(data))
    this.#participants = found
    return found
  }
}
