/**
 * Cuts a stream of bytes into lines. A line longer than the limit is refused before it is gathered, so a peer
 * that never ends its line cannot fill the memory.
 */
import type { CarillonError } from '../errors/CarillonError.js'

const newline = 0x0a

export class LineReader {
  readonly #limit: number
  readonly #tooLong: () => CarillonError
  #parts: Buffer[] = []
  #bytes = 0

  /** `tooLong` makes the error for a line of more than `limitBytes`. */
  constructor(limitBytes: number, tooLong: () => CarillonError) {
    this.#limit = limitBytes
    this.#tooLong = tooLong
  }

  /** The lines that this chunk completes, without their line breaks. */
  feed(chunk: Buffer): readonly string[] {
    const lines: string[] = []
    let rest = chunk
    for (let end = rest.indexOf(newline); end !== -1; end = rest.indexOf(newline)) {
      this.#keep(rest.subarray(0, end))
      lines.push(this.end())
      rest = rest.subarray(end + 1)
    }
    this.#keep(rest)
    return lines
  }

  /** What has come in since the last line break. */
  end(): string {
    const text = Buffer.concat(this.#parts).toString('utf8')
    this.#parts = []
    this.#bytes = 0
    return text
  }

  #keep(part: Buffer): void {
    if (part.length === 0) return
    this.#bytes += part.length
    if (this.#bytes > this.#limit) throw this.#tooLong()
    this.#parts.push(part)
  }
}
