/**
 * A command: the intent of a transaction, with the keys that must sign for it. A contract reads the commands
 * to know which of its rules apply.
 */
import * as t from 'io-ts'
import { decodeWith } from '../encoding/decode.js'
import { type Either, mapLeft } from 'fp-ts/lib/Either.js'
import { assertName } from './assertName.js'

/** A kind of command. Make one with {@link defineCommand}. */
export type CommandDefinition<A = undefined> = {
  readonly type: string
  readonly data: t.Type<A, unknown>
}

/** A command without data is written as null, since JSON has no undefined. */
const noData: t.Type<undefined, unknown> = new t.Type<undefined, unknown>(
  'no data',
  (value): value is undefined => value === undefined,
  (value, context) => (value === null || value === undefined ? t.success(undefined) : t.failure(value, context)),
  () => null,
)

/** Defines a command; leave `data` out for one that says everything by its name. */
export const defineCommand = <A = undefined>(definition: {
  readonly type: string
  readonly data?: t.Type<A, unknown>
}): CommandDefinition<A> => {
  assertName('command', definition.type)
  return Object.freeze({
    type: definition.type,
    data: definition.data ?? (noData as t.Type<unknown, unknown> as t.Type<A, unknown>),
  })
}

export const decodeCommandData = <A>(definition: CommandDefinition<A>, data: unknown): Either<string, A> =>
  mapLeft((problems: readonly string[]) => problems.join('; '))(decodeWith(definition.data, data))
