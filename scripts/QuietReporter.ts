/**
 * The mocha reporter of `npm test`: silent unless a test fails, and then complete. It leaves its counts in the file
 * named by the option `counts`, because what tests print to the console may look like anything.
 */
import { writeFileSync } from 'node:fs'
import Mocha from 'mocha'

/** Longer than any timer that ends by itself; what a test forgot to close does not. */
const patienceMs = 60_000

export default class QuietReporter extends Mocha.reporters.Base {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options)
    const skipped: string[] = []
    runner.on('pending', (test: Mocha.Test) => skipped.push(test.fullTitle()))
    runner.once('end', () => {
      const { passes, failures, pending } = this.stats
      if (failures > 0) this.epilogue()
      const { counts } = (options.reporterOptions ?? {}) as { readonly counts?: string }
      if (counts !== undefined) writeFileSync(counts, JSON.stringify({ passes, failures, pending, skipped }))
      // Unreferenced, so it fires only if something a test forgot to close keeps the process from ending.
      setTimeout(() => {
        console.error(
          `Still open ${patienceMs / 1000} s after the last test: ${process.getActiveResourcesInfo().join(', ')}`,
        )
        // Mocha sets the exit code by its own count when the process ends; this is said after it.
        process.on('exit', () => {
          process.exitCode = 1
        })
        process.exit()
      }, patienceMs).unref()
    })
  }
}
