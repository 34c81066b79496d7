/**
 * The JSON Schema of an io-ts codec, so that the OpenAPI document says what the node really decodes. A codec made by
 * hand, which nothing can be read from, is described by its name in the table below.
 */
import type * as t from 'io-ts'

export type Schema = Readonly<Record<string, unknown>>

const hex = (digits: number): Schema => ({ type: 'string', pattern: `^[0-9a-f]{${digits}}$` })

/** What a refinement adds to its base cannot be read from it; these are the ones we have. */
const byName: Readonly<Record<string, Schema>> = {
  Instant: {
    type: 'string',
    format: 'date-time',
    description: 'UTC, with milliseconds',
    examples: ['2026-01-31T09:00:00.000Z'],
  },
  Integer: { type: 'integer' },
  Hash: hex(64),
  TransactionId: hex(64),
  FlowId: hex(32),
  SessionId: hex(32),
  TokenId: hex(12),
  TokenName: { type: 'string', minLength: 1, maxLength: 40 },
  Permission: { type: 'string', examples: ['view', 'operate', 'start:heartbeat/StartHeartbeat', 'start:*', 'admin'] },
  Note: { type: 'string', maxLength: 1_000 },
  Json: { description: 'Any JSON value' },
  RefText: {
    type: 'string',
    pattern: '^[0-9a-f]{4,64}(:[0-9]{1,4})?$',
    description: 'A state ref, or its first digits',
  },
  FlowText: {
    type: 'string',
    pattern: '^([0-9a-f]{4,32}|(local|[0-9a-f]{12}):.+)$',
    description: 'A flow id, or its first digits; or "local" or the id of a token, a colon, and a client id',
  },
  Count: { type: 'integer', minimum: 0 },
  Moment: { type: 'string', description: 'A revision, or an instant' },
  CriterionText: { type: 'string', description: 'A criterion as JSON', examples: ['{"field":"currency","is":"EUR"}'] },
}

type Tagged = t.Any & {
  readonly _tag?: string
  readonly type?: t.Any
  readonly types?: readonly t.Any[]
  readonly props?: Readonly<Record<string, t.Any>>
  readonly keys?: Readonly<Record<string, unknown>>
  readonly value?: unknown
  readonly codomain?: t.Any
}

const properties = (props: Readonly<Record<string, t.Any>>): Schema =>
  Object.fromEntries(Object.entries(props).map(([name, codec]) => [name, schemaOf(codec)]))

/** Members of an intersection of objects, as one object. */
const merged = (schemas: readonly Schema[]): Schema =>
  schemas.every(({ type }) => type === 'object')
    ? {
        type: 'object',
        properties: Object.assign({}, ...schemas.map((schema) => schema['properties'] ?? {})) as Schema,
        ...requiredOf(schemas.flatMap((schema) => (schema['required'] ?? []) as readonly string[])),
      }
    : { allOf: schemas }

const requiredOf = (names: readonly string[]): Schema => (names.length === 0 ? {} : { required: names })

export const schemaOf = (codec: t.Any): Schema => {
  const named = Object.hasOwn(byName, codec.name) ? byName[codec.name] : undefined
  if (named !== undefined) return named
  const { _tag: tag, type, types = [], props = {}, keys = {}, value, codomain } = codec as Tagged
  const inner = type ?? codomain
  switch (tag) {
    case 'StringType':
      return { type: 'string' }
    case 'NumberType':
      return { type: 'number' }
    case 'BooleanType':
      return { type: 'boolean' }
    case 'NullType':
      return { type: 'null' }
    case 'LiteralType':
      return { const: value }
    case 'KeyofType':
      return { type: 'string', enum: Object.keys(keys) }
    case 'ArrayType':
    case 'ReadonlyArrayType':
      return { type: 'array', items: inner === undefined ? {} : schemaOf(inner) }
    case 'InterfaceType':
    case 'StrictType':
      return { type: 'object', properties: properties(props), ...requiredOf(Object.keys(props)) }
    case 'PartialType':
      return { type: 'object', properties: properties(props) }
    case 'IntersectionType':
      return merged(types.map(schemaOf))
    case 'UnionType':
      return { anyOf: types.map(schemaOf) }
    case 'DictionaryType':
      return { type: 'object', additionalProperties: inner === undefined ? {} : schemaOf(inner) }
    case 'AnyDictionaryType':
      return { type: 'object' }
    case 'ExactType':
    case 'ReadonlyType':
    case 'RefinementType':
      return inner === undefined ? {} : schemaOf(inner)
    default:
      return {}
  }
}
