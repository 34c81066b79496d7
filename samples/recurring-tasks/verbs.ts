/**
 * The registry for people and programs, on the command line (`carillon tasks list`) and over HTTP
 * (`POST /api/v1/verbs/tasks/list`). Whoever may act as root names the account he acts for; anybody else is the account
 * that has the name of his token.
 */
import { fromNullable, isRight } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { CarillonError, instant, instantFromMillis, JsonC, type Json, type Node } from 'carillon'
import {
  defineVerb,
  defineVerbs,
  type Verb,
  type VerbAnswer,
  type VerbAsked,
  type VerbCaller,
  type VerbOptions,
} from 'carillon/http'
import { plain } from '../shared/plain.js'
import { fromText, optional, WholeC } from '../shared/words.js'
import { inWords, readEvents, type TaskEvent } from './events.js'
import { closed } from './model/closed.js'
import { accountOf, root, signed, type Origin } from './model/Origin.js'
import { succeeded, type Outcome } from './model/Refusal.js'
import { instantOf, unixTime, type UnixTime } from './model/slots.js'
import { taskIdOf, type Action, type ScheduleRequest } from './model/Task.js'
import { TaskRegistry, TaskStatusC } from './TaskRegistry.js'

const wrong = (why: string): CarillonError => new CarillonError('usage', why)

const JsonTextC = fromText('JSON, such as {}', JsonC.is, (text): unknown => JSON.parse(text))

const TimeC = fromText('Unix seconds, or an instant such as 2026-01-31T09:00Z', t.number.is, (text) =>
  /^\d{1,12}$/.test(text) ? Number(text) : unixTime(instant(text)),
)

const freeSlots = (node: Node, count: number): Promise<readonly UnixTime[]> =>
  TaskRegistry.on(node).nextFreeSlots(count, unixTime(instantFromMillis(node.nowMs)))

/** `next`, the first free slot, `next+2`, the third, or times; several with commas between. */
const slotsOf = async (node: Node, text: string): Promise<readonly UnixTime[]> => {
  const words = text.split(',')
  const free = words.some((word) => word.startsWith('next')) ? await freeSlots(node, 100) : []
  return words.map((word) => {
    const [next, places = 0] = /^next(?:\+(\d{1,2}))?$/.exec(word) ?? []
    const slot = next === undefined ? TimeC.decode(word) : fromNullable(word)(free[Number(places)])
    if (isRight(slot)) return slot.right
    throw wrong(`"${word}" is no free slot, and neither Unix seconds nor an instant such as 2026-01-31T09:00Z.`)
  })
}

const mayBeRoot = ({ may }: VerbCaller): boolean => may('tasks:root')

/** Whom a request is made for. */
const originOf = (caller: VerbCaller, as: string | undefined): Origin => {
  const own = accountOf(caller.by)
  if (as === undefined || as === own) return signed(own)
  if (!mayBeRoot(caller)) throw new CarillonError('recurring-tasks/refused', `NotAllowed. You are ${own}, not ${as}.`)
  return as === 'root' ? root : signed(as)
}

const taskOf = (text: string): string => {
  const [, owner, id] = /^([^/]+)\/(.+)$/.exec(text) ?? []
  return owner === undefined || id === undefined ? text : taskIdOf(owner, id)
}

const table = <A extends Json>(rows: readonly A[], lineOf: (row: A) => string, none: string): VerbAnswer => ({
  lines: rows.length === 0 ? [none] : rows.map(lineOf),
  data: rows,
})

const asOption = { name: 'as', value: 'account', summary: 'act for this account, or root, if you may' }
const ownerOption = { name: 'owner', value: 'account', summary: 'only of this account' }
const as = { as: optional(t.string) }
const owner = { owner: optional(t.string) }

/** More would not fit one answer. */
const most = 1_000

/** Words that a verb does not know are refused: a misspelt one would be passed over in silence. */
const verb = <I>(options: VerbOptions<I>): Verb => defineVerb({ ...options, input: closed(options.input) })

/** A verb that looks. */
const look = <I>(options: Omit<VerbOptions<I>, 'live' | 'permission'>): Verb =>
  verb({ ...options, live: true, permission: 'tasks:view' })

