/**
 * What is being decided of one party, over all of its connections. When it is as much as is good for the others, nothing
 * more is read from any of them until half of it is done: TCP holds the rest back at its sender.
 */
import type { TransportLimits } from './limits.js'

type Held = { readonly pause: () => void; readonly resume: () => void }

export class Inflow {
  readonly #limits: Pick<TransportLimits, 'deliveriesUnderWay' | 'bytesUnderWay'>
  readonly #held = new Set<Held>()
  #envelopes = 0
  #bytes = 0

  constructor(limits: Pick<TransportLimits, 'deliveriesUnderWay' | 'bytesUnderWay'>) {
    this.#limits = limits
  }

  begin(envelopes: number, bytes: number): void {
    this.#envelopes += envelopes
    this.#bytes += bytes
  }

  end(envelopes: number, bytes: number): void {
    this.#envelopes -= envelopes
    this.#bytes -= bytes
    const { deliveriesUnderWay, bytesUnderWay } = this.#limits
    if (this.#envelopes > deliveriesUnderWay / 2 || this.#bytes > bytesUnderWay / 2) return
    const held = [...this.#held]
    this.#held.clear()
    for (const connection of held) connection.resume()
  }

  /** Holds a connection back when there is too much. */
  hold(connection: Held): void {
    const { deliveriesUnderWay, bytesUnderWay } = this.#limits
    if (this.#envelopes < deliveriesUnderWay && this.#bytes < bytesUnderWay) return
    this.#held.add(connection)
    connection.pause()
  }

  /** The connection is over. */
  leave(connection: Held): void {
    this.#held.delete(connection)
  }
}
