/**
 * The reusable engine. An app registers its chores, puts the engine's states and flows into its own, starts its node
 * and connects the two; from then on the log is the only storage. Every method that changes something resolves once
 * the change is durable; queries answer from the last commit.
 */
import { CarillonError, type AnyFlowDefinition, type AnyStateDefinition, type Instant, type Node } from 'carillon'
import type { ChoreConfig } from './ChoreConfig.js'
import type { ChoreDefinition, TaskFunction } from './ChoreDefinition.js'
import { ChoreRefused } from './ChoreRefused.js'
import { runtimeStateOf, statusOf, type ChoreRuntimeState, type ChoreStatus } from './ChoreStatus.js'
import { ChoreView, type ChoreStates } from './ChoreView.js'
import { defineConduct } from './conductFlow.js'
import { Conductor } from './ConductorState.js'
import type { Control } from './Control.js'
import { ControlChore } from './controlFlow.js'
import { Fire } from './fireFlow.js'
import type { Happening } from './Happening.js'
import { newChore, RegisterChores, type NewChore } from './registerFlow.js'
import { ResumeRun } from './resumeFlow.js'
import { readRunLog, type RunLogEntry, type RunLogQuery } from './RunLog.js'
import { defineRunTask } from './runTaskFlow.js'
import { Scheduler } from './SchedulerState.js'
import { Stage } from './Stage.js'
import { Task } from './TaskState.js'

export type By = { readonly by?: string }

/** Chores registered in one transaction, which holds a bounded number of states. */
const choresPerRegistration = 200

const stops: ReadonlySet<Happening['kind']> = new Set(['run-stopped'])

