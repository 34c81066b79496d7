/**
 * The reusable engine. An app registers its chores, puts the engine's states, flows and projection into its own, starts
 * its node and connects the two; from then on the log is the only storage. Every method that changes something resolves
 * once the change is durable; queries see every change that was durable when they were asked.
 */
import { isRight } from 'fp-ts/lib/Either.js'
import {
  instantFromMillis,
  Refusal,
  sameRef,
  type AnyFlowDefinition,
  type AnyStateDefinition,
  type FlowDefinition,
  type Node,
} from 'carillon'
import type { AnyProjection } from 'carillon/projections'
import { Conductor, Scheduler, Task, type ChoreConfig } from './states.js'
import {
  ChoreRefused,
  errorText,
  faultOfDefinition,
  faultOfName,
  type ChoreDefinition,
  type TaskFunction,
} from './ChoreDefinition.js'
import { ChoresProjection, type Chore } from './ChoresProjection.js'
import { statusOf, type ChoreStatus } from './ChoreStatus.js'
import { defineConduct, ResumeRun } from './conductFlow.js'
import { faultOfControl, type Control } from './Control.js'
import { ControlChore, Fire, newChore, RegisterChores, type NewChore } from './schedulerFlows.js'
import { readRunLog, type RunLogEntry, type RunLogQuery } from './Happening.js'
import { defineRunTask } from './runTaskFlow.js'
import { Stage } from './Stage.js'

export type By = { readonly by?: string }

/** Chores registered in one transaction, which holds a bounded number of states. */
const choresPerRegistration = 200

