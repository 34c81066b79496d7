/**
 * One kind of state by its key, as one flow reads and changes it. Nothing is on the ledger before the whole is staged
 * into a transaction, so what is abandoned or taken back has changed nothing.
 */
import {
  canonicalText,
  type FlowBody,
  type FlowIo,
  type StateAndRef,
  type StateDefinition,
  type TransactionBuilder,
} from 'carillon'

type Entry<A> = { readonly before: StateAndRef<A> | undefined; now: A | undefined }

/** What goes with a state that is consumed and produced: its ref, its type, its contract, what it asks for. */
const frameBytes = 400

const utf8Length = (value: unknown): number => Buffer.byteLength(canonicalText(value))

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

  /** What has been read or written so far, as it was on the ledger and as it is now. */
  *known(): Iterable<{ readonly key: string; readonly before: A | undefined; readonly now: A | undefined }> {
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

  /** How many entries have been read or written. */
  get size(): number {
    return this.#entries.size
  }

  /** How much the ledger would have to write for what has changed, a little more rather than less. */
  get bytes(): number {
    let bytes = 0
    for (const { before, now } of this.#entries.values())
      if (now !== before?.data) bytes += frameBytes + (now === undefined ? 0 : utf8Length(now))
    return bytes
  }

  get hasChanged(): boolean {
    return [...this.#entries.values()].some(({ before, now }) => now !== before?.data)
  }

  /** Puts every change into a transaction, and names what was read and not changed, so that the contract can see it. */
  stage(transaction: TransactionBuilder): void {
    for (const { before, now } of this.#entries.values()) {
      if (before !== undefined && now === before.data) transaction.reference(before)
      if (now === before?.data) continue
      if (before !== undefined) transaction.consume(before)
      if (now !== undefined) transaction.produce(this.#definition, now)
    }
  }
}
