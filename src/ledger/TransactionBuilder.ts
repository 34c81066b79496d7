/**
 * Builds a transaction step by step. A builder lives inside one `finalise` and is used up by it; what it
 * gathers is checked as a whole when the transaction is verified.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import { KeyC, type Key } from '../identity/Key.js'
import type { Party } from '../identity/Party.js'
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import { canonicalText } from '../encoding/canonical.js'
import { explain } from '../encoding/decode.js'
import { frozen } from '../encoding/frozen.js'
import { plainForm, plainText } from '../encoding/plainForm.js'
import type { CommandDefinition } from './Command.js'
import { definitionRead, type StateAndRef } from './StateAndRef.js'
import type { AnyStateDefinition, StateDefinition } from './StateDefinition.js'
import { StateRefC, type StateRef } from './StateRef.js'
import { TimeWindowC, windowIsEmpty, type TimeWindow } from './TimeWindow.js'

/** An output before it has a ref. */
export type DraftOutput = {
  readonly definition: AnyStateDefinition
  readonly data: unknown
  /** Canonical text of the encoded data. */
  readonly text: string
}

/** A command before its transaction is sealed. */
export type DraftCommand = {
  readonly type: string
  readonly data: unknown
  /** Canonical text of the command as a component of the transaction. */
  readonly text: string
  readonly signers: readonly Key[]
}

const refOf = (state: StateRef | StateAndRef<unknown> | undefined): StateRef => {
  const ref = state !== undefined && 'ref' in state ? state.ref : state
  if (StateRefC.is(ref)) return ref
  throw new CarillonError(
    'state-unknown',
    "A transaction was to consume or reference something that is not a state ref. Give it a loaded state, or a ref: a transaction id and the output's index.",
  )
}

const keyOf = (command: string, signer: Key | Party): Key => {
  const key: unknown = typeof signer !== 'string' && 'key' in signer ? signer.key : signer
  if (KeyC.is(key)) return key
  throw new CarillonError(
    'transaction-malformed',
    `A signer of command ${command} is "${typeof key === 'string' ? key : JSON.stringify(key)}", which is not a key. Give a party, its key, or a composite key.`,
    { command },
  )
}

const encodeOutput = <A>(definition: StateDefinition<A>, data: A): DraftOutput => {
  const refuse = (why: string): never => {
    throw new CarillonError(
      'state-data-invalid',
      `The data of a new ${definition.type} does not fit its codec: ${why}`,
      { type: definition.type },
    )
  }
  const plain = plainForm(definition.data)
  const isPlain = plain?.check(data) === true
  if (!isPlain && !definition.data.is(data)) {
    const decoded = definition.data.decode(data)
    return refuse(isLeft(decoded) ? explain(decoded.left).join('; ') : 'it is in encoded form; give it decoded')
  }
  try {
    // The contract judges `data` and the log keeps `text`: frozen, the one cannot depart from the other.
    const text = isPlain ? plainText(plain, data) : canonicalText(definition.data.encode(data))
    return { definition, data: frozen(data), text }
  } catch (error) {
    return refuse(messageOf(error))
  }
}

/** Gathers what a transaction consumes, reads, produces and commands. A flow is given one by `io.finalise`. */
export class TransactionBuilder {
  readonly inputs: StateRef[] = []
  readonly references: StateRef[] = []
  readonly outputs: DraftOutput[] = []
  readonly commands: DraftCommand[] = []
  window: TimeWindow | undefined
  chosenNotary: Party | undefined

  /** Uses a state up. */
  consume(...states: readonly (StateRef | StateAndRef<unknown>)[]): this {
    this.inputs.push(...states.map(refOf))
    return this
  }

  /** Reads a state without using it up; it must still be unconsumed when the transaction is notarised. */
  reference(...states: readonly (StateRef | StateAndRef<unknown>)[]): this {
    this.references.push(...states.map(refOf))
    return this
  }

  /** Makes a new state. */
  produce<A>(definition: StateDefinition<A>, data: NoInfer<A>): this {
    this.outputs.push(encodeOutput(definition, data))
    return this
  }

  /** Uses a state up and makes its successor: the same data with these changes. The state is one that the flow has read. */
  replace<A>(state: StateAndRef<A>, changes: NoInfer<Partial<A>>): this {
    const definition = definitionRead(state)
    if (definition === undefined)
      throw new CarillonError(
        'state-unknown',
        'A transaction was to replace something that is not a state as io.load, io.find or io.query gave it. Give it that state itself, not a copy, or write tx.consume(state).produce(Definition, data).',
      )
    return this.consume(state).produce(definition, { ...state.data, ...changes })
  }

  /** States an intent and who must sign for it; the data follows where the command has any. */
  command<A>(
    definition: CommandDefinition<A>,
    signers: readonly (Key | Party)[],
    ...rest: [A] extends [undefined] ? [] : [data: NoInfer<A>]
  ): this {
    const data: unknown = rest[0]
    if (!definition.data.is(data)) {
      const decoded = definition.data.decode(data)
      const why = isLeft(decoded) ? explain(decoded.left).join('; ') : 'it is in encoded form; give it decoded'
      throw new CarillonError(
        'command-data-invalid',
        `The data of command ${definition.type} does not fit its codec: ${why}`,
        { command: definition.type },
      )
    }
    this.commands.push({
      type: definition.type,
      data: frozen(data),
      text: canonicalText({ data: definition.data.encode(data), type: definition.type }),
      signers: signers.map((signer) => keyOf(definition.type, signer)),
    })
    return this
  }

  /** Limits when the transaction may be notarised: from the first instant on, until before the second. */
  timeWindow(window: TimeWindow): this {
    if (!TimeWindowC.is(window))
      throw new CarillonError(
        'instant-invalid',
        'A time window is bounded by something that is not a UTC instant. Make its bounds with instant(), as in instant("2026-01-31T09:00:00.000Z").',
      )
    if (windowIsEmpty(window))
      throw new CarillonError(
        'transaction-malformed',
        `The time window from ${String(window.from)} until ${String(window.until)} ends before it begins, so the transaction could never be notarised.`,
      )
    this.window = window
    return this
  }

  /** Names the notary. Default: the notary of the inputs, or the node's own. */
  notary(party: Party): this {
    this.chosenNotary = party
    return this
  }
}
