/**
 * What the servers of a test cluster hold together: streams of events, in memory, with what a real server lets readers
 * see of them.
 */
export type StoredEvent = {
  readonly id: string
  readonly type: string
  readonly contentType: string
  readonly data: Uint8Array
  readonly metadata: Uint8Array
  /** When it was appended; set by the store. */
  readonly createdMs?: number
}

export type Expected = bigint | 'no_stream' | 'any' | 'stream_exists'

export type Taken =
  { readonly kind: 'taken'; readonly revision: number } | { readonly kind: 'wrong version'; readonly current: number }

/** What may be set about a stream; the names are the server's. */
type Metadata = { readonly $tb?: number; readonly $maxCount?: number; readonly $maxAge?: number }

/** How the server writes that a stream was deleted softly. */
const deletedBefore = '9223372036854775807'

const metastreamOf = (stream: string): string => `$$${stream}`

export class StreamStore {
  readonly streams = new Map<string, StoredEvent[]>()
  /** Streams that were deleted for good. */
  readonly deleted = new Set<string>()
  readonly #watchers = new Set<() => void>()
  /** For so many reads, the newest append of every stream cannot be seen. */
  #readsBehind = 0
  readonly #beforeNewest = new Map<string, number>()

  eventsOf(stream: string): readonly StoredEvent[] {
    return this.streams.get(stream) ?? []
  }

  /** A refusal may come before the winner's event can be read: so many reads do not see the newest append. */
  fallBehind(reads: number): void {
    this.#readsBehind = reads
  }

  /** Which events of a stream one read can see. */
  visible(stream: string): { readonly from: number; readonly until: number } {
    const { length } = this.eventsOf(stream)
    const isBehind = this.#readsBehind > 0 && !stream.startsWith('$$')
    if (isBehind) this.#readsBehind -= 1
    const until = isBehind ? (this.#beforeNewest.get(stream) ?? length) : length
    const { $tb = 0, $maxCount = length, $maxAge } = this.#metadataOf(stream)
    let from = Math.max($tb, length - $maxCount)
    if ($maxAge !== undefined) while (from < length && this.#isOlder(stream, from, $maxAge)) from += 1
    return { from, until }
  }

  /** Whether a stream was deleted softly: it looks as if it had never been, and appends go on with its numbers. */
  isDeletedSoftly(stream: string): boolean {
    return (this.#metadataOf(stream).$tb ?? 0) >= Number(deletedBefore)
  }

  /** As the real server: at the expected revision, or once more what is there already, or not at all. */
  append(stream: string, expected: Expected, events: readonly StoredEvent[]): Taken {
    const kept = this.streams.get(stream) ?? []
    const current = kept.length - 1
    const wasDeleted = this.isDeletedSoftly(stream)
    const isAny = expected === 'any' || expected === 'stream_exists' || (expected === 'no_stream' && wasDeleted)
    const at = isAny ? current : expected === 'no_stream' ? -1 : Number(expected)
    if (at !== current) {
      const isRepeated = events.every(({ id }, index) => kept[at + 1 + index]?.id === id)
      if (isRepeated && events.length > 0) return { kind: 'taken', revision: at + events.length }
      return { kind: 'wrong version', current }
    }
    this.#beforeNewest.set(stream, kept.length)
    // What is written to a stream that was deleted softly brings it back, without what it held before.
    if (wasDeleted) this.#setMetadata(stream, { $tb: kept.length })
    kept.push(...this.#asKept(stream, events))
    this.streams.set(stream, kept)
    for (const watcher of [...this.#watchers]) watcher()
    return { kind: 'taken', revision: kept.length - 1 }
  }

  /** Everything is gone, as if the server had been set up anew. */
  wipe(stream: string): void {
    this.streams.delete(stream)
    this.streams.delete(metastreamOf(stream))
  }

  /** The last event is another one, as after a restore from another history. */
  replaceLast(stream: string, change: (event: StoredEvent) => StoredEvent): void {
    const kept = this.streams.get(stream)
    const last = kept?.pop()
    if (kept !== undefined && last !== undefined) kept.push(change(last))
  }

  deleteSoftly(stream: string): void {
    this.#append(metastreamOf(stream), `{"$tb":${deletedBefore}}`)
  }

  tombstone(stream: string): void {
    this.deleted.add(stream)
    for (const watcher of [...this.#watchers]) watcher()
  }

  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  #isOlder(stream: string, revision: number, seconds: number): boolean {
    const { createdMs = 0 } = this.eventsOf(stream)[revision] ?? {}
    return createdMs < Date.now() - seconds * 1_000
  }

  #metadataOf(stream: string): Metadata {
    const last = this.eventsOf(metastreamOf(stream)).at(-1)
    return last === undefined ? {} : (JSON.parse(Buffer.from(last.data).toString()) as Metadata)
  }

  #setMetadata(stream: string, metadata: Metadata): void {
    this.#append(metastreamOf(stream), JSON.stringify(metadata))
  }

  #append(stream: string, json: string): void {
    const data = new Uint8Array(Buffer.from(json))
    const event = { id: '', type: '$metadata', contentType: 'application/json', data, metadata: new Uint8Array() }
    this.streams.set(stream, [...this.eventsOf(stream), event])
  }

  /** The first metadata that are written after a soft delete still hide what was there before. */
  #asKept(stream: string, events: readonly StoredEvent[]): readonly StoredEvent[] {
    const createdMs = Date.now()
    const described = stream.startsWith('$$') ? stream.slice(2) : undefined
    if (described === undefined || !this.isDeletedSoftly(described))
      return events.map((event) => ({ ...event, createdMs }))
    const $tb = this.eventsOf(described).length
    return events.map((event) => {
      const metadata = JSON.parse(Buffer.from(event.data).toString()) as Metadata
      return { ...event, createdMs, data: new Uint8Array(Buffer.from(JSON.stringify({ ...metadata, $tb }))) }
    })
  }
}
