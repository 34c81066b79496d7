/**
 * Codecs from schemas of other libraries: those that speak Standard Schema, such as zod, valibot and arktype. What is
 * recorded must come back as it was, so a schema is a codec only as long as it leaves its values as they are, and they are
 * plain JSON.
 */
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import * as t from 'io-ts'
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import { canonicalText } from './canonical.js'
import { placeOf } from './decode.js'
import { firstDifference } from './firstDifference.js'
import { sha256 } from './hash.js'

/** A JSON Schema, as documents and forms read it. */
export type JsonSchema = Readonly<Record<string, unknown>>

type Props = StandardSchemaV1.Props & Partial<Pick<StandardJSONSchemaV1.Props, 'jsonSchema'>>

/** A schema whose values can be validated again; of any other one the compiler says that it transforms. */
export type Unchanging<S extends StandardSchemaV1> =
  StandardSchemaV1.InferOutput<S> extends StandardSchemaV1.InferInput<S>
    ? unknown
    : 'A schema that transforms its values cannot be a codec'

/** Something that is wrong with a value, and where in it. */
type Problem = { readonly path: readonly string[]; readonly message: string }

const whole = (message: string): readonly Problem[] => [{ path: [], message }]

const keyOf = (segment: PropertyKey | StandardSchemaV1.PathSegment): string =>
  String(typeof segment === 'object' ? segment.key : segment)

/** The canonical text of a value, or why it has none. */
const textOf = (value: unknown): { readonly text: string } | { readonly why: string } => {
  try {
    return { text: canonicalText(value) }
  } catch (error) {
    return { why: messageOf(error) }
  }
}

const changed = (given: string, validated: string): Problem => {
  const difference = firstDifference(JSON.parse(given), JSON.parse(validated))
  const what =
    difference === undefined
      ? 'the schema changes it'
      : `the schema changes it: ${difference.recorded.slice(0, 80)} became ${difference.coded.slice(0, 80)}`
  const path = difference === undefined || difference.path === '' ? [] : [difference.path]
  return {
    path,
    message: `${what}. Use a schema without transforms, defaults and coercions, for values as they are recorded`,
  }
}

/** Why a value is none of a schema, or cannot be recorded; empty when all is well. */
const problemsWith = ({ validate }: Props, value: unknown): readonly Problem[] => {
  // Before the schema sees the value, because it might change it in place.
  const given = textOf(value)
  let result: StandardSchemaV1.Result<unknown> | Promise<StandardSchemaV1.Result<unknown>>
  try {
    result = validate(value)
  } catch (error) {
    return whole(`the schema threw: ${messageOf(error)}`)
  }
  if ('then' in result) {
    // Nobody waits for it, so nobody else hears of its failure.
    result.then(undefined, () => undefined)
    return whole(
      'the schema does not answer at once: it is asynchronous, or code in it threw. A codec cannot wait; ask others in a step',
    )
  }
  if (result.issues !== undefined)
    // Not by `map`: a library may have a class of its own for paths.
    return result.issues.map(({ path = [], message }) => ({ path: Array.from(path, keyOf), message }))
  if ('why' in given) return whole(`the schema takes it, but it is not plain JSON. ${given.why}`)
  const validated = textOf(result.value)
  if ('why' in validated) return whole(`the schema makes something else of it that is not plain JSON. ${validated.why}`)
  return given.text === validated.text ? [] : [changed(given.text, validated.text)]
}

/** A codec made from a schema of another library. */
export class StandardSchemaType<A> extends t.Type<A> {
  readonly #props: Props
  #jsonSchema: JsonSchema | undefined

  constructor(props: Props) {
    super(
      `a schema of ${props.vendor}`,
      (value): value is A => problemsWith(props, value).length === 0,
      (value, context) => {
        const problems = problemsWith(props, value)
        if (problems.length === 0) return t.success(value as A)
        return t.failures(
          problems.map(({ path, message }) => {
            const inside = path.map((key) => ({ key, type: this }))
            const place = placeOf([...context, ...inside])
            return { value, context, message: `${place === '' ? 'the value' : place}: ${message}` }
          }),
        )
      },
      t.identity,
    )
    this.#props = props
  }

  /** The JSON Schema of its values, where the library can tell it; otherwise one that takes anything. */
  get jsonSchema(): JsonSchema {
    return (this.#jsonSchema ??= jsonSchemaOf(this.#props))
  }
}

/** What another document can hold: a schema that refers to parts of itself has an address of its own there. */
const jsonSchemaOf = ({ jsonSchema }: Props): JsonSchema => {
  if (jsonSchema === undefined) return {}
  try {
    // What comes out goes in unchanged, and the output says more: members that are not listed are refused.
    const schema = jsonSchema.output({ target: 'draft-2020-12' })
    delete schema['$schema']
    const text = canonicalText(schema)
    return text.includes('"$ref"') ? { $id: `urn:sha256:${sha256(text)}`, ...schema } : schema
  } catch {
    // Not every schema can be told as a JSON Schema, and documents and forms do without.
    return {}
  }
}

/**
 * A codec for the data of a state, the input of a flow, the result of a step or the data of a signal, from a schema of any
 * library that speaks Standard Schema. It refuses values that the schema changes, and those that are not plain JSON.
 */
export const fromStandardSchema = <S extends StandardSchemaV1>(
  schema: S & Unchanging<S>,
): t.Type<StandardSchemaV1.InferOutput<S>> => {
  const props = (schema as Partial<StandardSchemaV1>)['~standard']
  if (typeof props?.validate !== 'function')
    throw new CarillonError(
      'definition-invalid',
      'fromStandardSchema was given something that is not a schema of Standard Schema. zod from 3.24, valibot from 1.0 and arktype from 2.0 speak it; an io-ts codec is used as it is.',
    )
  return new StandardSchemaType(props)
}