export class ChoreEngine {
  readonly #stage = new Stage()
  readonly states: readonly AnyStateDefinition[] = [Scheduler, Conductor, Task]
  readonly flows: readonly AnyFlowDefinition[] = [
    ...[Fire, ControlChore, ResumeRun, RegisterChores],
    ...[defineConduct(this.#stage), defineRunTask(this.#stage)],
  ]
  #lastRegistration: Promise<void> = Promise.resolve()
  #connection: { readonly node: Node; readonly view: ChoreView; readonly unfollow: () => void } | undefined

  // --- registration

  /** Makes a chore known; it reaches the ledger when the engine connects, or with the next resumeTimers. */
  registerChore(definition: ChoreDefinition): void {
    if (this.#stage.definitions.has(definition.id))
      throw new ChoreRefused(`There is a chore ${definition.id} already; give this one another id.`)
    this.#stage.definitions.set(definition.id, definition)
  }

  /** For a conductor, before it returns: the task it wants started. */
  setPendingTask(choreId: string, taskId: string, run: TaskFunction): void {
    this.#stage.setPendingTask(choreId, taskId, run)
  }

  /** Puts the engine to work on a node. Call it after each start of the node, and {@link resumeTimers} after it. */
  async connect(node: Node): Promise<void> {
    this.disconnect()
    const stage = this.#stage
    const followed = await ChoreView.follow(node, {
      consumed: (ref) => {
        stage.abandon(ref)
      },
      happened: ({ kind, choreId }) => {
        if (stops.has(kind)) stage.requestStop(choreId, true)
        if (kind === 'run-started') stage.requestStop(choreId, false)
      },
    })
    stage.isCurrent = (ref) => followed.view.isCurrent(ref)
    this.#connection = { node, ...followed }
    await this.#register()
  }

  /** Lets go of a node that has stopped. */
  disconnect(): void {
    this.#connection?.unfollow()
    this.#connection = undefined
    this.#stage.isCurrent = () => true
  }

  // --- timers

  /** Restarts runs that the last life of the process had begun, and arms what was cancelled. Once or often: the same. */
  async resumeTimers({ by = 'engine' }: By = {}): Promise<void> {
    const { node, view } = this.#connected
    await this.#register()
    const resumed = view.choreIds().flatMap((choreId) => {
      const { scheduler, conductor } = this.#states(choreId)
      const { config, timer, nextScheduledRunAt } = scheduler.data
      const lacksTimer = config.enabled && !config.paused && timer === 'set' && nextScheduledRunAt === null
      return [
        ...(conductor === undefined ? [] : [node.run(ResumeRun, { conductor: conductor.ref }, { by })]),
        ...(timer === 'cancelled' || lacksTimer ? [this.control(choreId, { verb: 'resume-timers' }, { by })] : []),
      ]
    })
    await Promise.all(resumed)
  }

  /** For an emergency: cancels every timer and ends every run; schedules stay for {@link resumeTimers}. */
  async cancelAllTimers(by: By = {}): Promise<void> {
    await this.#controlAll({ verb: 'cancel-timers' }, by)
  }

  // --- controls

  setEnabled(choreId: string, enabled: boolean, by: By = {}): Promise<void> {
    return this.control(choreId, { verb: enabled ? 'enable' : 'disable' }, by)
  }

  /** The run that is booked keeps its time; the one after it uses the new interval. */
  setInterval(choreId: string, seconds: number, by: By & { readonly maxSeconds?: number } = {}): Promise<void> {
    return this.control(choreId, { verb: 'interval', seconds, maxSeconds: by.maxSeconds ?? null }, by)
  }

  setTaskTimeout(choreId: string, seconds: number, by: By = {}): Promise<void> {
    return this.control(choreId, { verb: 'timeout', seconds }, by)
  }

  /** Runs the chore now: also one that is stopped, which then runs once and stays stopped. */
  trigger(choreId: string, by: By = {}): Promise<void> {
    return this.control(choreId, { verb: 'trigger' }, by)
  }

  start(choreId: string, by: By = {}): Promise<void> {
    return this.control(choreId, { verb: 'start' }, by)
  }

  scheduleStart(choreId: string, at: Instant, by: By = {}): Promise<void> {
    return this.control(choreId, { verb: 'schedule', at }, by)
  }

  setNextScheduledRun(choreId: string, at: Instant, by: By = {}): Promise<void> {
    return this.control(choreId, { verb: 'next-run', at }, by)
  }

  pause(choreId: string, by: By = {}): Promise<void> {
    return this.control(choreId, { verb: 'pause' }, by)
  }

  resume(choreId: string, by: By = {}): Promise<void> {
    return this.control(choreId, { verb: 'resume' }, by)
  }

  /** Ends the chore's life: disabled, nothing booked, nothing under way. */
  stop(choreId: string, by: By = {}): Promise<void> {
    return this.control(choreId, { verb: 'stop' }, by)
  }

  /** The emergency stop: nothing under way and nothing armed, until the chore is enabled or triggered again. */
  stopChore(choreId: string, by: By = {}): Promise<void> {
    return this.control(choreId, { verb: 'stop-chore' }, by)
  }

  /** The circuit breaker: whatever watches over the chores opens it, and a person must let the chore go on. */
  openBreaker(choreId: string, reason: string, by: By = {}): Promise<void> {
    return this.control(choreId, { verb: 'break', reason }, by)
  }

  async stopAllChores(by: By = {}): Promise<void> {
    await this.#controlAll({ verb: 'stop-chore' }, by)
  }

  /** Any control, as data. */
  async control(choreId: string, control: Control, { by = 'api' }: By = {}): Promise<void> {
    const { node } = this.#connected
    const { scheduler, conductor } = this.#states(choreId)
    const where = { scheduler: scheduler.ref, conductor: conductor?.ref ?? null }
    const outcome = await node.run(ControlChore, { where, control, by }, { by }).catch((error: unknown) => {
      throw error instanceof CarillonError && error.code === 'flow-threw' ? new ChoreRefused(error.message) : error
    })
    if (outcome === 'gone') throw new ChoreRefused(`There is no chore ${choreId} any more.`)
  }

  // --- instances

  /** A chore type may have many chores, each with its own settings, schedule and counts. */
  async createInstance(
    choreType: string,
    instance: { readonly choreId: string; readonly name: string },
    { by = 'api' }: By = {},
  ): Promise<void> {
    const definition = this.#stage.definitions.get(choreType)
    if (definition === undefined) throw new ChoreRefused(`There is no chore type ${choreType}.`)
    await this.#inTurn(async () => {
      const { node, view } = this.#connected
      if (view.find(instance.choreId) !== undefined || this.#stage.definitions.has(instance.choreId))
        throw new ChoreRefused(`There is a chore ${instance.choreId} already; choose another id.`)
      const serial = Math.max(0, ...this.listInstances(choreType).map(({ data }) => data.serial)) + 1
      await node.run(RegisterChores, { chores: [newChore(definition, { ...instance, serial })], by }, { by })
    })
  }

  renameInstance(choreId: string, name: string, by: By = {}): Promise<void> {
    return this.control(choreId, { verb: 'rename', name }, by)
  }

  /** The chore must be stopped. */
  deleteInstance(choreId: string, by: By = {}): Promise<void> {
    return this.control(choreId, { verb: 'delete' }, by)
  }

  /** The chores of a type, the default one first, the others in the order they were created. */
  listInstances(choreType: string): readonly ChoreStates['scheduler'][] {
    const { view } = this.#connected
    return view
      .choreIds()
      .flatMap((choreId) => view.find(choreId)?.scheduler ?? [])
      .filter(({ data }) => data.choreType === choreType)
      .sort((a, b) => a.data.serial - b.data.serial)
  }

  // --- queries

  getStatus(choreId: string): ChoreStatus | undefined {
    const states = this.#connected.view.find(choreId)
    if (states === undefined) return undefined
    return statusOf(states, this.#stage.definitions.get(states.scheduler.data.choreType), this.#stage)
  }

  /** Every chore: types in the order they were registered, instances behind their type. */
  getAllStatuses(): readonly ChoreStatus[] {
    return this.#inOrder().flatMap((choreId) => this.getStatus(choreId) ?? [])
  }

  getConfig(choreId: string): ChoreConfig | undefined {
    return this.#connected.view.find(choreId)?.scheduler.data.config
  }

  getAllConfigs(): readonly (readonly [choreId: string, config: ChoreConfig])[] {
    return this.#inOrder().flatMap((choreId) => {
      const config = this.getConfig(choreId)
      return config === undefined ? [] : [[choreId, config] as const]
    })
  }

  getRuntimeState(choreId: string): ChoreRuntimeState | undefined {
    const states = this.#connected.view.find(choreId)
    return states === undefined ? undefined : runtimeStateOf(states, this.#stage)
  }

  /** What happened to a chore, run by run, read from the node's log. */
  getRunLog(choreId: string, query: RunLogQuery = {}): Promise<readonly RunLogEntry[]> {
    return readRunLog(this.#connected.node, choreId, query)
  }

  // --- parts

  get #connected() {
    if (this.#connection === undefined) throw new ChoreRefused('The chores are not connected to a node.')
    return this.#connection
  }

  #states(choreId: string): ChoreStates {
    const states = this.#connected.view.find(choreId)
    if (states === undefined) throw new ChoreRefused(`There is no chore ${choreId}.`)
    return states
  }

  #inOrder(): readonly string[] {
    const { view } = this.#connected
    const places = new Map(Array.from(this.#stage.definitions.keys(), (type, place) => [type, place]))
    const placeOf = (type: string) => places.get(type) ?? places.size
    return view
      .choreIds()
      .flatMap((choreId) => view.find(choreId)?.scheduler.data ?? [])
      .sort((a, b) => placeOf(a.choreType) - placeOf(b.choreType) || a.serial - b.serial)
      .map(({ choreId }) => choreId)
  }

  async #controlAll(control: Control, by: By): Promise<void> {
    await Promise.all(this.#connected.view.choreIds().map((choreId) => this.control(choreId, control, by)))
  }

  #register(): Promise<void> {
    return this.#inTurn(async () => {
      const { node, view } = this.#connected
      const missing: NewChore[] = []
      for (const definition of this.#stage.definitions.values()) {
        const { id, name } = definition
        if (view.find(id) === undefined) missing.push(newChore(definition, { choreId: id, name, serial: 0 }))
      }
      for (let from = 0; from < missing.length; from += choresPerRegistration) {
        const chores = missing.slice(from, from + choresPerRegistration)
        await node.run(RegisterChores, { chores, by: 'engine' }, { by: 'engine' })
      }
    })
  }

  /** New chores come one after the other: whether an id is free must still hold when it is taken. */
  async #inTurn(register: () => Promise<void>): Promise<void> {
    const turn = this.#lastRegistration.then(register)
    this.#lastRegistration = turn.catch(() => undefined)
    await turn
  }
}
