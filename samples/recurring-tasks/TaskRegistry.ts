/**
 * The registry as a program uses it: schedule, cancel, stop and start, and ask. Every request is answered once it is
 * durable, with what was done or the name of the reason why not.
 */
import { isRight } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import {
  CarillonError,
  Refusal,
  type AnyFlowDefinition,
  type FlowDefinition,
  type Node,
  type StateAndRef,
  type StateDefinition,
} from 'carillon'
import { CancelTask, Endow, Open, Reconfigure, ScheduleTask, StartTasks, StopTasks } from './flows/requests.js'
import { earliestSlot, timesOf, weightOf, type Action, type Task as TaskData } from './model/Task.js'
import { root, type AccountId, type Origin } from './model/Origin.js'
import type { Refused } from './model/Refusal.js'
import { defaultSettings, type Settings } from './model/Settings.js'
import { hasRoom, isReserved, slotOf, type UnixTime } from './model/slots.js'
import {
  Account,
  MissedPage,
  Registry,
  Sweeper,
  Task,
  TaskQueue,
  theRegistry,
  theSweeper,
  theTaskQueue,
  TimeSlot,
} from './states.js'

/** `scheduled`: in slots to come. `queued`: its slot is running. `missed`: a slot passed it by, to be reported. */
export const TaskStatusC = t.keyof({ scheduled: null, queued: null, missed: null }, 'TaskStatus')
export type TaskStatus = t.TypeOf<typeof TaskStatusC>

export type TaskView = TaskData & {
  readonly status: TaskStatus
  /** The next slot it is due in; undefined when none is left. */
  readonly due: UnixTime | undefined
}

export type TaskQuery = {
  readonly owner?: AccountId | undefined
  readonly status?: TaskStatus | undefined
  /** Only tasks due before this time. */
  readonly dueBefore?: UnixTime | undefined
}

const pageSize = 500

export class TaskRegistry {
  readonly #node: Node
  readonly #by: string | undefined

  private constructor(node: Node, by?: string) {
    this.#node = node
    this.#by = by
  }

