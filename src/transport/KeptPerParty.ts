/**
 * What is remembered about parties, in memory only: of each the newest so many things, so that none takes the room of another,
 * and a stranger fills no memory.
 */
import type { PublicKey } from '../identity/PublicKey.js'

export class KeptPerParty<A> {
  readonly #most: number
  readonly #kept = new Map<PublicKey, Map<string, A>>()

  constructor(most: number) {
    this.#most = most
  }

  /** Whether nothing is remembered of anyone. */
  get isEmpty(): boolean {
    return this.#kept.size === 0
  }

  find(party: PublicKey, key: string): A | undefined {
    return this.#kept.get(party)?.get(key)
  }

  /** Keeps a thing as the newest; the oldest of its party go when there are too many. */
  keep(party: PublicKey, key: string, value: A): void {
    const ofParty = this.#kept.get(party) ?? new Map<string, A>()
    this.#kept.set(party, ofParty)
    ofParty.delete(key)
    ofParty.set(key, value)
    for (const oldest of ofParty.keys()) {
      if (ofParty.size <= this.#most) break
      ofParty.delete(oldest)
    }
  }

  forget(party: PublicKey, key: string): void {
    const ofParty = this.#kept.get(party)
    ofParty?.delete(key)
    if (ofParty?.size === 0) this.#kept.delete(party)
  }
}
