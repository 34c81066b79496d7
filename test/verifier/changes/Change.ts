/** A change of a log, made by chance: what comes of it, and in words what was done. */
import type { Chance } from '../../../src/testing/simulation/Chance.js'
import type { FileTick, LogFile } from '../LogFile.js'

export type Changed<A> = { readonly log: A; readonly what: string }

export type Change<A> = (chance: Chance, log: A) => Changed<A>

/** A log whose ticks are others. */
export const withTicks = (log: LogFile, ticks: readonly FileTick[]): LogFile => ({ ...log, ticks })

/** A log with one tick changed. */
export const withTick = (log: LogFile, index: number, tick: Partial<FileTick>): LogFile =>
  withTicks(
    log,
    log.ticks.map((old, place) => (place === index ? { ...old, ...tick } : old)),
  )

/** Puts something into a list, at a place. */
export const inserted = <A>(list: readonly A[], index: number, ...added: readonly A[]): readonly A[] => [
  ...list.slice(0, index),
  ...added,
  ...list.slice(index),
]

/** A list with two places exchanged. */
export const exchanged = <A>(list: readonly A[], first: number, second: number): readonly A[] =>
  list.map((entry, index) => (index === first ? list[second] : index === second ? list[first] : entry) ?? entry)

/** A list without some of its entries. */
export const without = <A>(list: readonly A[], from: number, count = 1): readonly A[] => [
  ...list.slice(0, from),
  ...list.slice(from + count),
]

/** A list with another entry in one place, if it has that place. */
export const replaced = <A>(list: readonly A[], index: number, put: A): readonly A[] =>
  list.map((entry, place) => (place === index ? put : entry))
