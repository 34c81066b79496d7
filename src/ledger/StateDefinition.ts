/**
 * The definition of a kind of state: its codec, who takes part in it, which contract governs it, and what it
 * asks for next. A definition is pure; everything it says is a function of the state's own data.
 */
import type { Option } from 'fp-ts/lib/Option.js'
import type * as t from 'io-ts'
import type { DurationLikeObject } from 'luxon'
import { CarillonError } from '../errors/CarillonError.js'
import { rememberPlace } from '../errors/codePlace.js'
import { ledgerLimits } from './limits.js'
import type { Party } from '../identity/Party.js'
import type { Activity } from './Activity.js'
import { assertName, assertVersion } from './assertName.js'
import { participantsSign, type ContractDefinition } from './Contract.js'
import type { IndexedValue } from './IndexedValue.js'
import type { StateRef } from './StateRef.js'

/** Who runs a state's activity: the first party, or the next one when the one before stays silent for so long. */
export type RunsOn = {
  readonly parties: readonly Party[]
  readonly takeoverAfter: DurationLikeObject
}

/** Brings data of the version it is filed under to the next version; both in encoded form. */
export type Upcaster = (older: unknown) => unknown

/** A kind of state. Make one with {@link defineState}. */
export type StateDefinition<A> = {
  readonly type: string
  readonly version: number
  readonly data: t.Type<A, unknown>
  readonly contract: ContractDefinition
  readonly participants: (data: A) => readonly Party[]
  readonly key: ((data: A) => string) | undefined
  readonly indexed: Readonly<Record<string, (data: A) => IndexedValue | undefined>> | undefined
  readonly nextScheduledActivity: ((data: A, ref: StateRef) => Option<Activity>) | undefined
  readonly isRelevant: ((data: A, me: Party) => boolean) | undefined
  readonly runsOn: ((data: A) => RunsOn) | undefined
  readonly upcasters: Readonly<Record<number, Upcaster>>
}

/** A kind of state that does not say yet what it asks for next. */
export type DefinedState<A> = StateDefinition<A> & {
  /**
   * The same kind of state, which asks for something: like `nextScheduledActivity` of {@link StateOptions}, for a state and a flow
   * that name each other. The compiler then knows the type of each without an annotation.
   */
  readonly withActivity: (next: (data: A, ref: StateRef) => Option<Activity>) => StateDefinition<A>
}

/** The part of a definition that a contract needs to find its states; it lets the two live in separate files. */
export type StateKind<A> = Pick<StateDefinition<A>, 'type' | 'data'>

/** A definition whose data type is of no interest, as registries hold it. */
// oxlint-disable-next-line typescript/no-explicit-any -- definitions are contravariant in their data; `any` is the only type all of them fit
export type AnyStateDefinition = StateDefinition<any>

/** What an app writes to define a state. */
export type StateOptions<A> = {
  /** A name that stays the same for ever, such as `heartbeat/Heartbeat`. */
  readonly type: string
  /** Counts up when the codec changes; older data goes through `upcasters`. Default 1. */
  readonly version?: number
  /** The io-ts codec of the data. */
  readonly data: t.Type<A, unknown>
  /** The rules. Default: every participant of a consumed or produced state must sign. */
  readonly contract?: ContractDefinition
  /** Whom the state concerns. */
  readonly participants: (data: A) => readonly Party[]
  /**
   * What the state is known by, such as an account's number: a flow finds it by this key however many states there
   * are, and a node never holds two unconsumed states of one type with the same key. Only states that are relevant to the
   * party have one. Default: none.
   */
  readonly key?: (data: A) => string
  /**
   * What states of this kind can be found and sorted by, however many there are: for each name, its value in the data;
   * undefined where a state has none. The values are recorded with the state. Default: none, at no cost.
   */
  readonly indexed?: Readonly<Record<string, (data: A) => IndexedValue | undefined>>
  /** What the state asks for next. It must depend on the state alone: reading a clock here is a defect. */
  readonly nextScheduledActivity?: (data: A, ref: StateRef) => Option<Activity>
  /** Whether this node's party cares about the state. Default: it is a participant. */
  readonly isRelevant?: (data: A, me: Party) => boolean
  /**
   * Who runs the activity: `parties` in order, and how long each is waited for before the next one runs it (`takeoverAfter`;
   * of a single party it has no effect). Default: every participant's node.
   */
  readonly runsOn?: (data: A) => RunsOn
  /** For each earlier version, the step to the version after it. */
  readonly upcasters?: Readonly<Record<number, Upcaster>>
}

const fieldName = /^[A-Za-z][A-Za-z0-9_]{0,49}$/

const assertIndexed = (type: string, names: readonly string[]): void => {
  const odd = names.find((name) => !fieldName.test(name))
  if (odd === undefined && names.length <= ledgerLimits.indexedFields) return
  throw new CarillonError(
    'definition-invalid',
    odd === undefined
      ? `State ${type} has ${names.length} indexed fields; at most ${ledgerLimits.indexedFields} are allowed. Index only what states are searched by.`
      : `State ${type} has an indexed field "${odd}". The name of one begins with a letter, has letters, digits and _ only, and at most 50 of them.`,
    { type },
  )
}

/** Defines a kind of state. Names and versions are checked at once; whatever else can go wrong has its own error. */
export const defineState = <A>(options: StateOptions<A>): DefinedState<A> => {
  assertName('state', options.type)
  const version = options.version ?? 1
  assertVersion('State', options.type, version)
  for (let older = 1; older < version; older++) {
    if (options.upcasters?.[older] === undefined) {
      throw new CarillonError(
        'definition-invalid',
        `State ${options.type} is at version ${version} but has no upcaster from version ${older}. Add upcasters: { ${older}: (older) => … }.`,
        { type: options.type },
      )
    }
  }
  assertIndexed(options.type, Object.keys(options.indexed ?? {}))
  const definition = {
    type: options.type,
    version,
    data: options.data,
    contract: options.contract ?? participantsSign,
    participants: options.participants,
    key: options.key,
    indexed: options.indexed,
    nextScheduledActivity: options.nextScheduledActivity,
    isRelevant: options.isRelevant,
    runsOn: options.runsOn,
    upcasters: options.upcasters ?? {},
  }
  const withActivity: DefinedState<A>['withActivity'] = (next) => {
    if (definition.nextScheduledActivity !== undefined)
      throw new CarillonError(
        'definition-invalid',
        `State ${options.type} says twice what it asks for: in nextScheduledActivity and in withActivity. Keep one of them.`,
        { type: options.type },
      )
    return Object.freeze(rememberPlace({ ...definition, nextScheduledActivity: next }, withActivity))
  }
  return Object.freeze(rememberPlace({ ...definition, withActivity }, defineState))
}
