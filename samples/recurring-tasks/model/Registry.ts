/**
 * The registry's own three states: its settings and switch, the sweeper that knows how far time has been worked off,
 * and the accounts of its small ledger.
 */
import * as t from 'io-ts'
import { InstantC, IntegerC, PartyC } from 'carillon'
import { record } from '../../shared/record.js'
import { AccountIdC } from './Origin.js'
import { SettingsC } from './Settings.js'

export const RegistryC = record('Registry', {
  operator: PartyC,
  settings: SettingsC,
  /** While true nothing is run and nothing moves; scheduling and cancelling still work. */
  stopped: t.boolean,
  /** Accounts that may stop and start tasks, besides root. */
  committee: t.readonlyArray(AccountIdC),
  /** Names of the flows a task may call. */
  callable: t.readonlyArray(t.string),
})
export type Registry = t.TypeOf<typeof RegistryC>

export const SweeperC = record('Sweeper', {
  operator: PartyC,
  /** The slot whose tasks were last put into the task queue. */
  lastTimeSlot: IntegerC,
  /** The last slot whose leftovers are in the missed queue. It lags behind while catching up. */
  lastMissedSlot: IntegerC,
  /** The first page of the missed queue, and the number the next page will get. */
  missedFirst: IntegerC,
  missedNext: IntegerC,
  /** When the last sweep was. */
  sweptAt: InstantC,
  /** When to sweep again, while there is something left to do. */
  nextSweepAt: t.union([InstantC, t.null]),
  /** Why the last sweep came to nothing; null when it went well. */
  failure: t.union([t.readonly(t.strict({ at: InstantC, error: t.string })), t.null]),
})
export type Sweeper = t.TypeOf<typeof SweeperC>

export const AccountC = record('Account', { operator: PartyC, id: AccountIdC, free: IntegerC })
export type Account = t.TypeOf<typeof AccountC>

/** Where fees go. */
export const treasury = 'treasury'

/** A call that a task has triggered and that has not come back yet. */
export const CallC = record('Call', {
  operator: PartyC,
  task: t.string,
  /** Which of the tasks that have had this id one after another. */
  incarnation: t.string,
  owner: AccountIdC,
  at: IntegerC,
  startAt: InstantC,
  flow: t.string,
  input: t.unknown,
})
export type Call = t.TypeOf<typeof CallC>

/** States stored before they had some fields. */
export const withFields =
  (fields: object) =>
  (older: unknown): unknown =>
    typeof older === 'object' && older !== null ? { ...older, ...fields } : older
