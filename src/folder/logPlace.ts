/**
 * Where the log of a store folder is kept, when that is not the folder itself: a small file beside the views. Without
 * it, a start that forgets to name the log would go on from a copy, and there would be two histories.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { isLeft } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { CarillonError } from '../errors/CarillonError.js'

const LogPlaceC = t.strict({ log: t.string })

/** Undefined when the folder holds its own log. */
export const readLogPlace = (file: string): string | undefined => {
  if (!existsSync(file)) return undefined
  let content: unknown
  try {
    content = JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    content = undefined
  }
  const decoded = LogPlaceC.decode(content)
  if (isLeft(decoded))
    throw new CarillonError(
      'store-corrupt',
      `${file} should say where the log of this store is kept, and cannot be read. Write {"log":"<its address>"} into it.`,
      { file },
    )
  return decoded.right.log
}

export const writeLogPlace = (file: string, log: string): void => {
  if (existsSync(file) && readLogPlace(file) === log) return
  writeFileSync(file, `${JSON.stringify({ log })}\n`, { mode: 0o600 })
}
