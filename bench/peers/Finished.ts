/**
 * Tells when runs have ended, for a system that cannot say so by itself: all that are waited for are asked about at once,
 * again and again.
 */
export class Finished {
  readonly #everyMs: number
  readonly #ended: (ids: readonly string[]) => Promise<readonly string[]>
  readonly #waiting = new Map<string, { readonly resolve: () => void; readonly reject: (error: unknown) => void }>()
  #isAsking = false

  /** `ended` gives those of the ids whose runs have ended. */
  constructor(everyMs: number, ended: (ids: readonly string[]) => Promise<readonly string[]>) {
    this.#everyMs = everyMs
    this.#ended = ended
  }

  wait(id: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      if (!this.#isAsking) void this.#ask()
    })
  }

  async #ask(): Promise<void> {
    this.#isAsking = true
    try {
      while (this.#waiting.size > 0) {
        for (const id of await this.#ended([...this.#waiting.keys()])) {
          this.#waiting.get(id)?.resolve()
          this.#waiting.delete(id)
        }
        await new Promise((resolve) => setTimeout(resolve, this.#everyMs))
      }
    } catch (error) {
      for (const { reject } of this.#waiting.values()) reject(error)
      this.#waiting.clear()
    } finally {
      this.#isAsking = false
    }
  }
}