const looking: readonly Verb[] = [
  look({
    name: 'list',
    summary: 'tasks by owner, status and due time',
    options: [
      ownerOption,
      { name: 'status', value: 'status', summary: 'scheduled, queued or missed' },
      { name: 'due-before', value: 'time', summary: 'only tasks due before' },
    ],
    input: t.strict({ ...owner, status: t.union([TaskStatusC, t.undefined]), 'due-before': optional(TimeC) }),
    handle: async ({ node, input: { 'due-before': dueBefore, ...query } }) => {
      const tasks = await TaskRegistry.on(node).firstTasks(most, { ...query, dueBefore })
      const rows = tasks.map(({ id, owner: by, providedId, status, due, action: { kind } }) => ({
        ...{ id, task: `${by}/${providedId}`, status, action: kind },
        due: due === undefined ? '-' : instantOf(due),
      }))
      const line = ({ id, task, status, due, action }: (typeof rows)[number]): string =>
        `${task}  ${status}  due ${due}  ${action}  ${id}`
      return table(rows, line, 'There are no tasks.')
    },
  }),
  look({
    name: 'slots',
    summary: 'the next free time slots',
    options: [{ name: 'count', value: 'number', summary: 'how many', default: '5' }],
    input: t.strict({ count: WholeC }),
    handle: async ({ node, input: { count } }) =>
      table(
        await freeSlots(node, Math.min(count, most)),
        (slot) => `${slot}  ${instantOf(slot)}`,
        'No slot within the horizon is free.',
      ),
  }),
  look({
    name: 'events',
    summary: 'what the registry has told, the latest last',
    options: [ownerOption, { name: 'last', value: 'number', summary: 'how many', default: '50' }],
    input: t.strict({ ...owner, last: WholeC }),
    handle: async ({ node, input }) => {
      const count = Math.min(input.last, most)
      let events: TaskEvent[] = []
      for await (const event of readEvents(node)) {
        if (input.owner === undefined || event.who === input.owner) events.push(event)
        if (events.length > 2 * most) events = events.slice(-most)
      }
      return table(count === 0 ? [] : events.slice(-count), inWords, 'Nothing has happened yet.')
    },
  }),
  look({
    name: 'balances',
    summary: 'what each account has',
    input: t.strict({}),
    handle: async ({ node }) => {
      const accounts = (await TaskRegistry.on(node).accounts()).map(({ id, free }) => ({ account: id, free }))
      return table(accounts, ({ account, free }) => `${account}  ${free}`, 'No account has money. See: tasks endow')
    },
  }),
  look({
    name: 'missed',
    summary: 'the missed queue, oldest first: what is still to be reported',
    input: t.strict({}),
    handle: async ({ node }) => {
      const rows = (await TaskRegistry.on(node).missedQueue()).flatMap(({ at, tasks }) =>
        tasks.map((task) => ({ slot: instantOf(at), task })),
      )
      return table(rows.slice(0, most), ({ slot, task }) => `${slot}  ${task}`, 'The missed queue is empty.')
    },
  }),
  look({
    name: 'status',
    summary: 'whether tasks run, and how the last sweep went',
    input: t.strict({}),
    handle: async ({ node }) => {
      const registry = TaskRegistry.on(node)
      const { stopped, settings } = await registry.registry()
      const { sweptAt, nextSweepAt, failure } = await registry.sweeper()
      const queued = (await registry.taskQueue())?.tasks.length ?? 0
      const missed = (await registry.missedQueue()).reduce((sum, { tasks }) => sum + tasks.length, 0)
      return {
        lines: [
          `tasks are ${stopped ? 'stopped' : 'running'}, in slots of ${settings.slotSeconds} s`,
          `queued ${queued}, missed and not yet reported ${missed}`,
          `last sweep ${sweptAt}, next ${nextSweepAt ?? 'with the next slot'}`,
          ...(failure === null ? [] : [`SWEEP FAILED at ${failure.at}: ${failure.error}`]),
        ],
        data: { stopped, slotSeconds: settings.slotSeconds, queued, missed, sweptAt, nextSweepAt, failure },
      }
    },
  }),
]

/** A verb that asks for something, as whoever asks: what came of it, in a line, or the refusal as an error. */
const request = <I, A extends object>(
  options: Omit<VerbOptions<I>, 'handle'> & {
    readonly ask: (registry: TaskRegistry, asked: VerbAsked<I>) => Promise<Outcome<A>>
    readonly told: (answer: A, asked: VerbAsked<I>) => string | Promise<string>
  },
): Verb =>
  verb({
    ...options,
    handle: async (asked) => {
      const answer = succeeded(await options.ask(TaskRegistry.on(asked.node, asked.by), asked))
      return { lines: [await options.told(answer, asked)], data: plain(answer) }
    },
  })

const scheduleC = t.strict({
  ...as,
  id: t.string,
  times: t.string,
  every: optional(WholeC),
  message: optional(t.string),
  to: optional(t.string),
  amount: optional(WholeC),
  call: optional(t.string),
  input: optional(JsonTextC),
  abort: optional(t.string),
})
type Schedule = t.TypeOf<typeof scheduleC>

