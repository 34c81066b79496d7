/**
 * JSON that stands on the command line itself, or comes on stdin when a dash stands there.
 */
import { readFileSync } from 'node:fs'
import { isLeft } from 'fp-ts/lib/Either.js'
import type { Json } from '../encoding/canonical.js'
import { decodeWith } from '../encoding/decode.js'
import { JsonC } from '../encoding/JsonC.js'
import { CarillonError, messageOf } from '../errors/CarillonError.js'

const stdin = 0

export const readJsonText = (text: string, what = 'The input'): Json => {
  try {
    const decoded = decodeWith(JsonC, JSON.parse(text === '-' ? readFileSync(stdin, 'utf8') : text))
    if (isLeft(decoded)) throw new Error(decoded.left.join('; '))
    return decoded.right
  } catch (error) {
    throw new CarillonError(
      'usage',
      `${what} is not JSON: ${messageOf(error)}. Put it in single quotes, as in '{"text":"hello"}', or give - to read it from stdin.`,
    )
  }
}
