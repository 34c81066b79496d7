/**
 * Reads canonical text in place: finds the members of an object and the elements of a list as pieces of the text,
 * without building a value. It refuses every text that {@link canonicalText} would not have written.
 */

const quote = 34
const comma = 44
const minus = 45
const zero = 48
const nine = 57
const colon = 58
const openList = 91
const closeList = 93
const openObject = 123
const closeObject = 125

// What a string may hold only in escaped form, or must be looked at twice.
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const unusual = /[\\\u0000-\u001f\ud800-\udfff]/

const words = new Map([
  [116, 'true'],
  [102, 'false'],
  [110, 'null'],
])

/** Raised when the text is not canonical; callers of this file see `undefined` or `false` instead. */
class NotCanonical extends Error {}

const refuse = (): never => {
  throw new NotCanonical()
}

export class CanonicalReader {
  readonly #text: string
  readonly #isPlain: boolean
  #at = 0

  constructor(text: string) {
    this.#text = text
    this.#isPlain = !unusual.test(text)
  }

  /** How far the text has been read. */
  get at(): number {
    return this.#at
  }

  /** What kind of value comes next, as far as one character tells. */
  get next(): 'object' | 'list' | 'text' | 'other' {
    const code = this.#text.charCodeAt(this.#at)
    if (code === openObject) return 'object'
    if (code === openList) return 'list'
    return code === quote ? 'text' : 'other'
  }

  /** Reads an object; `onMember` is called with each key and must read the value that follows. */
  object(onMember?: (key: string) => void): void {
    this.#take(openObject)
    if (this.#isNext(closeObject)) return
    let previous = -1
    for (;;) {
      const key = this.#at
      this.#skipText()
      if (previous >= 0 && !this.#isInOrder(previous, key)) refuse()
      previous = key
      const until = this.#at
      this.#take(colon)
      if (onMember === undefined) this.skip()
      else onMember(this.#text.slice(key + 1, until - 1))
      if (this.#isNext(closeObject)) return
      this.#take(comma)
    }
  }

  /** Reads a list; `onElement` is called before each element and must read it. */
  list(onElement?: () => void): void {
    this.#take(openList)
    if (this.#isNext(closeList)) return
    for (;;) {
      if (onElement === undefined) this.skip()
      else onElement()
      if (this.#isNext(closeList)) return
      this.#take(comma)
    }
  }

  /** Reads any value and gives its text. */
  value(): string {
    const from = this.#at
    this.skip()
    return this.#text.slice(from, this.#at)
  }

  /** Reads a string. */
  string(): string {
    const from = this.#at
    this.#skipText()
    const written = this.#text.slice(from, this.#at)
    return this.#isPlain ? written.slice(1, -1) : (JSON.parse(written) as string)
  }

  /** Counts the elements of a list. */
  count(): number {
    let elements = 0
    this.list(() => {
      elements += 1
      this.skip()
    })
    return elements
  }

  skip(): void {
    const code = this.#text.charCodeAt(this.#at)
    if (code === quote) this.#skipText()
    else if (code === openObject) this.object()
    else if (code === openList) this.list()
    else if (code === minus || (code >= zero && code <= nine)) this.#skipNumber()
    else this.#skipWord(code)
  }

  /** Refuses whatever follows. */
  end(): void {
    if (this.#at !== this.#text.length) refuse()
  }

  #take(code: number): void {
    if (this.#text.charCodeAt(this.#at) !== code) refuse()
    this.#at += 1
  }

  #isNext(code: number): boolean {
    if (this.#text.charCodeAt(this.#at) !== code) return false
    this.#at += 1
    return true
  }

  #skipText(): void {
    if (this.#text.charCodeAt(this.#at) !== quote) refuse()
    if (this.#isPlain) {
      const end = this.#text.indexOf('"', this.#at + 1)
      if (end < 0) refuse()
      this.#at = end + 1
      return
    }
    let end = this.#at + 1
    while (this.#text.charCodeAt(end) !== quote) {
      if (end >= this.#text.length) refuse()
      end += this.#text.charCodeAt(end) === 92 ? 2 : 1
    }
    const written = this.#text.slice(this.#at, end + 1)
    let meant: unknown
    try {
      meant = JSON.parse(written)
    } catch {
      refuse()
    }
    if (typeof meant !== 'string' || !meant.isWellFormed() || JSON.stringify(meant) !== written) refuse()
    this.#at = end + 1
  }

  #skipNumber(): void {
    const from = this.#at
    let at = from
    for (;;) {
      const code = this.#text.charCodeAt(at)
      if (code < zero || code > nine || Number.isNaN(code)) break
      at += 1
    }
    const next = this.#text.charCodeAt(at)
    const isShortInteger = at > from && at - from < 16 && next !== 46 && next !== 101
    if (isShortInteger && (at - from === 1 || this.#text.charCodeAt(from) !== zero)) {
      this.#at = at
      return
    }
    const written = /^-?\d+(?:\.\d+)?(?:e[+-]\d+)?/.exec(this.#text.slice(from))?.[0] ?? refuse()
    const number = Number(written)
    const isUnsafe = Number.isInteger(number) && !Number.isSafeInteger(number)
    if (String(number) !== written || isUnsafe) refuse()
    this.#at = from + written.length
  }

  #skipWord(code: number): void {
    const word = words.get(code) ?? refuse()
    if (!this.#text.startsWith(word, this.#at)) refuse()
    this.#at += word.length
  }

  /** Whether the key that begins at `second` sorts after the one at `first`; equal keys are not in order. */
  #isInOrder(first: number, second: number): boolean {
    if (!this.#isPlain) return this.#keyAt(first) < this.#keyAt(second)
    for (let offset = 1; ; offset++) {
      const left = this.#text.charCodeAt(first + offset)
      const right = this.#text.charCodeAt(second + offset)
      if (left === right) {
        if (left === quote) return false
        continue
      }
      // A key that another one begins with comes first.
      if (left === quote || right === quote) return left === quote
      return left < right
    }
  }

  #keyAt(at: number): string {
    const here = this.#at
    this.#at = at
    const key = this.string()
    this.#at = here
    return key
  }
}

/** Reads a whole text; undefined when it is not canonical. */
export const readCanonical = <A>(text: string, read: (reader: CanonicalReader) => A): A | undefined => {
  const reader = new CanonicalReader(text)
  try {
    const result = read(reader)
    reader.end()
    return result
  } catch (error) {
    // A text nested deeper than the stack was not written by the encoder either.
    if (error instanceof NotCanonical || error instanceof RangeError) return undefined
    throw error
  }
}

/** Whether the encoder would have written this text. */
export const isCanonical = (text: string): boolean =>
  readCanonical(text, (reader) => {
    reader.skip()
    return true
  }) ?? false