export class ChoreEngine {
  readonly #stage = new Stage()
  readonly states: readonly AnyStateDefinition[] = [Scheduler, Conductor, Task]
  readonly flows: readonly AnyFlowDefinition[] = [
    ...[Fire, ControlChore, ResumeRun, RegisterChores],
    ...[defineConduct(this.#stage), defineRunTask(this.#stage)],
  ]
  readonly projections: readonly AnyProjection[] = [ChoresProjection]
  #node: Node | undefined

  // --- registration

  /** Makes a chore known; it reaches the ledger when the engine connects, or with the next resumeTimers. */
  registerChore(definition: ChoreDefinition): void {
    const fault = faultOfDefinition(definition)
    if (fault !== undefined) throw new ChoreRefused(fault)
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
    this.#node = node
    this.#stage.isCurrent = async (type, choreId, ref) => {
      const [current] = (await node.queryVault({ type, key: choreId, limit: 1 })).items
      return current !== undefined && sameRef(current.ref, ref)
    }
    await this.#register(await this.#chores())
  }

  /** The node that the chores work on. */
  get node(): Node {
    if (this.#node === undefined) throw new ChoreRefused('The chores are not connected to a node.')
    return this.#node
  }

  // --- timers

  /** Restarts runs that the last life of the process had begun, and arms what was cancelled. Once or often: the same. */
  async resumeTimers({ by = 'engine' }: By = {}): Promise<void> {
    const chores = await this.#chores()
    await this.#register(chores)
    const node = this.node
    const resumed = Array.from(chores, ([choreId, { scheduler, conductor }]) => {
      const { config, timer, nextScheduledRunAt } = scheduler.data
      const lacksTimer = config.enabled && !config.paused && timer === 'set' && nextScheduledRunAt === null
      return [
        ...(conductor === null ? [] : [node.run(ResumeRun, { choreId }, { by })]),
        ...(timer === 'cancelled' || lacksTimer ? [this.control(choreId, { verb: 'resume-timers' }, { by })] : []),
      ]
    })
    await Promise.all(resumed.flat())
  }

  /** For an emergency: cancels every timer and ends every run; schedules stay for {@link resumeTimers}. */
  async cancelAllTimers(by: By = {}): Promise<void> {
    await this.#controlAll({ verb: 'cancel-timers' }, by)
  }

  // --- controls

  async stopAllChores(by: By = {}): Promise<void> {
    await this.#controlAll({ verb: 'stop-chore' }, by)
  }

  /**
   * Whatever may be asked of one chore, as data; see Control. The default instance of a type can be deleted once its
   * definition is gone.
   */
  async control(choreId: string, control: Control, { by = 'api' }: By = {}): Promise<void> {
    if (control.verb === 'delete' && this.#stage.definitions.has(choreId))
      throw new ChoreRefused(`Chore ${choreId} is the default instance of its type and cannot be deleted.`)
    const fault = faultOfControl(control, instantFromMillis(this.node.nowMs))
    if (fault !== undefined) throw new ChoreRefused(fault)
    // A circuit breaker opens, however long its reason is.
    const asked = control.verb === 'break' ? { ...control, reason: errorText(control.reason) } : control
    const outcome = await this.#run(ControlChore, { choreId, control: asked, by }, by)
    if (outcome === 'run begun' || outcome === 'run ended') this.#stage.requestStop(choreId, outcome === 'run ended')
  }

  // --- instances

  /** A chore type may have many chores, each with its own settings, schedule and counts. */
  async createInstance(
    choreType: string,
    instance: { readonly choreId: string; readonly name: string },
    { by = 'api' }: By = {},
  ): Promise<void> {
    const { definitions } = this.#stage
    const definition = definitions.get(choreType)
    if (definition === undefined) throw new ChoreRefused(`There is no chore type ${choreType}.`)
    const fault =
      faultOfName('The id of a chore', instance.choreId) ?? faultOfName('The name of a chore', instance.name)
    if (fault !== undefined) throw new ChoreRefused(fault)
    await this.#run(RegisterChores, { chores: [newChore(definition, instance)], by }, by)
  }

  // --- queries

  async getStatus(choreId: string): Promise<ChoreStatus | undefined> {
    const chore = (await this.#chores()).get(choreId)
    return chore === undefined ? undefined : this.#statusOf(chore)
  }

  /** Every chore: types in the order they were registered, behind each its other instances as they were created. */
  async getAllStatuses(): Promise<readonly ChoreStatus[]> {
    return (await this.#inOrder()).map((chore) => this.#statusOf(chore))
  }

  async getConfig(choreId: string): Promise<ChoreConfig | undefined> {
    return (await this.#chores()).get(choreId)?.scheduler.data.config
  }

  async getAllConfigs(): Promise<readonly (readonly [choreId: string, config: ChoreConfig])[]> {
    return (await this.#inOrder()).map(({ scheduler: { data } }) => [data.choreId, data.config])
  }

  /** What happened to a chore, run by run, read from the node's log. */
  getRunLog(choreId: string, query: RunLogQuery = {}): Promise<readonly RunLogEntry[]> {
    return readRunLog(this.node, choreId, query)
  }

  // --- parts

  /** Every chore by its id, as of the last commit. */
  async #chores(): Promise<ReadonlyMap<string, Chore>> {
    const node = this.node
    const { chores } = await node.projection(ChoresProjection).readAt(node.head.revision)
    return new Map(Object.values(chores).map((chore) => [chore.scheduler.data.choreId, chore]))
  }

  #statusOf(chore: Chore): ChoreStatus {
    return statusOf(chore, this.#stage.definitions.get(chore.scheduler.data.choreType), this.#stage)
  }

  async #inOrder(): Promise<readonly Chore[]> {
    const places = new Map(Array.from(this.#stage.definitions.keys(), (type, place) => [type, place]))
    const placeOf = ({ scheduler: { data } }: Chore) => places.get(data.choreType) ?? places.size
    const chores = [...(await this.#chores()).values()]
    return chores.sort((a, b) => placeOf(a) - placeOf(b) || a.since - b.since)
  }

  async #controlAll(control: Control, by: By): Promise<void> {
    const chores = await this.#chores()
    await Promise.all(Array.from(chores.keys(), (choreId) => this.control(choreId, control, by)))
  }

  async #register(known: ReadonlyMap<string, Chore>): Promise<void> {
    const missing: NewChore[] = []
    for (const definition of this.#stage.definitions.values()) {
      const { id, name } = definition
      if (!known.has(id)) missing.push(newChore(definition, { choreId: id, name }))
    }
    for (let from = 0; from < missing.length; from += choresPerRegistration) {
      const chores = missing.slice(from, from + choresPerRegistration)
      await this.#run(RegisterChores, { chores, by: 'engine' }, 'engine')
    }
  }

  async #run<I, R>(flow: FlowDefinition<I, R, string>, input: I, by: string): Promise<R> {
    const outcome = await this.node.tryRun(flow, input, { by })()
    if (isRight(outcome)) return outcome.right
    throw outcome.left instanceof Refusal ? new ChoreRefused(outcome.left.refusal) : outcome.left
  }
}
