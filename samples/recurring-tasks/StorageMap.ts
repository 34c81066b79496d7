/**
 * A hashmap that exists in storage: one kind of state by its key, as one flow reads and changes it. Nothing is on the
 * ledger before the whole is staged into a transaction, so an abandoned map has changed nothing.
 */
import type { FlowBody, FlowIo, StateAndRef, StateDefinition, TransactionBuilder } from 'carillon'

type Entry<A> = { readonly before: StateAndRef<A> | undefined; now: A | undefined }

export class StorageMap<A> {
  readonly #definition: StateDefinition<A>
  readonly #entries = new Map<string, Entry<A>>()

  constructor(definition: StateDefinition<A>) {
    this.#definition = definition
  }

  *get(io: FlowIo, key: string): FlowBody<A | undefined> {
    return (yield* this.#entry(io, key)).now
  }

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

  get hasChanged(): boolean {
    return [...this.#entries.values()].some(({ before, now }) => now !== before?.data)
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
