/**
 * Generators of suspended flows, kept so that a flow need not be run again from its record. None outlives the rollback of a
 * tick that has moved it, so a kept generator always stands where the record ends.
 */
import type { FlowId } from '../log/FlowId.js'
import type { LiveFlow } from './LiveFlow.js'

export class LiveFlows {
  /** Least recently used first. */
  readonly #kept = new Map<FlowId, LiveFlow>()
  /** Flows that were moved in this tick. */
  #moved = new Set<FlowId>()
  /** Flows that were moved in the tick before, while it is on its way to the disk. */
  #handedOver = new Set<FlowId>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  find(id: FlowId): LiveFlow | undefined {
    return this.#kept.get(id)
  }

  keep(live: LiveFlow): void {
    this.#kept.delete(live.id)
    this.#kept.set(live.id, live)
  }

  /** Forgets a generator, so that the flow is rebuilt from its record when it goes on. */
  forget(id: FlowId): void {
    this.#kept.delete(id)
  }

  /** The flow moves in this tick. */
  move(id: FlowId): void {
    this.#moved.add(id)
  }

  /** The tick is over, and on its way to the disk; another may begin. */
  handedOver(): void {
    this.#handedOver = this.#moved
    this.#moved = new Set()
    this.#trim()
  }

  /** The tick that was handed over stands. */
  pendingCommitted(): void {
    this.#handedOver.clear()
  }

  committed(): void {
    this.#moved.clear()
    this.#trim()
  }

  rolledBack(): void {
    for (const id of [...this.#handedOver, ...this.#moved]) this.#kept.delete(id)
    this.#handedOver.clear()
    this.#moved.clear()
  }

  #trim(): void {
    for (const id of this.#kept.keys()) {
      if (this.#kept.size <= this.#most) break
      this.#kept.delete(id)
    }
  }
}
