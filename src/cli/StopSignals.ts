/**
 * The signals that ask a process to stop. The first is a wish, which `asked` tells; a second one, or the same
 * key pressed again, ends the process at once: the log is made for that.
 */
import { constants } from 'node:os'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export class StopSignals {
  /** Resolves with the first signal. */
  readonly asked: Promise<NodeJS.Signals>
  #count = 0

  constructor(onSecond: (signal: NodeJS.Signals) => void) {
    this.asked = new Promise((resolve) => {
      for (const signal of signals) {
        process.on(signal, () => {
          this.#count += 1
          if (this.#count === 1) resolve(signal)
          else {
            onSecond(signal)
            // By convention 128 and the signal's number: 130 for Ctrl-C.
            process.exit(128 + constants.signals[signal])
          }
        })
      }
    })
  }
}