  /** Opens the registry on a node; on a node that has one, its settings stay as they are. */
  static async open(
    node: Node,
    options: {
      readonly settings?: Settings
      readonly committee?: readonly AccountId[]
      readonly callable?: readonly AnyFlowDefinition[]
    } = {},
  ): Promise<TaskRegistry> {
    const anyones = options.callable?.find(({ clients }) => clients)
    if (anyones !== undefined)
      throw new CarillonError(
        'recurring-tasks/callable-by-anyone',
        `Tasks are to call ${anyones.name}, but clients may start it, too, and name any owner. Add clients: false to its definition.`,
        { flow: anyones.name },
      )
    const registry = new TaskRegistry(node)
    const opened = await registry.#ask(Open, {
      settings: options.settings ?? defaultSettings,
      committee: options.committee ?? [],
      callable: (options.callable ?? []).map(({ name }) => name),
    })
    if (!opened.ok) throw new Error(`The registry cannot be opened: ${opened.error}. ${opened.why}`)
    return registry
  }

  /** The registry of a node that has one, to be asked; `by` says who asks, for the log. */
  static on(node: Node, by?: string): TaskRegistry {
    return new TaskRegistry(node, by)
  }

  async #ask<I, A>(flow: FlowDefinition<I, A, Refused>, input: I): Promise<A | Refused> {
    const asked = await this.#node.tryRun(flow, input, this.#by === undefined ? {} : { by: this.#by })()
    if (isRight(asked)) return asked.right
    if (asked.left instanceof Refusal) return asked.left.refusal
    throw asked.left
  }

  schedule(request: ScheduleTask) {
    return this.#ask(ScheduleTask, request)
  }

  #schedule(origin: Origin, providedId: string, times: readonly UnixTime[], action: Action) {
    return this.schedule({ origin, providedId, schedule: { kind: 'fixed', times }, action })
  }

  /** The seeds' `scheduleNotifyTask`. */
  scheduleNotifyTask(origin: Origin, id: string, times: readonly UnixTime[], message: string) {
    return this.#schedule(origin, id, times, { kind: 'notify', message })
  }

  /** The seeds' `scheduleNativeTransferTask`. */
  scheduleNativeTransferTask(origin: Origin, id: string, times: readonly UnixTime[], to: AccountId, amount: number) {
    return this.#schedule(origin, id, times, { kind: 'transfer', to, amount })
  }

  cancel(origin: Origin, id: string) {
    return this.#ask(CancelTask, { origin, id })
  }

  stop(origin: Origin) {
    return this.#ask(StopTasks, { origin })
  }

  start(origin: Origin) {
    return this.#ask(StartTasks, { origin })
  }

  endow(account: AccountId, amount: number, origin: Origin = root) {
    return this.#ask(Endow, { origin, account, amount })
  }

  reconfigure(settings: Settings, origin: Origin = root) {
    return this.#ask(Reconfigure, { origin, settings })
  }

  async #find<A>(definition: StateDefinition<A>, key: string): Promise<A | undefined> {
    return (await this.#node.find(definition, key))?.data
  }

  async #must<A>(definition: StateDefinition<A>, key: string): Promise<A> {
    const found = await this.#find(definition, key)
    if (found === undefined) throw new Error('The registry has not been opened.')
    return found
  }

  registry() {
    return this.#must(Registry, theRegistry)
  }

  sweeper() {
    return this.#must(Sweeper, theSweeper)
  }

  task(id: string) {
    return this.#find(Task, id)
  }

  slot(at: UnixTime) {
    return this.#find(TimeSlot, String(at))
  }

  taskQueue() {
    return this.#find(TaskQueue, theTaskQueue)
  }

  async balance(account: AccountId): Promise<number> {
    return (await this.#find(Account, account))?.free ?? 0
  }

  /** The first thousand accounts. */
  async accounts() {
    return (await this.#node.states(Account, { limit: 1_000 })).map(({ data }) => data)
  }

  /** The missed queue, page by page in the order in which it is reported. */
  async missedQueue() {
    const pages = await this.#node.states(MissedPage, { limit: pageSize })
    return pages.map(({ data }) => data).sort((a, b) => a.page - b.page)
  }

  /** Tasks by owner, status and due time, one page after another. */
  async *tasks(query: TaskQuery = {}): AsyncGenerator<TaskView> {
    const { lastTimeSlot } = await this.sweeper()
    const queued = new Set((await this.taskQueue())?.tasks)
    const missed = new Set((await this.missedQueue()).flatMap(({ tasks }) => tasks))
    let after: string | undefined = '0'
    while (after !== undefined) {
      const from: string = after
      const page = await this.#node.queryVault({ type: Task.type, limit: pageSize, after: from })
      after = page.next
      for (const { ref } of page.items) {
        const found: StateAndRef<TaskData> | undefined = await this.#node.state(Task, ref)
        if (found === undefined) continue
        const { id, schedule, owner } = found.data
        const status = queued.has(id) ? 'queued' : missed.has(id) ? 'missed' : 'scheduled'
        const due = timesOf(schedule).find((time) => time > lastTimeSlot)
        if (query.owner !== undefined && owner !== query.owner) continue
        if (query.status !== undefined && status !== query.status) continue
        if (query.dueBefore !== undefined && (due === undefined || due >= query.dueBefore)) continue
        yield { ...found.data, status, due }
      }
    }
  }

  /** The next slots that still take a task, for whoever looks for a time. */
  async nextFreeSlots(
    count: number,
    now: UnixTime,
    action: Action = { kind: 'notify', message: '…' },
  ): Promise<readonly UnixTime[]> {
    const { settings, operator } = await this.registry()
    const current = slotOf(now, settings)
    const first = earliestSlot({ now, settings, swept: (await this.sweeper()).lastTimeSlot })
    const free: UnixTime[] = []
    for (let at = first; free.length < count && at <= current + settings.horizonSeconds; at += settings.slotSeconds) {
      const slot = (await this.slot(at)) ?? { operator, at, tasks: [], weight: 0 }
      if (!isReserved(at, settings) && hasRoom(slot, weightOf(action, settings), settings)) free.push(at)
    }
    return free
  }
}
