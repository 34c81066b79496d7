/**
 * Each room keeps its limits in a file of its own (`limits.ts`). Those that say how much a node does at once, or how long
 * it waits, can be given to a node when it starts. Those that say what data may look like are the same on every node.
 */
import { CarillonError } from './errors/CarillonError.js'

/** Limits with the names of `Defaults`, and any values. */
export type LimitsLike<Defaults> = { readonly [Name in keyof Defaults]: number }

/** The limits of a room: what was given, and the defaults for the rest. A name that does not exist, or a value that is not a whole number, is refused. */
export const limitsOf = <Defaults extends Readonly<Record<string, number>>>(
  room: string,
  defaults: Defaults,
  given: Partial<LimitsLike<Defaults>> = {},
): LimitsLike<Defaults> => {
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(defaults, name))
      throw new CarillonError(
        'definition-invalid',
        `There is no limit ${room}.${name}. The limits of ${room} are ${Object.keys(defaults).join(', ')}.`,
        { limit: `${room}.${name}` },
      )
    const least = name.endsWith('Ms') ? 0 : 1
    if (!Number.isSafeInteger(value) || Number(value) < least)
      throw new CarillonError(
        'definition-invalid',
        `The limit ${room}.${name} is ${String(value)}. Give a whole number of at least ${least}.`,
        { limit: `${room}.${name}` },
      )
  }
  return { ...defaults, ...given }
}
