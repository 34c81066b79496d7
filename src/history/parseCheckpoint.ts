/**
 * Reading a checkpoint that comes from outside: a file, or what another party has handed over.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import { decodeWith } from '../encoding/decode.js'
import { CarillonError } from '../errors/CarillonError.js'
import { CheckpointC, verifyCheckpoint, type Checkpoint } from '../log/Checkpoint.js'

/** The checkpoint in a value. Throws `head-invalid` unless it is one and its signature is valid. */
export const parseCheckpoint = (value: unknown): Checkpoint => {
  const decoded = decodeWith(CheckpointC, value)
  const invalid = (why: string): CarillonError =>
    new CarillonError(
      'head-invalid',
      `This is not a checkpoint: ${why}. "carillon log head" prints one as a line of JSON.`,
    )
  if (isLeft(decoded)) throw invalid(decoded.left.slice(0, 3).join('; '))
  if (!verifyCheckpoint(decoded.right)) throw invalid('its signature does not verify')
  return decoded.right
}
