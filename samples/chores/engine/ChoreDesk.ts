/**
 * The chores as one caller may use them: who may look, who may act. A refused call reaches neither the engine nor
 * the log, and every control that is let through is recorded under the caller's name.
 */
import type { Instant } from 'carillon'
import type { ChoreConfig } from './ChoreConfig.js'
import type { ChoreEngine } from './ChoreEngine.js'
import { ChoreRefused } from './ChoreRefused.js'
import type { ChoreStatus } from './ChoreStatus.js'
import type { Control } from './Control.js'
import { lampOf, type Lamp } from './lamps.js'
import type { RunLogEntry, RunLogQuery } from './RunLog.js'

export const permissionIds = { ManageChores: 18, ViewChores: 19 } as const
export type Permission = keyof typeof permissionIds

/** Who may do what. Controllers may do everything. */
export type Grants = {
  readonly controllers: readonly string[]
  readonly permissions: Readonly<Record<string, readonly Permission[]>>
}

const holds = (grants: Grants, caller: string, permission: Permission): boolean =>
  grants.controllers.includes(caller) ||
  (Object.hasOwn(grants.permissions, caller) && grants.permissions[caller]?.includes(permission) === true)

export class ChoreDesk {
  readonly #engine: ChoreEngine
  readonly #grants: Grants
  readonly #caller: string

  constructor(engine: ChoreEngine, grants: Grants, caller: string) {
    this.#engine = engine
    this.#grants = grants
    this.#caller = caller
  }

  // --- queries

  getChoreStatuses(): readonly ChoreStatus[] {
    this.#mustView()
    return this.#engine.getAllStatuses()
  }

  getChoreStatus(choreId: string): ChoreStatus | undefined {
    this.#mustView()
    return this.#engine.getStatus(choreId)
  }

  getChoreConfigs(): readonly (readonly [choreId: string, config: ChoreConfig])[] {
    this.#mustView()
    return this.#engine.getAllConfigs()
  }

  getChoreLog(choreId: string, query: RunLogQuery = {}): Promise<readonly RunLogEntry[]> {
    this.#mustView()
    return this.#engine.getRunLog(choreId, query)
  }

  getChoreLamp(choreId: string, now: Instant): Lamp {
    const status = this.getChoreStatus(choreId)
    return status === undefined ? 'Off' : lampOf(status, now)
  }

  // --- controls

  setChoreEnabled(choreId: string, enabled: boolean): Promise<void> {
    return this.control(choreId, { verb: enabled ? 'enable' : 'disable' })
  }

  setChoreInterval(choreId: string, seconds: number, maxSeconds: number | null = null): Promise<void> {
    return this.control(choreId, { verb: 'interval', seconds, maxSeconds })
  }

  setChoreTaskTimeout(choreId: string, seconds: number): Promise<void> {
    return this.control(choreId, { verb: 'timeout', seconds })
  }

  triggerChore(choreId: string): Promise<void> {
    return this.control(choreId, { verb: 'trigger' })
  }

  stopChore(choreId: string): Promise<void> {
    return this.control(choreId, { verb: 'stop-chore' })
  }

  async stopAllChores(): Promise<void> {
    this.#must('ManageChores')
    await this.#engine.stopAllChores({ by: this.#caller })
  }

  /** Any control: those above and start, schedule, pause, resume, stop and the rest. */
  async control(choreId: string, control: Control): Promise<void> {
    this.#must('ManageChores')
    await this.#engine.control(choreId, control, { by: this.#caller })
  }

  async createInstance(choreType: string, choreId: string, name: string): Promise<void> {
    this.#must('ManageChores')
    await this.#engine.createInstance(choreType, { choreId, name }, { by: this.#caller })
  }

  // --- parts

  #mustView(): void {
    if (!holds(this.#grants, this.#caller, 'ManageChores')) this.#must('ViewChores')
  }

  #must(permission: Permission): void {
    if (!holds(this.#grants, this.#caller, permission))
      throw new ChoreRefused(`${this.#caller} lacks the permission ${permission} (${permissionIds[permission]}).`)
  }
}
