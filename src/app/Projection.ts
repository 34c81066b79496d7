/**
 * A projection: a result of one's own that is folded from the public events of the log. It can always be thrown away and
 * folded again, so `evolve` depends on the result so far and the event alone.
 */
import type * as t from 'io-ts'
import type { Json } from '../encoding/canonical.js'
import type { Hash } from '../encoding/hash.js'
import { CarillonError } from '../errors/CarillonError.js'
import { assertName, assertVersion } from '../ledger/assertName.js'
import { publicEventTypes, type PublicEvent, type PublicEventType } from '../log/PublicEvent.js'

/** Where a projection stands in the log: the last tick that it has taken in. */
export type ProjectionCheckpoint = { readonly revision: number; readonly hash: Hash }

/** What is kept of a projection. Result and checkpoint are one: neither is ever saved without the other. */
export type SavedProjection = {
  readonly version: number
  readonly result: Json
  readonly checkpoint: ProjectionCheckpoint
}

/** A place where results are kept. It has to save result and checkpoint together, or neither. */
export type ProjectionStore = {
  /** What was saved last under a name. */
  readonly load: (name: string) => Promise<SavedProjection | undefined>
  /**
   * Saves, if what is saved still stands at `replaces` (undefined: nothing is saved). False when it does not: another process
   * runs the same projection, and this one stops.
   */
  readonly save: (name: string, saved: SavedProjection, replaces: ProjectionCheckpoint | undefined) => Promise<boolean>
  readonly close?: () => Promise<void>
}

/** A projection whose result is a value. Make one with {@link defineProjection}. */
export type ValueProjection<R> = {
  readonly kind: 'value'
  readonly name: string
  readonly version: number
  readonly types: readonly PublicEventType[] | undefined
  readonly init: () => R
  readonly evolve: (result: R, event: PublicEvent) => R
  readonly codec: t.Type<R, unknown> | undefined
  readonly store: 'memory' | 'sqlite' | ProjectionStore
}

/** Takes events into a place that keeps the checkpoint itself, such as tables of a database. */
export type ProjectionTarget = {
  /**
   * Where it stands; undefined when it has taken in nothing yet. Called before `apply`, and again when the place could not be
   * reached. `isInLog` tells whether the node's log holds a checkpoint; where it does not, the projection is not run.
   */
  readonly open: (isInLog: (at: ProjectionCheckpoint) => Promise<boolean>) => Promise<ProjectionCheckpoint | undefined>
  /**
   * Takes in events and moves the checkpoint, both or neither, if it still stands at `from`. False when it does not: another
   * process runs the same projection.
   */
  readonly apply: (
    events: readonly PublicEvent[],
    to: ProjectionCheckpoint,
    from: ProjectionCheckpoint | undefined,
  ) => Promise<boolean>
  /** Called when it has caught up with the log: from now on it answers instead of an older version. */
  readonly caughtUp: () => Promise<void>
  readonly close: () => Promise<void>
}

/** A projection whose result lies in a place of its own, such as tables of PostgreSQL. */
export type TargetProjection = {
  readonly kind: 'target'
  readonly name: string
  readonly version: number
  readonly types: readonly PublicEventType[] | undefined
  readonly openTarget: () => ProjectionTarget
}

/** A projection of whatever result. */
// The result is only ever handed from one function of a projection to the other.
// oxlint-disable-next-line typescript/no-explicit-any -- an unknown result would not fit the parameter of `evolve`
export type AnyProjection = ValueProjection<any> | TargetProjection

/** What an app developer writes. */
export type ProjectionOptions<R, T extends PublicEventType> = {
  /** A name that stays the same for ever. */
  readonly name: string
  /** A higher version is folded anew from the first event; the older result answers until it has caught up. Default 1. */
  readonly version?: number
  /** The events it is folded from. Default: all public events. */
  readonly types?: readonly T[]
  /** The result before the first event. */
  readonly init: () => R
  /** The result after an event. It may change the result it is given and return it. */
  readonly evolve: (result: R, event: PublicEvent & { readonly type: T }) => R
  /**
   * Reads and writes the result where it is kept. Needed when it is not plain data, such as a Map; and when a version
   * changes its shape, so that a result of the old shape is not taken for one of the new. Default: plain data, as it is.
   */
  readonly codec?: t.Type<R, unknown>
  /**
   * Where the result is kept over a restart: in memory (it is folded anew at every start), in the folder of the store, or in
   * a place of one's own. Default `sqlite`, the folder; a node without a folder keeps it in memory.
   */
  readonly store?: 'memory' | 'sqlite' | ProjectionStore
}

export const assertProjection = (name: string, version: number, types: readonly string[] | undefined): void => {
  assertName('projection', name)
  assertVersion('Projection', name, version)
  const unknown = types?.find((type) => !publicEventTypes.some((known) => known === type))
  if (unknown !== undefined)
    throw new CarillonError(
      'definition-invalid',
      `Projection ${name} asks for ${unknown}, which is no public event. There are: ${publicEventTypes.join(', ')}.`,
      { projection: name, type: unknown },
    )
}

/** Defines a projection whose result is a value: plain data, unless it is kept in memory. */
export const defineProjection = <R, T extends PublicEventType = PublicEventType>(
  options: ProjectionOptions<R, T>,
): ValueProjection<R> => {
  const { name, version = 1, types, init, evolve, codec, store = 'sqlite' } = options
  assertProjection(name, version, types)
  return Object.freeze({
    kind: 'value',
    name,
    version,
    types,
    init,
    // Events of other types never reach it.
    evolve: evolve as (result: R, event: PublicEvent) => R,
    codec,
    store,
  })
}