const scheduleOf = (times: readonly UnixTime[], frequency: number | undefined): ScheduleRequest => {
  if (frequency === undefined) return { kind: 'fixed', times }
  const [next, ...others] = times
  if (next === undefined || others.length > 0) throw wrong('--every needs one time, the first.')
  return { kind: 'recurring', next, frequency }
}

const actionOf = ({ message, to, amount, call, input }: Schedule): Action => {
  const kinds = [message, to ?? amount, call ?? input].filter((word) => word !== undefined).length
  if (kinds > 1) throw wrong('Give --message, or --to and --amount, or --call and --input, and only one of the three.')
  if (call !== undefined) return { kind: 'call', flow: call, input: input ?? {} }
  if (to !== undefined) return { kind: 'transfer', to, amount: amount ?? 0 }
  if (kinds === 1 && message === undefined) throw wrong('--amount needs --to, and --input needs --call.')
  return { kind: 'notify', message: message ?? 'hello' }
}

const asking: readonly Verb[] = [
  request({
    name: 'schedule',
    permission: 'tasks:manage',
    summary: 'schedule a notification, a transfer (--to, --amount), or a call (--call, --input)',
    arguments: [
      { name: 'id', summary: 'an id of your own' },
      { name: 'times', summary: 'next, next+2, 2026-01-31T09:00Z or Unix seconds; several with commas between' },
    ],
    options: [
      asOption,
      { name: 'every', value: 'seconds', summary: 'again and again, from the time given' },
      { name: 'message', value: 'text', summary: 'what to notify; hello, if nothing is said' },
      { name: 'to', value: 'account', summary: 'transfer to this account instead' },
      { name: 'amount', value: 'amount', summary: 'how much to transfer' },
      { name: 'call', value: 'flow', summary: 'call this flow instead' },
      { name: 'input', value: 'json', summary: 'what the flow is called with' },
      { name: 'abort', value: 'errors', summary: 'errors that end a recurring task; several with commas between' },
    ],
    input: scheduleC,
    ask: async (registry, asked) => {
      const { id: providedId, every, abort } = asked.input
      const times = await slotsOf(asked.node, asked.input.times)
      const outcome = await registry.schedule({
        origin: originOf(asked, asked.input.as),
        providedId,
        schedule: scheduleOf(times, every),
        action: actionOf(asked.input),
        abortErrors: abort?.split(',') ?? [],
      })
      return outcome.ok ? { ...outcome, times } : outcome
    },
    told: ({ id, times, fee }) => `Booked for ${times.map(instantOf).join(', ')}, for ${fee}. Task ${id}`,
  }),
  request({
    name: 'cancel',
    permission: 'tasks:manage',
    summary: 'cancel a task; nothing is refunded',
    arguments: [{ name: 'task', summary: 'its task id, or owner/id' }],
    options: [asOption],
    input: t.strict({ ...as, task: t.string }),
    ask: (registry, asked) => registry.cancel(originOf(asked, asked.input.as), taskOf(asked.input.task)),
    told: ({ unused }) => `Cancelled, with ${unused} executions unused.`,
  }),
  ...(['stop', 'start'] as const).map((name) =>
    request({
      name,
      permission: 'any',
      summary: name === 'stop' ? 'stop all tasks: what falls due meanwhile is missed' : 'start tasks again',
      input: t.strict({}),
      ask: async (registry, asked) => {
        if (!mayBeRoot(asked) && !asked.may('tasks:committee'))
          throw new CarillonError('permission-missing', 'This needs the permission tasks:root or tasks:committee.')
        return registry[name](mayBeRoot(asked) ? root : signed(accountOf(asked.by)))
      },
      told: () => `Tasks are ${name === 'stop' ? 'stopped' : 'running'}.`,
    }),
  ),
  request({
    name: 'endow',
    permission: 'tasks:root',
    summary: 'give an account money',
    arguments: [
      { name: 'account', summary: 'the account' },
      { name: 'amount', summary: 'how much, in base units; a notification costs 12,000' },
    ],
    input: t.strict({ account: t.string, amount: WholeC }),
    ask: (registry, { input: { account, amount } }) => registry.endow(account, amount, root),
    told: async (_, { node, input: { account } }) => `${account} has ${await TaskRegistry.on(node).balance(account)}.`,
  }),
]

const verbs: readonly Verb[] = [...looking, ...asking]

/** One of the verbs, for other surfaces. */
export const verbNamed = (name: string): Verb => {
  const found = verbs.find(({ description }) => description.name === name)
  if (found === undefined) throw new Error(`There is no verb ${name}.`)
  return found
}

export const tasksVerbs = defineVerbs({
  name: 'tasks',
  summary: 'schedule tasks, and see what becomes of them',
  verbs,
})
