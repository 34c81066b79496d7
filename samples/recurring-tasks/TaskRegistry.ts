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
} from 'carillon'
import {
  CancelTask,
  Endow,
  Open,
  Reconfigure,
  ScheduleTask,
  StartTasks,
  StopTasks,
  type Cancelled,
  type Scheduled,
} from './flows/requests.js'
import { earliestSlot, timesOf, weightOf, type Action, type Task as TaskData } from './model/Task.js'
import { root, type AccountId, type Origin } from './model/Origin.js'
import type { Done, Outcome, Refused } from './model/Refusal.js'
import type { Registry as RegistryData } from './model/Registry.js'
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

  schedule(request: ScheduleTask): Promise<Outcome<Scheduled>> {
    return this.#ask(ScheduleTask, request)
  }

  /** The seeds' `scheduleNotifyTask`. */
  scheduleNotifyTask(origin: Origin, providedId: string, times: readonly UnixTime[], message: string) {
    const action = { kind: 'notify' as const, message }
    return this.schedule({ origin, providedId, schedule: { kind: 'fixed', times }, action })
  }

  /** The seeds' `scheduleNativeTransferTask`. */
  scheduleNativeTransferTask(
    origin: Origin,
    providedId: string,
    times: readonly UnixTime[],
    to: AccountId,
    amount: number,
  ) {
    const action = { kind: 'transfer' as const, to, amount }
    return this.schedule({ origin, providedId, schedule: { kind: 'fixed', times }, action })
  }

  cancel(origin: Origin, id: string): Promise<Outcome<Cancelled>> {
    return this.#ask(CancelTask, { origin, id })
  }

  stop(origin: Origin): Promise<Outcome<Done>> {
    return this.#ask(StopTasks, { origin })
  }

  start(origin: Origin): Promise<Outcome<Done>> {
    return this.#ask(StartTasks, { origin })
  }

  endow(account: AccountId, amount: number, origin: Origin = root): Promise<Outcome<Done>> {
    return this.#ask(Endow, { origin, account, amount })
  }

  reconfigure(settings: Settings, origin: Origin = root): Promise<Outcome<Done>> {
    return this.#ask(Reconfigure, { origin, settings })
  }

  async registry(): Promise<RegistryData> {
    const registry = await this.#node.find(Registry, theRegistry)
    if (registry === undefined) throw new Error('The registry has not been opened.')
    return registry.data
  }

  async sweeper() {
    const sweeper = await this.#node.find(Sweeper, theSweeper)
    if (sweeper === undefined) throw new Error('The registry has not been opened.')
    return sweeper.data
  }

  async balance(account: AccountId): Promise<number> {
    return (await this.#node.find(Account, account))?.data.free ?? 0
  }

  /** The first thousand accounts. */
  async accounts() {
    return (await this.#node.states(Account, { limit: 1_000 })).map(({ data }) => data)
  }

  async task(id: string): Promise<TaskData | undefined> {
    return (await this.#node.find(Task, id))?.data
  }

  async slot(at: UnixTime) {
    return (await this.#node.find(TimeSlot, String(at)))?.data
  }

  async taskQueue() {
    return (await this.#node.find(TaskQueue, theTaskQueue))?.data
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
