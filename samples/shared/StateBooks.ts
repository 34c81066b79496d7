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

export class StateBooks {
  readonly #maps: Pick<KeyedStates<object>, 'known' | 'mark' | 'hasChanged' | 'stage' | 'refer'>[] = []

  constructor(readonly io: FlowIo) {}

  /** Makes the states of a kind a part of the books; a transaction names them in this order. */
  keep<A extends object>(definition: StateDefinition<A>): KeyedStates<A> {
    return this.attach(new KeyedStates(definition))
  }

  /** Makes a map that another has made a part of the books. */
  attach<A extends object>(map: KeyedStates<A>): KeyedStates<A> {
    this.#maps.push(map)
    return map
  }

  /** The state of which there is one; an error when it is not there. */
  *only<A extends object>(map: KeyedStates<A>, key: string, missing: string): FlowBody<A> {
    const found = yield* map.get(this.io, key)
    if (found === undefined) throw new Error(missing)
    return found
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
