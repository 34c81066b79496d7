/**
 * What the input of a flow looks like, for whoever is to type one: its members, with something in their place that says
 * what belongs there. It need not be accepted as it stands.
 */
import type * as t from 'io-ts'
import { schemaOf, type Schema } from './jsonSchema.js'

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null

const firstOf = (list: unknown): unknown => (Array.isArray(list) ? (list as readonly unknown[])[0] : undefined)

const membersOf = (schema: Schema): Readonly<Record<string, unknown>> => {
  const { properties } = schema
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : []
  if (!isSchema(properties)) return {}
  const wanted = Object.entries(properties).filter(([name]) => required.includes(name))
  return Object.fromEntries(wanted.map(([name, member]) => [name, isSchema(member) ? sketch(member) : null]))
}

const sketch = (schema: Schema): unknown => {
  const { type, examples, enum: words, anyOf } = schema
  const given = firstOf(examples) ?? firstOf(words) ?? schema['const']
  if (given !== undefined) return given
  const alternative = firstOf(anyOf)
  if (isSchema(alternative)) return sketch(alternative)
  switch (type) {
    case 'string':
      return '…'
    case 'integer':
    case 'number':
      return 0
    case 'boolean':
      return true
    case 'array':
      return []
    case 'object':
      return membersOf(schema)
    default:
      return null
  }
}

/** What an input looks like. */
export const sketchOf = (input: t.Any): unknown => sketch(schemaOf(input))

/** The sketch as JSON. */
export const inputSketch = (input: t.Any): string => JSON.stringify(sketchOf(input))
