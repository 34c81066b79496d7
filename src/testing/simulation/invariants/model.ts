/**
 * What must be true by the model: every tick does what it predicts, every row is as it says, and no node sleeps through
 * an instant at which it must act.
 */
import type { Invariant } from '../World.js'

/** Each start, miss, wake and new attempt comes when the model predicts it, in its order, and no other does. */
export const ticksAsPredicted: Invariant = {
  name: 'every tick does what the model predicts',
  violations: ({ parties }) => parties.flatMap(({ name, model }) => model.ticks.map((what) => `${name}, ${what}`)),
}

/** Vault, agenda, occurrences and flows are the model's, after every tick, after every restart and at the end. */
export const viewsOfModel: Invariant = {
  name: 'every view is as the model has it',
  violations: ({ parties }) => parties.flatMap(({ name, model }) => model.views.map((what) => `${name}, ${what}`)),
}

/** A node that can work is never idle while something is due. */
export const actsInTime: Invariant = {
  name: 'no node sleeps while something is due',
  violations: ({ sleptThrough }) => sleptThrough,
}
