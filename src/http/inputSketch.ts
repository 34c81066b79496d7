/**
 * What the input of a flow looks like, for whoever is to type one: its members, with something in their place that says
 * what belongs there. It need not be accepted as it stands.
 */
import type * as t from 'io-ts'
import { schemaOf, type Schema } from './jsonSchema.js'

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null

const firstOf = (list: unknown): unknown => (Array.isArray(list) ? (list as readonly unknown[])[0] : undefined)

/** The schema that references inside are about: the nearest around with an address of its own. */
type Around = { readonly root: Schema; readonly depth: number }

/** A schema that contains itself is sketched so far. */
const deepest = 12

const membersOf = (schema: Schema, around: Around): Readonly<Record<string, unknown>> => {
  const { properties } = schema
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : []
  if (!isSchema(properties)) return {}
  const wanted = Object.entries(properties).filter(([name]) => required.includes(name))
  return Object.fromEntries(wanted.map(([name, member]) => [name, isSchema(member) ? sketch(member, around) : null]))
}

const referred = (reference: string, { root }: Around): unknown => {
  const definitions = root['$defs']
  if (reference === '#') return root
  return isSchema(definitions) ? definitions[reference.replace('#/$defs/', '')] : undefined
}

/** Zero, or the whole number nearest to it that is allowed. */
const numberWithin = ({ minimum, exclusiveMinimum, maximum, exclusiveMaximum }: Schema): number => {
  const from = typeof minimum === 'number' ? Math.ceil(minimum) : -Infinity
  const above = typeof exclusiveMinimum === 'number' ? Math.floor(exclusiveMinimum) + 1 : -Infinity
  const to = typeof maximum === 'number' ? Math.floor(maximum) : Infinity
  const below = typeof exclusiveMaximum === 'number' ? Math.ceil(exclusiveMaximum) - 1 : Infinity
  return Math.min(Math.max(0, from, above), to, below)
}

const sketch = (schema: Schema, outside: Around): unknown => {
  const around = { root: '$id' in schema ? schema : outside.root, depth: outside.depth + 1 }
  const { type, examples, enum: words, anyOf, oneOf, $ref: reference } = schema
  const given = firstOf(examples) ?? firstOf(words) ?? schema['const']
  if (given !== undefined) return given
  const meant = typeof reference === 'string' ? referred(reference, around) : (firstOf(anyOf) ?? firstOf(oneOf))
  if (isSchema(meant)) return around.depth > deepest ? null : sketch(meant, around)
  switch (type) {
    case 'string':
      return '…'
    case 'integer':
    case 'number':
      return numberWithin(schema)
    case 'boolean':
      return true
    case 'array':
      return []
    case 'object':
      return membersOf(schema, around)
    default:
      return null
  }
}

/** What an input looks like. */
export const sketchOf = (input: t.Any): unknown => {
  const root = schemaOf(input)
  return sketch(root, { root, depth: 0 })
}

/** The sketch as JSON. */
export const inputSketch = (input: t.Any): string => JSON.stringify(sketchOf(input))
