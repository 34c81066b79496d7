/**
 * Those who wait for flows to end. Each is told once: when the end is durable, when it no longer wants to know, or
 * when the node stops.
 */
import { CarillonError } from '../errors/CarillonError.js'
import type { FlowId } from '../log/FlowId.js'

type Wait = { readonly resolve: () => void; readonly reject: (reason: CarillonError) => void }

/** Said to whoever no longer waits for a flow. */
export const waitAborted = (id: FlowId, signal?: AbortSignal): CarillonError =>
  new CarillonError(
    'wait-aborted',
    `Waiting for flow ${id} was aborted by its caller; the flow goes on. Ask for its result again with resultOf.`,
    { flow: id },
    signal?.reason,
  )

export class FlowEnds {
  readonly #waits = new Map<FlowId, Set<Wait>>()

  /** How many wait. */
  get size(): number {
    let count = 0
    for (const waits of this.#waits.values()) count += waits.size
    return count
  }

  get isEmpty(): boolean {
    return this.#waits.size === 0
  }

  /** Resolves when the flow has ended; rejects when the signal says that nobody waits any more. */
  wait(id: FlowId, signal?: AbortSignal): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const over = (): void => signal?.removeEventListener('abort', giveUp)
      const wait: Wait = {
        resolve: () => {
          over()
          resolve()
        },
        reject: (reason) => {
          over()
          reject(reason)
        },
      }
      const giveUp = (): void => {
        const others = this.#waits.get(id)
        others?.delete(wait)
        if (others?.size === 0) this.#waits.delete(id)
        reject(waitAborted(id, signal))
      }
      if (signal?.aborted === true) {
        giveUp()
        return
      }
      signal?.addEventListener('abort', giveUp, { once: true })
      const waits = this.#waits.get(id)
      if (waits === undefined) this.#waits.set(id, new Set([wait]))
      else waits.add(wait)
    })
  }

  ended(id: FlowId): void {
    const waits = this.#waits.get(id)
    this.#waits.delete(id)
    waits?.forEach(({ resolve }) => {
      resolve()
    })
  }

  /** The next start of the node goes on with the flows; nobody here will see their end. */
  stop(reason: CarillonError): void {
    for (const waits of this.#waits.values()) for (const { reject } of waits) reject(reason)
    this.#waits.clear()
  }
}
