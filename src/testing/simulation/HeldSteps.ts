/**
 * Steps of a simulation that have run and whose end is yet to be told. A node learns of no end before the simulation has
 * chosen it, so the order of ends does not depend on how long anything takes on this machine.
 */
import type { StepContext } from '../../flow/operations/step.js'
import type { StepRequest } from '../../flow/StepRunner.js'

/** A step that has run. */
export type HeldStep = {
  /** What it is, as the subject of a sentence. */
  readonly what: string
  /** Tells its node that it has ended. */
  readonly end: () => void
}

const keyOf = ({ idempotencyKey, attempt }: Pick<StepContext, 'idempotencyKey' | 'attempt'>): string =>
  `${idempotencyKey}#${attempt}`

export class HeldSteps {
  readonly #begun = new Map<string, number>()
  readonly #held = new Map<string, HeldStep>()
  readonly #waiting = new Set<() => void>()
  #count = 0

  /** A step begins. Those that are held stand in this order. */
  begin(context: StepContext): void {
    this.#begun.set(keyOf(context), this.#count++)
  }

  /** Resolves when the step is to end; at once when nobody waits for it any more. */
  hold(context: StepContext, what: string): Promise<void> {
    const { signal } = context
    if (signal.aborted) return Promise.resolve()
    const key = keyOf(context)
    return new Promise((resolve) => {
      const end = (): void => {
        if (this.#held.get(key) !== step) return
        this.#held.delete(key)
        this.#begun.delete(key)
        resolve()
      }
      const step = { what, end }
      // Run by the process that has taken over; the one that led before has no part in the order.
      this.#held.get(key)?.end()
      this.#held.set(key, step)
      this.#begun.set(key, this.#begun.get(key) ?? this.#count++)
      signal.addEventListener('abort', end, { once: true })
      for (const tell of [...this.#waiting]) tell()
      this.#waiting.clear()
    })
  }

  /** In the order in which they have begun. */
  get all(): readonly HeldStep[] {
    const begun = (key: string): number => this.#begun.get(key) ?? 0
    return [...this.#held].sort(([a], [b]) => begun(a) - begun(b)).map(([, step]) => step)
  }

  readonly isHeld = ({ context }: StepRequest): boolean => this.#held.has(keyOf(context))

  /** Resolves when another step is held. */
  readonly changed = (): Promise<void> => new Promise((resolve) => this.#waiting.add(resolve))
}
