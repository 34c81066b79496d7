/**
 * How long what arrives now will wait for its turn: what waits already, at the pace of the last ticks.
 */
const memory = 0.8

export class Backlog {
  #msPerInput = 0

  /** To be called after every tick that took inputs. */
  took(inputs: number, tookMs: number): void {
    if (inputs === 0) return
    this.#msPerInput = memory * this.#msPerInput + (1 - memory) * (Math.max(0, tookMs) / inputs)
  }

  /** About how many milliseconds pass before an input is decided that has so many before it. */
  waitMs(waiting: number): number {
    return Math.round(waiting * this.#msPerInput)
  }
}
