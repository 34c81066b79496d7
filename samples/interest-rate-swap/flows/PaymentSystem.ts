/**
 * The way money goes from bank to bank, outside the ledger. It knows a payment by a key that its banks give it,
 * and makes a payment once however often it is told of it: in memory, or in a folder that several processes share.
 */
import { randomUUID } from 'node:crypto'
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { isRight } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { AmountC } from '../money.js'

const InstructionC = t.readonly(
  t.strict({
    /** The same for every attempt at the same payment, whichever flow makes it and however often it is started. */
    key: t.string,
    from: t.string,
    to: t.string,
    amount: AmountC,
  }),
)
export type Instruction = t.TypeOf<typeof InstructionC>

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
    return Promise.resolve(made !== undefined && isDeepStrictEqual(made, instruction))
  }

  /** Every payment that was made, in order. */
  get made(): readonly Instruction[] {
    return [...this.#made.values()]
  }
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code

/**
 * A payment system that several processes share: a folder with a file for each payment. A file is made once, so a
 * payment is, however many processes try and however often.
 */
export const paymentsInFolder = (folder: string): PaymentSystem => {
  const fileOf = (key: string): string => join(folder, `${encodeURIComponent(key)}.json`)
  return {
    pay: async (instruction: Instruction) => {
      await mkdir(folder, { recursive: true })
      // Written aside and then given its name, so that whoever is killed meanwhile leaves no half of a payment.
      const draft = join(folder, `${randomUUID()}.draft`)
      await writeFile(draft, JSON.stringify(instruction))
      try {
        await link(draft, fileOf(instruction.key))
      } catch (error) {
        if (!isCode(error, 'EEXIST')) throw error
      } finally {
        await unlink(draft)
      }
      return instruction.key
    },
    hasArrived: async (reference, instruction) => {
      try {
        const made = InstructionC.decode(JSON.parse(await readFile(fileOf(reference), 'utf8')))
        return isRight(made) && isDeepStrictEqual(made.right, instruction)
      } catch (error) {
        if (isCode(error, 'ENOENT')) return false
        throw error
      }
    },
  }
}
