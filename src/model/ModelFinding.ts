/**
 * A difference between the node and the model, with both sides, so that a reader can judge which of them is wrong.
 */
import { canonicalText } from '../encoding/canonical.js'

/** A difference between the node and the model. */
export type ModelFinding = {
  /** The rule that is broken, as a sentence. */
  readonly what: string
  /** What the model says. */
  readonly predicted: string
  /** What the node did or holds. */
  readonly recorded: string
}

/** One finding, as a list. */
export const finding = (what: string, predicted: string, recorded: string): readonly ModelFinding[] => [
  { what, predicted, recorded },
]

/** A finding about two values; none when they are equal. */
export const compareValues = (what: string, predicted: unknown, recorded: unknown): readonly ModelFinding[] => {
  const [expected, found] = [canonicalText(predicted ?? null), canonicalText(recorded ?? null)]
  return expected === found ? [] : finding(what, expected, found)
}
