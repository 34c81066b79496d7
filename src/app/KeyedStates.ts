/**
 * One kind of state by its key, as one flow reads and changes it. Nothing is on the ledger before the whole is staged
 * into a transaction, so what is abandoned or taken back has changed nothing.
 */
import type { StateAndRef } from '../ledger/StateAndRef.js'
import type { StateDefinition } from '../ledger/StateDefinition.js'
import type { TransactionBuilder } from '../ledger/TransactionBuilder.js'
import type { FlowBody } from './FlowDefinition.js'
import type { FlowIo } from './FlowIo.js'

type Entry<A> = { readonly before: StateAndRef<A> | undefined; now: A | undefined }

/** An entry that was read or written: as it was on the ledger, and as it is now. Undefined where there is none. */
export type KeyedState<A> = { readonly key: string; readonly before: A | undefined; readonly now: A | undefined }

/** The states of one kind by their key, as one flow reads and changes them until they are staged into a transaction. */
export class KeyedStates<A> {
  readonly #definition: StateDefinition<A>
  readonly #entries = new Map<string, Entry<A>>()

  /** The definition must have a key. */
  constructor(definition: StateDefinition<A>) {
    this.#definition = definition
  }

  *get(io: FlowIo, key: string): FlowBody<A | undefined> {
    return (yield* this.#entry(io, key)).now
  }

  /** Puts a value under its key, in place of what may be there. */
  *put(io: FlowIo, key: string, value: A): FlowBody<void> {
    const entry = yield* this.#entry(io, key)
    entry.now = value
  }

  /** Takes an entry out and gives what it was. */
  *take(io: FlowIo, key: string): FlowBody<A | undefined> {
    const entry = yield* this.#entry(io, key)
    const taken = entry.now
    entry.now = undefined
    return taken
  }

  *#entry(io: FlowIo, key: string): FlowBody<Entry<A>> {
    const known = this.#entries.get(key)
    if (known !== undefined) return known
    const before = yield* io.find(this.#definition, key)
    const entry: Entry<A> = { before, now: before?.data }
    this.#entries.set(key, entry)
    return entry
  }

  /** What has been read or written so far. */
  *known(): Iterable<KeyedState<A>> {
    for (const [key, { before, now }] of this.#entries) yield { key, before: before?.data, now }
  }

  /** What an entry is now, if it has been read or written; undefined also when it is not there. */
  peek(key: string): A | undefined {
    return this.#entries.get(key)?.now
  }

  /** Remembers how everything stands; calling the result puts it back, and forgets what was read since. */
  mark(): () => void {
    const marked = new Map([...this.#entries].map(([key, { now }]) => [key, now]))
    return () => {
      for (const [key, entry] of this.#entries) {
        if (marked.has(key)) entry.now = marked.get(key)
        else this.#entries.delete(key)
      }
    }
  }

  get hasChanged(): boolean {
    for (const { before, now } of this.#entries.values()) if (now !== before?.data) return true
    return false
  }

  /** Puts every change into a transaction; what was only read is left alone. */
  stage(transaction: TransactionBuilder): void {
    for (const { before, now } of this.#entries.values()) {
      if (now === before?.data) continue
      if (before !== undefined) transaction.consume(before)
      if (now !== undefined) transaction.produce(this.#definition, now)
    }
  }

  /** Names what was read and not changed, so that the contract can see it. */
  refer(transaction: TransactionBuilder): void {
    for (const { before, now } of this.#entries.values())
      if (before !== undefined && now === before.data) transaction.reference(before)
  }
}
