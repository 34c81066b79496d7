/**
 * The registry as a program uses it: schedule, cancel, stop and start, and ask. Every request is answered once it is
 * durable, with what was done or the name of the reason why not.
 */
import { isRight } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { CarillonError, Refusal, type AnyFlowDefinition, type FlowDefinition, type Node, type Page } from 'carillon'
import type { StateAndRef, StateDefinition } from 'carillon'
import { CancelTask, Endow, Open, Reconfigure, ScheduleTask, StartTasks, StopTasks } from './flows/requests.js'
import { earliestSlot, timesOf, weightOf, type Action, type Task as TaskData } from './model/Task.js'
import { root, type AccountId, type Origin } from './model/Origin.js'
import type { Refused } from './model/Refusal.js'
import { defaultSettings, type Settings } from './model/Settings.js'
import { hasRoom, isReserved, slotOf, type UnixTime } from './model/slots.js'
import { Account, MissedPage, Registry, Sweeper, Task, TaskQueue, TimeSlot } from './states.js'
import { theRegistry, theSweeper, theTaskQueue } from './states.js'

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

/** The requests; `by` says who asks, for the log. */
const requestsTo = (node: Node, by: string | undefined) => {
  const ask = async <I, A>(flow: FlowDefinition<I, A, Refused>, input: I): Promise<A | Refused> => {
    const asked = await node.tryRun(flow, input, by === undefined ? {} : { by })()
    if (isRight(asked)) return asked.right
    if (asked.left instanceof Refusal) return asked.left.refusal
    throw asked.left
  }
  const schedule = (request: ScheduleTask) => ask(ScheduleTask, request)
  const fixed = (origin: Origin, providedId: string, times: readonly UnixTime[], action: Action) =>
    schedule({ origin, providedId, schedule: { kind: 'fixed', times }, action })
  return {
    ask,
    schedule,
    /** The seeds' `scheduleNotifyTask`. */
    scheduleNotifyTask: (origin: Origin, id: string, times: readonly UnixTime[], message: string) =>
      fixed(origin, id, times, { kind: 'notify', message }),
    /** The seeds' `scheduleNativeTransferTask`. */
    scheduleNativeTransferTask: (
      origin: Origin,
      id: string,
      times: readonly UnixTime[],
      to: AccountId,
      amount: number,
    ) => fixed(origin, id, times, { kind: 'transfer', to, amount }),
    cancel: (origin: Origin, id: string) => ask(CancelTask, { origin, id }),
    stop: (origin: Origin) => ask(StopTasks, { origin }),
    start: (origin: Origin) => ask(StartTasks, { origin }),
    endow: (account: AccountId, amount: number, origin: Origin = root) => ask(Endow, { origin, account, amount }),
    reconfigure: (settings: Settings, origin: Origin = root) => ask(Reconfigure, { origin, settings }),
  }
}

/** What there is to see. */
const viewOf = (node: Node) => {
  const find = async <A>(definition: StateDefinition<A>, key: string): Promise<A | undefined> =>
    (await node.find(definition, key))?.data
  const must = async <A>(definition: StateDefinition<A>, key: string): Promise<A> => {
    const found = await find(definition, key)
    if (found === undefined) throw new Error('The registry has not been opened.')
    return found
  }
  const registry = () => must(Registry, theRegistry)
  const sweeper = () => must(Sweeper, theSweeper)
  const slot = (at: UnixTime) => find(TimeSlot, String(at))
  const taskQueue = () => find(TaskQueue, theTaskQueue)
  /** The missed queue, page by page in the order in which it is reported. */
  const missedQueue = async () => {
    const pages = await node.states(MissedPage, { limit: pageSize })
    return pages.map(({ data }) => data).sort((a, b) => a.page - b.page)
  }

  /** Tasks by owner, status and due time, one page after another. */
  const tasks = async function* (query: TaskQuery = {}): AsyncGenerator<TaskView> {
    const { lastTimeSlot } = await sweeper()
    const queued = new Set((await taskQueue())?.tasks)
    const missed = new Set((await missedQueue()).flatMap((page) => page.tasks))
    for (let after: string | undefined = '0'; after !== undefined;) {
      const page: Page<StateAndRef<TaskData>, string> = await node.query(Task, { limit: pageSize, after })
      after = page.next
      for (const { data: task } of page.items) {
        const status = queued.has(task.id) ? 'queued' : missed.has(task.id) ? 'missed' : 'scheduled'
        const due = timesOf(task.schedule).find((time) => time > lastTimeSlot)
        if (task.owner !== (query.owner ?? task.owner) || status !== (query.status ?? status)) continue
        if (query.dueBefore === undefined || (due !== undefined && due < query.dueBefore))
          yield { ...task, status, due }
      }
    }
  }

  /** The first of them. */
  const firstTasks = async (most: number, query: TaskQuery = {}): Promise<readonly TaskView[]> => {
    const found: TaskView[] = []
    for await (const task of tasks(query)) if (found.push(task) === most) break
    return found
  }

  /** The next slots that still take a task, for whoever looks for a time. */
  const nextFreeSlots = async (
    count: number,
    now: UnixTime,
    action: Action = { kind: 'notify', message: '…' },
  ): Promise<readonly UnixTime[]> => {
    const { settings, operator } = await registry()
    const last = slotOf(now, settings) + settings.horizonSeconds
    const first = earliestSlot({ now, settings, swept: (await sweeper()).lastTimeSlot })
    const free: UnixTime[] = []
    for (let at = first; free.length < count && at <= last; at += settings.slotSeconds) {
      const booked = (await slot(at)) ?? { operator, at, tasks: [], weight: 0 }
      if (!isReserved(at, settings) && hasRoom(booked, weightOf(action, settings), settings)) free.push(at)
    }
    return free
  }

  return {
    ...{ registry, sweeper, slot, taskQueue, missedQueue, tasks, firstTasks, nextFreeSlots },
    task: (id: string) => find(Task, id),
    balance: async (account: AccountId) => (await find(Account, account))?.free ?? 0,
    /** The first thousand accounts. */
    accounts: async () => (await node.states(Account, { limit: 1_000 })).map(({ data }) => data),
  }
}

export type TaskRegistry = ReturnType<typeof requestsTo> & ReturnType<typeof viewOf>

/** The registry of a node that has one, to be asked; `by` says who asks, for the log. */
const on = (node: Node, by?: string): TaskRegistry => ({ ...requestsTo(node, by), ...viewOf(node) })

/** Opens the registry on a node; on a node that has one, its settings stay as they are. */
const open = async (
  node: Node,
  {
    settings = defaultSettings,
    committee = [],
    callable = [],
  }: {
    readonly settings?: Settings
    readonly committee?: readonly AccountId[]
    readonly callable?: readonly AnyFlowDefinition[]
  } = {},
): Promise<TaskRegistry> => {
  const anyones = callable.find(({ clients }) => clients)
  if (anyones !== undefined)
    throw new CarillonError(
      'recurring-tasks/callable-by-anyone',
      `Tasks are to call ${anyones.name}, but clients may start it, too, and name any owner. Add clients: false to its definition.`,
      { flow: anyones.name },
    )
  const registry = on(node)
  const opened = await registry.ask(Open, { settings, committee, callable: callable.map(({ name }) => name) })
  if (!opened.ok) throw new Error(`The registry cannot be opened: ${opened.error}. ${opened.why}`)
  return registry
}

export const TaskRegistry = { open, on }
