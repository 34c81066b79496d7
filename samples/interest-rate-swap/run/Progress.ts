/**
 * A line that shows how far a swap has come, drawn over itself on a terminal and not at all elsewhere.
 */
import { millisBetween, type Instant } from 'carillon'
import type { SwapData } from '../swap/SwapKind.js'

const width = 30

export const progressLine = (swap: SwapData, from: Instant, until: Instant, now: Instant): string => {
  const share = Math.min(1, Math.max(0, millisBetween(from, now) / millisBetween(from, until)))
  const done = Math.round(share * width)
  const { floating, paid } = swap.calculation
  const fixed = floating.filter(({ rate }) => rate !== null).length
  return `${now.slice(0, 10)} ${'█'.repeat(done)}${'░'.repeat(width - done)} ${fixed} of ${floating.length} fixed, ${paid.length} paid`
}

export class Progress {
  readonly #out: NodeJS.WriteStream
  #shown = false

  constructor(out: NodeJS.WriteStream) {
    this.#out = out
  }

  show(line: string): void {
    if (!this.#out.isTTY) return
    this.#out.write(`\r\u001b[2K${line.slice(0, this.#out.columns - 1)}`)
    this.#shown = true
  }

  end(): void {
    if (this.#shown) this.#out.write('\r\u001b[2K')
    this.#shown = false
  }
}
