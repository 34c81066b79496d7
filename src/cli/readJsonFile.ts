/**
 * JSON out of a file that someone names on the command line, or from stdin.
 */
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { CarillonError, messageOf } from '../errors/CarillonError.js'

export const readJsonFile = async (file: string): Promise<unknown> => {
  const refuse = (why: string, cause: unknown): CarillonError =>
    new CarillonError(
      'usage',
      `${file === '-' ? 'What came on stdin' : file} ${why}: ${messageOf(cause)}.`,
      { file },
      cause,
    )
  let content: string
  try {
    content = file === '-' ? await text(process.stdin) : await readFile(file, 'utf8')
  } catch (error) {
    throw refuse('cannot be read', error)
  }
  try {
    return JSON.parse(content) as unknown
  } catch (error) {
    throw refuse('is not JSON', error)
  }
}
