/**
 * Where the passphrase of a key comes from when nobody hands it over: an environment variable, or a file that one
 * names. It is read when a key is opened and kept nowhere.
 */
import { readFileSync } from 'node:fs'
import { CarillonError, messageOf } from '../errors/CarillonError.js'

type Environment = Readonly<Record<string, string | undefined>>

export const passphraseVariable = 'CARILLON_KEY_PASSPHRASE'
export const passphraseFileVariable = 'CARILLON_KEY_PASSPHRASE_FILE'

/** Undefined when neither variable is set. */
export const passphraseFrom = (environment: Environment): string | undefined => {
  const given = environment[passphraseVariable]
  if (given !== undefined && given !== '') return given
  const file = environment[passphraseFileVariable]
  if (file === undefined || file === '') return undefined
  try {
    // Editors end a file with a line feed that nobody has typed.
    const text = readFileSync(file, 'utf8').replace(/\r?\n$/, '')
    if (text !== '') return text
  } catch (error) {
    throw new CarillonError(
      'key-locked',
      `The passphrase file ${file}, named by ${passphraseFileVariable}, cannot be read: ${messageOf(error)}.`,
      { file },
    )
  }
  throw new CarillonError('key-locked', `The passphrase file ${file}, named by ${passphraseFileVariable}, is empty.`, {
    file,
  })
}
