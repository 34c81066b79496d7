/**
 * The registry on the command line, `carillon tasks list` and so on: what `main.ts` offers too. Whoever may act as root
 * names the account he acts for; anybody else is the account that has the name of his token.
 */
import * as t from 'io-ts'
import { CarillonError, instant, instantFromMillis, type Node } from 'carillon'
import { defineVerb, defineVerbs, type Verb, type VerbAnswer, type VerbCaller } from 'carillon/http'
import { taskIdOf, type Action, type ScheduleRequest } from './model/Task.js'
import { accountOf, root, signed, type Origin } from './model/Origin.js'
import type { Outcome } from './model/Refusal.js'
import { inWords, readEvents, type TaskEvent } from './events.js'
import { instantOf, unixTime, type UnixTime } from './model/slots.js'
import { TaskRegistry, type TaskStatus } from './TaskRegistry.js'

type Json = VerbAnswer['data']

const wrong = (why: string): CarillonError => new CarillonError('usage', why)

const whole = (name: string, text: string): number => {
  const value = Number(text)
  if (!/^\d{1,15}$/.test(text)) throw wrong(`${name}: "${text}" is not a whole number.`)
  return value
}

const moment = (text: string): UnixTime => {
  if (/^\d{1,12}$/.test(text)) return Number(text)
  try {
    return unixTime(instant(text))
  } catch (error) {
    throw wrong(`"${text}" is neither Unix seconds nor an instant such as 2026-01-31T09:00Z. ${String(error)}`)
  }
}

const nowOf = (node: Node): UnixTime => unixTime(instantFromMillis(node.nowMs))

/** `next`, the first free slot, `next+2`, the third, or times; several with commas between. */
const slotsOf = async (node: Node, text: string): Promise<readonly UnixTime[]> => {
  const free = /\bnext\b/.test(text) ? await TaskRegistry.on(node).nextFreeSlots(100, nowOf(node)) : []
  return text.split(',').map((word) => {
    const [, places] = /^next(?:\+(\d{1,2}))?$/.exec(word) ?? []
    if (!word.startsWith('next')) return moment(word)
    const slot = free[Number(places ?? 0)]
    if (slot === undefined || !/^next(\+\d{1,2})?$/.test(word)) throw wrong(`"${word}" is no free slot.`)
    return slot
  })
}

const mayBeRoot = ({ may }: VerbCaller): boolean => may('tasks:root')

/** Whom a request is made for. */
const originOf = (caller: VerbCaller, as: string): Origin => {
  const own = accountOf(caller.by)
  if (as === '' || as === own) return signed(own)
  if (!mayBeRoot(caller)) throw new CarillonError('recurring-tasks/refused', `NotAllowed. You are ${own}, not ${as}.`)
  return as === 'root' ? root : signed(as)
}

const taskOf = (text: string): string => {
  const [, owner, id] = /^([^/]+)\/(.+)$/.exec(text) ?? []
  return owner === undefined || id === undefined ? text : taskIdOf(owner, id)
}

const answered = (outcome: Outcome<object>, line: string): VerbAnswer => {
  if (outcome.ok) return { lines: [line], data: JSON.parse(JSON.stringify(outcome)) as Json }
  throw new CarillonError('recurring-tasks/refused', `${outcome.error}. ${outcome.why}`, { error: outcome.error })
}

const table = <A extends Json>(rows: readonly A[], lineOf: (row: A) => string, none: string): VerbAnswer => ({
  lines: rows.length === 0 ? [none] : rows.map(lineOf),
  data: rows,
})

const asOption = { name: 'as', value: 'account', summary: 'act for this account, or root, if you may', default: '' }
const as = { as: t.string }
const ownerOption = { name: 'owner', value: 'account', summary: 'only of this account', default: '' }
const view = { live: true, permission: 'tasks:view' } as const

const statusOf = (text: string): TaskStatus | undefined => {
  if (text === '') return undefined
  if (text === 'scheduled' || text === 'queued' || text === 'missed') return text
  throw wrong(`"${text}" is no status; there are scheduled, queued and missed.`)
}

/** More would not fit one answer. */
const most = 1_000

