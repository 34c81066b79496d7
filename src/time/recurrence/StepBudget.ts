/**
 * How much looking one question about a recurrence may cost. It is counted in steps and not in time, so the same question
 * has the same answer on every machine; a question that needs more ends in `recurrence-invalid`, never in a long wait.
 */
import { refuse } from './refuse.js'

/** What one question may spend: an ordinary one takes fewer than a hundred, of some ten microseconds each. */
export const stepsOfQuestion = 20_000

/** What a question that lists occurrences may spend beside, for each occurrence it finds. */
export const stepsOfOccurrence = 20

export class StepBudget {
  readonly #rule: string
  #left = stepsOfQuestion

  /** `rule`: what the refusal names. */
  constructor(rule: string) {
    this.#rule = rule
  }

  get isSpent(): boolean {
    return this.#left < 0
  }

  /** Counts steps, before or after they are taken; throws `recurrence-invalid` when there are none left. */
  spend(steps: number): void {
    this.#left -= steps
    if (this.isSpent)
      refuse(
        this.#rule,
        `its next occurrence is not found within ${stepsOfQuestion} steps. Ask for fewer at a time, or write a rule that occurs sooner.`,
      )
  }

  /** An occurrence was found: a list may go on. */
  foundOne(): void {
    this.#left += stepsOfOccurrence
  }
}
