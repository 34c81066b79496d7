/**
 * Maps of states by their key, as one flow works in them: it reads and changes them freely, and at the end everything is
 * written in one transaction, or nothing is.
 */
import { KeyedStates, type FlowBody, type FlowIo, type StateDefinition, type TransactionBuilder } from 'carillon'

/** What goes with a state that is consumed and produced: its ref, its type, its contract, what it asks for. */
const frameBytes = 400
const sizes = new WeakMap<object, number>()

/** About how long a value is in the log. Values never change, so each is measured once. */
export const bytesOf = (value: object): number => {
  const known = sizes.get(value)
  if (known !== undefined) return known
  const bytes = Buffer.byteLength(JSON.stringify(value))
  sizes.set(value, bytes)
  return bytes
}

/** The states of one kind. */
export class StateMap<A extends object> {
  readonly states: KeyedStates<A>

  constructor(
    readonly io: FlowIo,
    readonly definition: StateDefinition<A>,
  ) {
    this.states = new KeyedStates(definition)
  }

  #keyOf(state: A): string {
    return this.definition.key?.(state) ?? ''
  }

  get(key: string): FlowBody<A | undefined> {
    return this.states.get(this.io, key)
  }

  /** The state under a key where there must be one; what is missing otherwise is an error. */
  *must(key: string, missing: string): FlowBody<A> {
    const found = yield* this.get(key)
    if (found === undefined) throw new Error(missing)
    return found
  }

  /** Puts a state under its key, in place of what may be there. */
  put(state: A): FlowBody<void> {
    return this.states.put(this.io, this.#keyOf(state), state)
  }

  /** Puts a state where it is to be kept, and takes it out where it is not. */
  *keepIf(isKept: boolean, state: A): FlowBody<void> {
    if (isKept) yield* this.put(state)
    else yield* this.take(this.#keyOf(state))
  }

  /** Takes a state out and gives what it was. */
  take(key: string): FlowBody<A | undefined> {
    return this.states.take(this.io, key)
  }
}

export class StateBooks {
  readonly #maps: Pick<KeyedStates<object>, 'known' | 'mark' | 'hasChanged' | 'stage' | 'refer'>[] = []

  constructor(readonly io: FlowIo) {}

  /** Makes the states of a kind a part of the books; a transaction names them in this order. */
  keep<A extends object>(definition: StateDefinition<A>): StateMap<A> {
    const map = new StateMap(this.io, definition)
    this.#maps.push(map.states)
    return map
  }

  get hasChanged(): boolean {
    return this.#maps.some((map) => map.hasChanged)
  }

  /** Remembers how everything stands; calling the result puts it back. */
  mark(): () => void {
    const undo = this.#maps.map((map) => map.mark())
    return () => {
      for (const each of undo) each()
    }
  }

  /** How many states have been read, and about how many bytes the changes to them will have. */
  get size(): { readonly states: number; readonly bytes: number } {
    let [states, bytes] = [0, 0]
    for (const map of this.#maps)
      for (const { before, now } of map.known()) {
        states += 1
        if (now !== before) bytes += frameBytes + (now === undefined ? 0 : bytesOf(now))
      }
    return { states, bytes }
  }

  /** Puts every change into a transaction; with `refer` it also names what was only read. */
  write(transaction: TransactionBuilder, { refer = false }: { readonly refer?: boolean } = {}): void {
    for (const map of this.#maps) {
      map.stage(transaction)
      if (refer) map.refer(transaction)
    }
  }
}
