/**
 * How long virtual time waits for steps. Steps run in real time, so before a virtual clock moves on they are given time to
 * end. One with a timeout is then left alone: the clock moves on, and its timeout comes. One without is given up.
 */
import { CarillonError } from '../errors/CarillonError.js'
import type { StepRequest } from '../flow/StepRunner.js'
import type { Node } from '../node/Node.js'

/** What is waited in real time is counted in slices, so that a machine that is busy does not look like a step that hangs. */
const sliceMs = 20
/** Steps with a timeout get so many slices of real time before the clock moves on without them. */
const slicesWithTimeout = 5
/** Steps that may take as long as they like get this much real time, in milliseconds. */
export const defaultStepLimitMs = 1_500

/** Resolves with the promise, or after a slice of real time. */
const forASlice = async (promise: Promise<void>): Promise<void> => {
  let timer: NodeJS.Timeout | undefined
  const slice = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, sliceMs)
  })
  await Promise.race([promise, slice])
  clearTimeout(timer)
}

const notEnding = ({ name, flowName, flow }: StepRequest, limitMs: number): CarillonError =>
  new CarillonError(
    'step-not-ending',
    `The clock waits for step "${name}" of flow ${flowName} (${flow}), which has not ended within ${limitMs} ms of real time. Steps run in real time: let it end, give it a timeout, or raise stepLimitMs.`,
    { step: name, flow },
  )

/** Steps that are held from ending, and whose end somebody else decides. */
export type StepHold = {
  readonly isHeld: (step: StepRequest) => boolean
  /** Resolves when another step is held. */
  readonly changed: () => Promise<void>
}

const noHold: StepHold = { isHeld: () => false, changed: () => new Promise(() => undefined) }

export class StepPatience {
  readonly #limitMs: number
  readonly #hold: StepHold
  /** Steps that the clock no longer waits for: their timeout ends them. */
  readonly #leftAlone = new WeakSet<StepRequest>()

  constructor(limitMs = defaultStepLimitMs, hold = noHold) {
    this.#limitMs = limitMs
    this.#hold = hold
  }

  /** Lets a node work until nothing is left to do at this instant. */
  async quiet(node: Node): Promise<void> {
    while (node.isBusy || this.#waitedFor(node).length > 0) {
      await node.idle({ steps: false })
      if (this.#waitedFor(node).length > 0) await this.#endOfSteps(node)
    }
  }

  #waitedFor(node: Node): readonly StepRequest[] {
    return node.stepsUnderWay.filter((step) => !this.#leftAlone.has(step) && !this.#hold.isHeld(step))
  }

  async #endOfSteps(node: Node): Promise<void> {
    const seen = { idle: false }
    const idle = node.idle().then(() => {
      seen.idle = true
    })
    for (let slices = 1; ; slices++) {
      await forASlice(Promise.race([idle, this.#hold.changed()]))
      const steps = this.#waitedFor(node)
      if (seen.idle || steps.length === 0) return
      if (slices >= slicesWithTimeout)
        for (const step of steps) if (step.timeoutMs !== undefined) this.#leftAlone.add(step)
      const hanging = steps.find((step) => !this.#leftAlone.has(step))
      if (hanging === undefined) return
      if (slices * sliceMs >= this.#limitMs) throw notEnding(hanging, this.#limitMs)
    }
  }
}
