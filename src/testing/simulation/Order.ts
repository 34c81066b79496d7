/**
 * In which order things come that could come in any: ends of steps, the passing of time, and what is done next. An order is
 * a list of choices; where the list ends, the first of what is possible is chosen.
 */
import { Chance } from './Chance.js'

/**
 * - `inTurn`: whatever has run ends at once.
 * - `bySeed`: one thing after the other, or some of them together, as the seed says.
 * - a list: one thing after the other; each number says which of those that were possible.
 */
export type Order = 'inTurn' | 'bySeed' | readonly number[]

/** A choice that was made, and among how many. */
export type Choice = { readonly chosen: number; readonly among: number }

/** Makes the choices of one history, and keeps them. */
export class Chooser {
  readonly #order: Order
  readonly #chance: Chance
  readonly made: Choice[] = []

  constructor(order: Order, seed: number) {
    this.#order = order
    this.#chance = new Chance(`order ${seed}`)
  }

  /** A whole number from 0 to one less than `among`, which is at least 1. */
  choose(among: number): number {
    if (among === 1) return 0
    const wanted = typeof this.#order === 'string' ? this.#bySeed(among) : (this.#order[this.made.length] ?? 0)
    // A list that was cut down may meet fewer possibilities than it was made for.
    const chosen = wanted < among ? wanted : 0
    this.made.push({ chosen, among })
    return chosen
  }

  /** Whether something else comes in the same tick, as far as it depends on the order. */
  comesTogether(): boolean {
    return this.#order === 'inTurn' || (this.#order === 'bySeed' && this.#chance.oneIn(3))
  }

  #bySeed(among: number): number {
    return this.#order === 'bySeed' ? this.#chance.below(among) : 0
  }
}

/** The order that comes after the one whose choices were these, where all are tried; undefined after the last. */
export const nextOrder = (made: readonly Choice[]): readonly number[] | undefined => {
  const last = made.findLastIndex(({ chosen, among }) => chosen + 1 < among)
  const choice = made[last]
  return choice === undefined ? undefined : [...made.slice(0, last).map(({ chosen }) => chosen), choice.chosen + 1]
}