const looking: readonly Verb[] = [
  defineVerb({
    ...view,
    name: 'list',
    summary: 'tasks by owner, status and due time',
    options: [
      ownerOption,
      { name: 'status', value: 'status', summary: 'scheduled, queued or missed', default: '' },
      { name: 'due-before', value: 'time', summary: 'only tasks due before', default: '' },
    ],
    input: t.strict({ owner: t.string, status: t.string, 'due-before': t.string }),
    handle: async ({ node, input: { owner, status: asked, 'due-before': due } }) => {
      const status = statusOf(asked)
      const rows: Record<'id' | 'task' | 'status' | 'due' | 'action', string>[] = []
      for await (const task of TaskRegistry.on(node).tasks({
        ...(owner === '' ? {} : { owner }),
        ...(status === undefined ? {} : { status }),
        ...(due === '' ? {} : { dueBefore: moment(due) }),
      })) {
        const next = task.due === undefined ? '-' : instantOf(task.due)
        const name = `${task.owner}/${task.providedId}`
        if (rows.push({ id: task.id, task: name, status: task.status, due: next, action: task.action.kind }) === most)
          break
      }
      const line = (row: (typeof rows)[number]): string =>
        `${row.task}  ${row.status}  due ${row.due}  ${row.action}  ${row.id}`
      return table(rows, line, 'There are no tasks.')
    },
  }),
  defineVerb({
    ...view,
    name: 'slots',
    summary: 'the next free time slots',
    options: [{ name: 'count', value: 'number', summary: 'how many', default: '5' }],
    input: t.strict({ count: t.string }),
    handle: async ({ node, input }) => {
      const slots = await TaskRegistry.on(node).nextFreeSlots(whole('--count', input.count), nowOf(node))
      return table(slots, (slot) => `${slot}  ${instantOf(slot)}`, 'No slot within the horizon is free.')
    },
  }),
  defineVerb({
    ...view,
    name: 'events',
    summary: 'what the registry has told, the latest last',
    options: [ownerOption, { name: 'last', value: 'number', summary: 'how many', default: '50' }],
    input: t.strict({ owner: t.string, last: t.string }),
    handle: async ({ node, input: { owner, last } }) => {
      const count = Math.min(whole('--last', last), most)
      let events: TaskEvent[] = []
      for await (const event of readEvents(node)) {
        if (owner === '' || event.who === owner) events.push(event)
        if (events.length > 2 * most) events = events.slice(-most)
      }
      return table(count === 0 ? [] : events.slice(-count), inWords, 'Nothing has happened yet.')
    },
  }),
  defineVerb({
    ...view,
    name: 'balances',
    summary: 'what each account has',
    input: t.strict({}),
    handle: async ({ node }) => {
      const accounts = (await TaskRegistry.on(node).accounts()).map(({ id, free }) => ({ account: id, free }))
      return table(accounts, ({ account, free }) => `${account}  ${free}`, 'No account has money. See: tasks endow')
    },
  }),
  defineVerb({
    ...view,
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
  defineVerb({
    ...view,
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

const scheduleOf = (times: readonly UnixTime[], every: string): ScheduleRequest => {
  if (every === '') return { kind: 'fixed', times }
  const [next, ...others] = times
  if (next === undefined || others.length > 0) throw wrong('--every needs one time, the first.')
  return { kind: 'recurring', next, frequency: whole('--every', every) }
}

const scheduleInput = {
  ...as,
  id: t.string,
  times: t.string,
  message: t.string,
  to: t.string,
  amount: t.string,
  every: t.string,
}
const actionOf = ({
  to,
  amount,
  message,
}: {
  readonly to: string
  readonly amount: string
  readonly message: string
}): Action => (to === '' ? { kind: 'notify', message } : { kind: 'transfer', to, amount: whole('--amount', amount) })

const asking: readonly Verb[] = [
  defineVerb({
    name: 'schedule',
    permission: 'tasks:manage',
    summary: 'schedule a notification, or a transfer with --to and --amount',
    arguments: [
      { name: 'id', summary: 'an id of your own' },
      { name: 'times', summary: 'next, next+2, 2026-01-31T09:00Z or Unix seconds; several with commas between' },
    ],
    options: [
      asOption,
      { name: 'message', value: 'text', summary: 'what to notify', default: 'hello' },
      { name: 'to', value: 'account', summary: 'transfer to this account instead', default: '' },
      { name: 'amount', value: 'amount', summary: 'how much to transfer', default: '0' },
      { name: 'every', value: 'seconds', summary: 'again and again, from the time given', default: '' },
    ],
    input: t.strict(scheduleInput),
    handle: async (asked) => {
      const { node, input, by } = asked
      const times = await slotsOf(node, input.times)
      const outcome = await TaskRegistry.on(node, by).schedule({
        origin: originOf(asked, input.as),
        providedId: input.id,
        schedule: scheduleOf(times, input.every),
        action: actionOf(input),
      })
      const fee = outcome.ok ? `, for ${outcome.fee}. Task ${outcome.id}` : ''
      return answered(outcome, `Booked for ${times.map(instantOf).join(', ')}${fee}`)
    },
  }),
  defineVerb({
    name: 'cancel',
    permission: 'tasks:manage',
    summary: 'cancel a task; nothing is refunded',
    arguments: [{ name: 'task', summary: 'its task id, or owner/id' }],
    options: [asOption],
    input: t.strict({ ...as, task: t.string }),
    handle: async (asked) => {
      const { node, input, by } = asked
      const outcome = await TaskRegistry.on(node, by).cancel(originOf(asked, input.as), taskOf(input.task))
      return answered(outcome, `Cancelled, with ${outcome.ok ? outcome.unused : 0} executions unused.`)
    },
  }),
  ...(['stop', 'start'] as const).map((name) =>
    defineVerb({
      name,
      permission: 'any',
      summary: name === 'stop' ? 'stop all tasks: what falls due meanwhile is missed' : 'start tasks again',
      input: t.strict({}),
      handle: async (caller) => {
        if (!mayBeRoot(caller) && !caller.may('tasks:committee'))
          throw new CarillonError('permission-missing', 'This needs the permission tasks:root or tasks:committee.')
        const origin = mayBeRoot(caller) ? root : signed(accountOf(caller.by))
        return answered(
          await TaskRegistry.on(caller.node, caller.by)[name](origin),
          `Tasks are ${name === 'stop' ? 'stopped' : 'running'}.`,
        )
      },
    }),
  ),
  defineVerb({
    name: 'endow',
    permission: 'tasks:root',
    summary: 'give an account money',
    arguments: [
      { name: 'account', summary: 'the account' },
      { name: 'amount', summary: 'how much, in base units; a notification costs 12,000' },
    ],
    input: t.strict({ account: t.string, amount: t.string }),
    handle: async ({ node, input, by }) => {
      const outcome = await TaskRegistry.on(node, by).endow(input.account, whole('amount', input.amount), root)
      return answered(outcome, `${input.account} has ${await TaskRegistry.on(node).balance(input.account)}.`)
    },
  }),
]

export const tasksVerbs = defineVerbs({
  name: 'tasks',
  summary: 'schedule tasks, and see what becomes of them',
  verbs: [...looking, ...asking],
})
