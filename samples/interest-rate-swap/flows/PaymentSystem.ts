/**
 * The way money goes from bank to bank, outside the ledger. It knows a payment by a key that its banks give it, and
 * makes a payment once however often it is told of it.
 */
import type { Amount } from '../money/Amount.js'

export type Instruction = {
  /** The same for every attempt at the same payment, whichever flow makes it and however often it is started. */
  readonly key: string
  readonly from: string
  readonly to: string
  readonly amount: Amount
}

export type PaymentSystem = {
  /** Sends money, and gives what the payment is known by. */
  readonly pay: (instruction: Instruction) => Promise<string>
  /** Whether a payment has arrived, and is what was instructed. */
  readonly hasArrived: (reference: string, instruction: Instruction) => Promise<boolean>
}

/** A payment system in memory, for a network in one process. */
export class PaymentsInMemory implements PaymentSystem {
  readonly #made = new Map<string, Instruction>()

  readonly pay = (instruction: Instruction): Promise<string> => {
    if (!this.#made.has(instruction.key)) this.#made.set(instruction.key, instruction)
    return Promise.resolve(instruction.key)
  }

  readonly hasArrived = (reference: string, instruction: Instruction): Promise<boolean> => {
    const made = this.#made.get(reference)
    return Promise.resolve(made !== undefined && sameInstruction(made, instruction))
  }

  /** Every payment that was made, in order. */
  get made(): readonly Instruction[] {
    return [...this.#made.values()]
  }
}

export const sameInstruction = (a: Instruction, b: Instruction): boolean =>
  a.key === b.key &&
  a.from === b.from &&
  a.to === b.to &&
  a.amount.currency === b.amount.currency &&
  a.amount.minor === b.amount.minor
