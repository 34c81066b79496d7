/**
 * Reading recorded state data with today's definition: upcast step by step, then decoded. The recorded text
 * itself is never changed.
 */
import { left, type Either, mapLeft } from 'fp-ts/lib/Either.js'
import { decodeWith } from '../encoding/decode.js'
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import type { StateDefinition } from './StateDefinition.js'

export const decodeState = <A>(
  definition: StateDefinition<A>,
  version: number,
  text: string,
): Either<CarillonError, A> => {
  if (version > definition.version) {
    return left(
      new CarillonError(
        'state-version-unknown',
        `A ${definition.type} was written as version ${version}; this app knows versions up to ${definition.version}. Run the newer app.`,
        { type: definition.type, version },
      ),
    )
  }
  const invalid = (why: string) =>
    new CarillonError(
      'state-data-invalid',
      `Recorded ${definition.type} data of version ${version} cannot be read: ${why}`,
      { type: definition.type, version },
    )
  try {
    let data: unknown = JSON.parse(text)
    for (let at = version; at < definition.version; at++) data = definition.upcasters[at]?.(data)
    return mapLeft((problems: readonly string[]) => invalid(problems.join('; ')))(decodeWith(definition.data, data))
  } catch (error) {
    return left(invalid(messageOf(error)))
  }
}
