/**
 * Looks on while code of the app runs: app code that never returns takes the whole node with it, so someone beside the node
 * must know what it was running, and the next start must know what never came back.
 */
import { CarillonError } from '../errors/CarillonError.js'
import { engineLimits, type EngineLimits } from './limits.js'

export type CodeWatch = {
  /** Code begins to run for a state or a flow: its ref or id, and the name of its type or definition. */
  readonly begin: (id: string, name: string) => void
  readonly end: () => void
  /** How often it was begun by processes that ended before it came back. */
  readonly lostStarts: (id: string) => number
  /** It is parked, and whoever lets it go on gives it all its starts again. */
  readonly forget: (id: string) => void
}

export const unwatched: CodeWatch = {
  begin: () => undefined,
  end: () => undefined,
  lostStarts: () => 0,
  forget: () => undefined,
}

/** Runs what may run code of the app, for a state or a flow. What runs within something else counts as part of that. */
export class WatchedCode {
  readonly #watch: CodeWatch
  readonly #limits: EngineLimits
  #depth = 0

  constructor(watch: CodeWatch = unwatched, limits: EngineLimits = engineLimits) {
    this.#limits = limits
    this.#watch = watch
  }

  run<A>(id: string, name: string, run: () => A): A {
    if (this.#depth === 0) this.#watch.begin(id, name)
    this.#depth += 1
    try {
      return run()
    } finally {
      this.#depth -= 1
      if (this.#depth === 0) this.#watch.end()
    }
  }

  /** Why something is not to be run: it never came back before. Undefined when it may be. */
  refusal(id: string, name: string): CarillonError | undefined {
    const starts = this.#watch.lostStarts(id)
    if (starts < this.#limits.startsNotReturned) return undefined
    return new CarillonError(
      'code-not-returning',
      `Code of ${name} was begun ${starts} times for ${id}, did not return within ${this.#limits.codeReturnsMs / 1_000} s, and each time the process was ended before it did. Look for a loop without end; when it is corrected, retry it.`,
      { name, starts },
    )
  }

  forget(id: string): void {
    this.#watch.forget(id)
  }
}
