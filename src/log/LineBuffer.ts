/**
 * The lines of a tick as the bytes that are hashed and stored, written while its events gather: joined as a text first, half a
 * megabyte would be put together only to be taken apart again. A node has one, which each tick begins anew.
 */
const firstBytes = 4_096
/** The most that a character takes in UTF-8, counted as JavaScript counts characters. */
const bytesPerCharacter = 3
const lineBreak = 10

export class LineBuffer {
  #bytes = Buffer.allocUnsafeSlow(firstBytes)
  /** Where the lines end that were kept, each with a line break. */
  #end = 0

  clear(): void {
    this.#end = 0
  }

  /** Writes a line behind those that were kept, and returns its bytes. Unless it is kept, the next takes its place. */
  write(line: string): number {
    const most = this.#end + line.length * bytesPerCharacter + 1
    if (most > this.#bytes.length) this.#grow(most)
    return this.#bytes.write(line, this.#end)
  }

  /** Keeps the line that was written last, of so many bytes. */
  keep(bytes: number): void {
    this.#bytes[this.#end + bytes] = lineBreak
    this.#end += bytes + 1
  }

  /** A copy of the lines that were kept, with a line break between any two. It is shared with a thread that is sent it. */
  copy(): Uint8Array {
    const copy = Buffer.from(new SharedArrayBuffer(Math.max(this.#end - 1, 0)))
    this.#bytes.copy(copy)
    return copy
  }

  #grow(atLeast: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(atLeast, 2 * this.#bytes.length))
    this.#bytes.copy(larger, 0, 0, this.#end)
    this.#bytes = larger
  }
}
