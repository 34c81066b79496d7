/**
 * A value that a JSON Schema describes, made up. What the schema says of the form of a text or in `not` is left to chance,
 * so whoever asks tries again when the value does not fit.
 */
import type { JsonSchema } from '../../encoding/fromStandardSchema.js'
import type { Material } from './valueFor.js'

/** There is no value to be had. */
export const noValue = Symbol('no value')

/** How a text or a number is made up, which depends on the name of its member. */
export type MadeUp = {
  readonly text: () => string
  readonly number: (name: string) => number
}

const isSchema = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as readonly unknown[]) : [])

const deepest = 12

export const valueForSchema = (root: JsonSchema, material: Material, madeUp: MadeUp): unknown => {
  const { chance, now } = material

  const textAs = (format: unknown): string => {
    if (format === 'date-time') return now
    if (format === 'date') return now.slice(0, 10)
    if (format === 'uuid') return `00000000-0000-4000-8000-${String(chance.between(0, 9)).padStart(12, '0')}`
    return format === 'email' ? `${madeUp.text()}@example.org` : madeUp.text()
  }

  const numberIn = (schema: JsonSchema, name: string): number => {
    const bound = (key: string): number | undefined => (typeof schema[key] === 'number' ? schema[key] : undefined)
    const from = bound('minimum') ?? (bound('exclusiveMinimum') ?? -Infinity) + 1
    const to = bound('maximum') ?? (bound('exclusiveMaximum') ?? Infinity) - 1
    return Math.min(Math.max(madeUp.number(name), Math.ceil(from)), Math.floor(to))
  }

  const objectOf = (schema: JsonSchema, depth: number): unknown => {
    const made: Record<string, unknown> = {}
    const required = listOf(schema['required'])
    for (const [name, member] of Object.entries(isSchema(schema['properties']) ? schema['properties'] : {})) {
      const mustBe = required.includes(name)
      if (!mustBe && chance.oneIn(2)) continue
      const value = make(isSchema(member) ? member : {}, name, depth)
      if (value !== noValue) made[name] = value
      else if (mustBe) return noValue
    }
    return made
  }

  const listFor = (schema: JsonSchema, name: string, depth: number): unknown => {
    const first = listOf(schema['prefixItems']).map((item) => make(isSchema(item) ? item : {}, name, depth))
    const least = typeof schema['minItems'] === 'number' ? schema['minItems'] : 1
    const { items } = schema
    const others = isSchema(items)
      ? Array.from({ length: chance.between(least, least + 1) }, () => make(items, name, depth))
      : []
    const all = [...first, ...others.filter((item) => item !== noValue)]
    return all.includes(noValue) ? noValue : all
  }

  const make = (schema: JsonSchema, name: string, above: number): unknown => {
    const depth = above + 1
    if (depth > deepest) return noValue
    const { type, const: only, enum: words, $ref: reference, examples } = schema
    if (only !== undefined) return only
    const given = [...listOf(words), ...listOf(examples)]
    if (given.length > 0) return chance.pick(given)
    if (reference === '#') return make(root, name, depth)
    if (typeof reference === 'string') {
      const { $defs: definitions } = root
      const meant = isSchema(definitions) ? definitions[reference.replace('#/$defs/', '')] : undefined
      return isSchema(meant) ? make(meant, name, depth) : noValue
    }
    const alternatives = [...listOf(schema['anyOf']), ...listOf(schema['oneOf'])].filter(isSchema)
    if (alternatives.length > 0) return make(chance.pick(alternatives), name, depth)
    const all = listOf(schema['allOf']).filter(isSchema)
    if (all.length > 0) {
      const parts = all.map((part) => make(part, name, depth))
      return parts.includes(noValue) ? noValue : (Object.assign({}, ...parts) as unknown)
    }
    switch (Array.isArray(type) ? chance.pick(listOf(type)) : type) {
      case 'string':
        return textAs(schema['format'])
      case 'integer':
      case 'number':
        return numberIn(schema, name)
      case 'boolean':
        return chance.oneIn(2)
      case 'null':
        return null
      case 'array':
        return listFor(schema, name, depth)
      case 'object':
        return objectOf(schema, depth)
      default:
        return madeUp.text()
    }
  }

  return make(root, '', 0)
}
