/**
 * Cuts a stream of bytes into lines. A line longer than the limit is refused before it is gathered, so a peer
 * that never ends its line cannot fill the memory.
 */
import { isUtf8 } from 'node:buffer'
import type { CarillonError } from '../errors/CarillonError.js'

const newline = 0x0a

export class LineReader {
  readonly #limit: number
  readonly #tooLong: () => CarillonError
  readonly #notText: (() => CarillonError) | undefined
  #parts: Buffer[] = []
  #bytes = 0

  /**
   * `tooLong` makes the error for a line of more than `limitBytes`, `notText` that for bytes which are not UTF-8; without
   * it they are replaced.
   */
  constructor(limitBytes: number, tooLong: () => CarillonError, notText?: () => CarillonError) {
    this.#limit = limitBytes
    this.#tooLong = tooLong
    this.#notText = notText
  }

  /**
   * The lines that this chunk completes, without their line breaks. One by one, so that a line which is refused does not
   * take those before it along.
   */
  *feed(chunk: Buffer): Generator<string, void, undefined> {
    let rest = chunk
    for (let end = rest.indexOf(newline); end !== -1; end = rest.indexOf(newline)) {
      this.#keep(rest.subarray(0, end))
      yield this.end()
      rest = rest.subarray(end + 1)
    }
    this.#keep(rest)
  }

  /** What has come in since the last line break. */
  end(): string {
    const bytes = Buffer.concat(this.#parts)
    this.#parts = []
    this.#bytes = 0
    if (this.#notText !== undefined && !isUtf8(bytes)) throw this.#notText()
    return bytes.toString('utf8')
  }

  #keep(part: Buffer): void {
    if (part.length === 0) return
    this.#bytes += part.length
    if (this.#bytes > this.#limit) throw this.#tooLong()
    this.#parts.push(part)
  }
}
