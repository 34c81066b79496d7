/**
 * A payment system that several processes share: a folder with a file for each payment. A file is made once, so a
 * payment is, however many processes try and however often.
 */
import { randomUUID } from 'node:crypto'
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isRight } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { AmountC } from '../money/Amount.js'
import { sameInstruction, type Instruction, type PaymentSystem } from './PaymentSystem.js'

const InstructionC = t.strict({ key: t.string, from: t.string, to: t.string, amount: AmountC })

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code

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
        return isRight(made) && sameInstruction(made.right, instruction)
      } catch (error) {
        if (isCode(error, 'ENOENT')) return false
        throw error
      }
    },
  }
}
