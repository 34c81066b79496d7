/**
 * What the servers of a test cluster hold together: streams of events, in memory.
 */
export type StoredEvent = {
  readonly id: string
  readonly type: string
  readonly contentType: string
  readonly data: Uint8Array
  readonly metadata: Uint8Array
}

export type Expected = bigint | 'no_stream' | 'any' | 'stream_exists'

export type Taken =
  { readonly kind: 'taken'; readonly revision: number } | { readonly kind: 'wrong version'; readonly current: number }

export class StreamStore {
  readonly streams = new Map<string, StoredEvent[]>()
  readonly deleted = new Set<string>()
  readonly #watchers = new Set<() => void>()

  eventsOf(stream: string): readonly StoredEvent[] {
    return this.streams.get(stream) ?? []
  }

  /** As the real server: at the expected revision, or once more what is there already, or not at all. */
  append(stream: string, expected: Expected, events: readonly StoredEvent[]): Taken {
    const kept = this.streams.get(stream) ?? []
    const current = kept.length - 1
    const at =
      expected === 'no_stream' ? -1 : expected === 'any' || expected === 'stream_exists' ? current : Number(expected)
    if (at !== current) {
      const isRepeated = events.every(({ id }, index) => kept[at + 1 + index]?.id === id)
      if (isRepeated && events.length > 0) return { kind: 'taken', revision: at + events.length }
      return { kind: 'wrong version', current }
    }
    kept.push(...events)
    this.streams.set(stream, kept)
    for (const watcher of [...this.#watchers]) watcher()
    return { kind: 'taken', revision: kept.length - 1 }
  }

  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }
}
