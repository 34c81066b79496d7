/**
 * How much one caller may ask: a bucket that fills at a steady rate and holds a burst. Callers are forgotten once their
 * bucket is full again, and only so many are remembered.
 */
type Bucket = { level: number; atMs: number }

export class RateLimit {
  readonly #perSecond: number
  readonly #burst: number
  readonly #remembered: number
  readonly #buckets = new Map<string, Bucket>()

  constructor(options: { readonly perSecond: number; readonly burst: number; readonly remembered: number }) {
    this.#perSecond = options.perSecond
    this.#burst = options.burst
    this.#remembered = options.remembered
  }

  /** Takes one from a caller's bucket: 0 when there was one, otherwise the milliseconds until there will be. */
  take(caller: string, nowMs: number): number {
    const waitMs = this.waitMs(caller, nowMs)
    if (waitMs === 0) this.spend(caller, nowMs, 1)
    return waitMs
  }

  /** Milliseconds until there is one in a caller's bucket; none is taken. */
  waitMs(caller: string, nowMs: number): number {
    const { level } = this.#bucketOf(caller, nowMs)
    return level < 1 ? Math.ceil(((1 - level) / this.#perSecond) * 1_000) : 0
  }

  /** Takes what something has cost, known only afterwards: a bucket may be emptier than empty. */
  spend(caller: string, nowMs: number, cost: number): void {
    this.#bucketOf(caller, nowMs).level -= cost
  }

  #bucketOf(caller: string, nowMs: number): Bucket {
    const bucket = this.#levelAt(caller, nowMs)
    // Moved to the end, so that whoever was not seen for longest is forgotten first.
    this.#buckets.delete(caller)
    this.#buckets.set(caller, bucket)
    for (const oldest of this.#buckets.keys()) {
      if (this.#buckets.size <= this.#remembered) break
      this.#buckets.delete(oldest)
    }
    return bucket
  }

  #levelAt(caller: string, nowMs: number): Bucket {
    const known = this.#buckets.get(caller)
    if (known === undefined) return { level: this.#burst, atMs: nowMs }
    const gained = (Math.max(0, nowMs - known.atMs) / 1_000) * this.#perSecond
    return { level: Math.min(this.#burst, known.level + gained), atMs: nowMs }
  }
}
