/**
 * The parts that a flow asks to be run side by side, checked: each has a name of its own and is a generator that nobody
 * runs yet, and they are no more, and no deeper, than a flow may have.
 */
import { CarillonError, type ErrorDetails } from '../errors/CarillonError.js'
import { flowLimits } from './limits.js'
import type { PartBody } from './Parts.js'

/** Generators that were given as parts: one generator cannot run in two places. */
const used = new WeakSet()

const isGenerator = (value: unknown): value is PartBody =>
  typeof value === 'object' &&
  value !== null &&
  Symbol.iterator in value &&
  ['next', 'throw', 'return'].every((name) => typeof Reflect.get(value, name) === 'function')

const shown = (value: unknown): string => {
  if (typeof value === 'function') return 'a function; call it'
  if (value instanceof Promise) return 'a promise; do what it does in a step'
  return value === null ? 'null' : `of type ${typeof value}`
}

/** The parts with their names, in order. `depth` is that of the part which asks, `open` how many the flow has already. */
export const partEntries = (
  kind: 'all' | 'race',
  parts: unknown,
  depth: number,
  open: number,
): readonly (readonly [string, PartBody])[] => {
  const refuse = (what: string, details: ErrorDetails = {}): never => {
    throw new CarillonError('flow-parts-invalid', what, { kind, ...details })
  }
  if (typeof parts !== 'object' || parts === null)
    return refuse(`io.${kind} needs parts with names: io.${kind}({ left: left(io), right: right(io) }).`)
  const given: readonly unknown[] = Array.isArray(parts) ? parts : Object.entries(parts)
  if (kind === 'race' && given.length === 0)
    return refuse('io.race was given no part, so no part could ever be first. Give it at least one.')
  if (depth >= flowLimits.partDepth)
    return refuse(`Parts would be nested ${depth + 1} deep; at most ${flowLimits.partDepth} are allowed.`, { depth })
  if (open + given.length > flowLimits.partsPerFlow)
    return refuse(
      `io.${kind} was given ${given.length} parts, and the flow has ${open} open; at most ${flowLimits.partsPerFlow} may be open at one time. Work in groups, or start flows of their own.`,
      { parts: given.length },
    )
  const names = new Set<string>()
  const entries = given.map((entry): readonly [string, PartBody] => {
    const [name, body] = Array.isArray(entry) ? (entry as readonly unknown[]) : []
    if (typeof name !== 'string')
      return refuse(`A list of parts for io.${kind} holds pairs of a name and a part: [['left', left(io)]].`)
    if (names.has(name))
      return refuse(`Two parts of io.${kind} are called "${name}". Give each its own name.`, { name })
    names.add(name)
    if (!isGenerator(body))
      return refuse(
        `Part "${name}" of io.${kind} is not a generator, but ${shown(body)}. A part is what an operation of io or a generator function returns, without yield*.`,
        { name },
      )
    if (used.has(body))
      return refuse(`Part "${name}" of io.${kind} was given as a part before. Make a new one each time.`, { name })
    return [name, body]
  })
  const bodies = new Set(entries.map(([, body]) => body))
  if (bodies.size < entries.length) return refuse(`Two parts of io.${kind} are the same generator. Make one for each.`)
  for (const body of bodies) used.add(body)
  return entries
}
