/**
 * The chores as one caller may use them: who may look, who may act. A refused call reaches neither the engine nor
 * the log, and every control that is let through is recorded under the caller's name.
 */
import type { VerbCaller } from 'carillon/http'
import type { ChoreConfig } from './states.js'
import type { ChoreEngine } from './ChoreEngine.js'
import { ChoreRefused } from './ChoreDefinition.js'
import type { ChoreStatus } from './ChoreStatus.js'
import type { Control } from './Control.js'
import type { RunLogEntry, RunLogQuery } from './Happening.js'

/** What a token must allow. Whoever may manage may view, too; the local owner may do everything. */
export const choresPermissions = { view: 'chores:view', manage: 'chores:manage' } as const

/** Who asks, and what he may do: as a verb is told. */
export type Caller = VerbCaller

export class ChoreDesk {
  readonly #engine: ChoreEngine
  readonly #caller: Caller

  constructor(engine: ChoreEngine, caller: Caller) {
    this.#engine = engine
    this.#caller = caller
  }

  // --- queries

  async getChoreStatuses(): Promise<readonly ChoreStatus[]> {
    return this.#viewed.getAllStatuses()
  }

  async getChoreStatus(choreId: string): Promise<ChoreStatus | undefined> {
    return this.#viewed.getStatus(choreId)
  }

  async getChoreConfigs(): Promise<readonly (readonly [choreId: string, config: ChoreConfig])[]> {
    return this.#viewed.getAllConfigs()
  }

  async getChoreLog(choreId: string, query: RunLogQuery = {}): Promise<readonly RunLogEntry[]> {
    return this.#viewed.getRunLog(choreId, query)
  }

  // --- controls

  async setChoreEnabled(choreId: string, enabled: boolean): Promise<void> {
    await this.control(choreId, { verb: enabled ? 'enable' : 'disable' })
  }

  async setChoreInterval(choreId: string, seconds: number): Promise<void> {
    await this.control(choreId, { verb: 'interval', seconds })
  }

  async setChoreTaskTimeout(choreId: string, seconds: number): Promise<void> {
    await this.control(choreId, { verb: 'timeout', seconds })
  }

  async triggerChore(choreId: string): Promise<void> {
    await this.control(choreId, { verb: 'trigger' })
  }

  async stopChore(choreId: string): Promise<void> {
    await this.control(choreId, { verb: 'stop-chore' })
  }

  async stopAllChores(): Promise<void> {
    await this.#managed.stopAllChores(this.#caller)
  }

  /** Any control: those above and start, schedule, pause, resume, stop and the rest. */
  async control(choreId: string, control: Control): Promise<void> {
    await this.#managed.control(choreId, control, this.#caller)
  }

  async createInstance(choreType: string, choreId: string, name: string): Promise<void> {
    await this.#managed.createInstance(choreType, { choreId, name }, this.#caller)
  }

  // --- parts

  get #viewed(): ChoreEngine {
    const { view, manage } = choresPermissions
    return this.#caller.may(manage) ? this.#engine : this.#allowed(view)
  }

  get #managed(): ChoreEngine {
    return this.#allowed(choresPermissions.manage)
  }

  #allowed(permission: string): ChoreEngine {
    const { by, may } = this.#caller
    if (!may(permission)) throw new ChoreRefused(`${by} lacks the permission ${permission}.`)
    return this.#engine
  }
}
