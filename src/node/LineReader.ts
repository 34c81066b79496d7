/**
 * Cuts a stream of bytes into lines. A line longer than the limit is refused before it is gathered, so a peer
 * that never ends its line cannot fill the memory.
 */
import { CarillonError } from '../errors/CarillonError.js'

const newline = 0x0a

export class LineReader {
  readonly #limit: number
  #parts: Buffer[] = []
  #bytes = 0

  constructor(limitBytes: number) {
    this.#limit = limitBytes
  }

  /** The lines that this chunk completes, without their line breaks. Throws `request-invalid` past the limit. */
  feed(chunk: Buffer): readonly string[] {
    const lines: string[] = []
    let rest = chunk
    for (let end = rest.indexOf(newline); end !== -1; end = rest.indexOf(newline)) {
      this.#keep(rest.subarray(0, end))
      lines.push(Buffer.concat(this.#parts).toString('utf8'))
      this.#parts = []
      this.#bytes = 0
      rest = rest.subarray(end + 1)
    }
    this.#keep(rest)
    return lines
  }

  #keep(part: Buffer): void {
    if (part.length === 0) return
    this.#bytes += part.length
    if (this.#bytes > this.#limit)
      throw new CarillonError(
        'request-invalid',
        `A line on the control socket is longer than ${this.#limit} bytes. Send less in one request.`,
        { limit: this.#limit },
      )
    this.#parts.push(part)
  }
}
