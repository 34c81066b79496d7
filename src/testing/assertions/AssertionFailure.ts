/**
 * How an assertion of the testing kit fails: as Node's own AssertionError, which every test runner shows as a failed
 * assertion, with the two sides that differ.
 */
import { AssertionError } from 'node:assert'

/** The error of a failed assertion. `actual` and `expected` are what a runner shows the difference of. */
export const assertionFailure = (message: string, actual: unknown, expected: unknown): AssertionError => {
  const failure = new AssertionError({ message, actual, expected, operator: 'carillon' })
  // Mocha shows a difference only where it is told that there is one.
  return Object.assign(failure, { showDiff: true })
}
