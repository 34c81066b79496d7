/**
 * The chores as one caller may use them: who may look, who may act. A refused call reaches neither the engine nor the
 * log. Give the caller to every control as well: it is recorded under his name.
 */
import type { VerbCaller } from 'carillon/http'
import { ChoreRefused } from './ChoreDefinition.js'
import type { ChoreEngine } from './ChoreEngine.js'

/** What a token must allow. Whoever may manage may view, too; the local owner may do everything. */
export const choresPermissions = { view: 'chores:view', manage: 'chores:manage' } as const

/** Who asks, and what he may do: as a verb is told. */
export type Caller = VerbCaller

const { view, manage } = choresPermissions

const assertMay = ({ by, may }: Caller, needed: string): void => {
  if (!may(needed)) throw new ChoreRefused(`${by} lacks the permission ${needed}.`)
}

/** The engine, for a caller who may look. */
export const toView = (
  engine: ChoreEngine,
  caller: Caller,
): Pick<ChoreEngine, 'getStatus' | 'getAllStatuses' | 'getAllConfigs' | 'getRunLog'> => {
  if (!caller.may(manage)) assertMay(caller, view)
  return engine
}

/** The engine, for a caller who may act. */
export const toManage = (engine: ChoreEngine, caller: Caller): ChoreEngine => {
  assertMay(caller, manage)
  return engine
}
