/**
 * The shapes of texts that were met before, each with what is known about it. Logs hold a few shapes a great many times,
 * mostly one after the other in the same order, so nearly every text is recognised at the first look.
 */

type Known<About> = {
  readonly shape: RegExp
  readonly about: About
  /** What came next when this was last seen, which it will most likely be again. */
  next: Known<About> | undefined
}

/** A text that seldom comes again, or that is so long that it hardly can, is not worth a shape. */
const mostShapes = 16
const longestShape = 4_096
/** Once that many are known, one of so many strangers takes the place of the oldest. */
const strangersPerShape = 64

export class KnownShapes<About> {
  readonly #known: Known<About>[] = []
  #last: Known<About> | undefined
  #strangers = 0

  /** Reads a text by the first shape that it has and that `read` has an answer for; undefined when there is none. */
  recognise<A>(text: string, read: (about: About, match: RegExpExecArray) => A | undefined): A | undefined {
    const expected = this.#last?.next
    const found = expected === undefined ? undefined : this.#as(expected, text, read)
    if (found !== undefined) return found
    for (const known of this.#known) {
      const other = known === expected ? undefined : this.#as(known, text, read)
      if (other !== undefined) return other
    }
    return undefined
  }

  #as<A>(
    known: Known<About>,
    text: string,
    read: (about: About, match: RegExpExecArray) => A | undefined,
  ): A | undefined {
    const match = known.shape.exec(text)
    const answer = match === null ? undefined : read(known.about, match)
    if (answer !== undefined) this.#follow(known)
    return answer
  }

  #follow(known: Known<About>): void {
    if (this.#last !== undefined) this.#last.next = known
    this.#last = known
  }

  /** Whether the shape of a text that was not recognised is worth learning. To be asked once for each such text. */
  hasPlaceFor(text: string): boolean {
    this.#strangers += 1
    const hasPlace = this.#known.length < mostShapes || this.#strangers % strangersPerShape === 0
    return hasPlace && text.length <= longestShape
  }

  learn(shape: RegExp, about: About): void {
    if (this.#known.length >= mostShapes) this.#forgetOldest()
    const known = { shape, about, next: undefined }
    this.#known.push(known)
    this.#follow(known)
  }

  #forgetOldest(): void {
    const oldest = this.#known.shift()
    if (this.#last === oldest) this.#last = undefined
    for (const known of this.#known) if (known.next === oldest) known.next = undefined
  }
}
