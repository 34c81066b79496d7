/**
 * How an assertion of the testing kit fails: as Node's own AssertionError, which every test runner shows as a failed
 * assertion, with the two sides that differ.
 */
import { AssertionError } from 'node:assert'

/** The two sides that a runner shows the difference of. */
type Sides = readonly [actual: unknown, expected: unknown]

/** The error of a failed assertion. Without sides the message says all there is, and is all that a runner shows. */
export const assertionFailure = (message: string, ...sides: Sides | []): AssertionError => {
  if (sides.length === 0) return new AssertionError({ message, operator: 'carillon' })
  const [actual, expected] = sides
  const failure = new AssertionError({ message, actual, expected, operator: 'carillon' })
  // Mocha shows a difference only where it is told that there is one.
  return Object.assign(failure, { showDiff: true })
}
