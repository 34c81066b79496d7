/**
 * The registry over HTTP, below `/api/v1/app/`: slots, queues, tasks, and the requests a caller makes. The account is
 * the name of the token, whatever the request says.
 */
import * as t from 'io-ts'
import { instantFromMillis, InstantC, IntegerC, JsonC } from 'carillon'
import { defineEndpoint, type Endpoint } from 'carillon/http'
import { record } from '../shared/record.js'
import { ActionC, ScheduleRequestC, TaskC } from './model/Task.js'
import { closed } from './model/closed.js'
import { accountOf, root, signed, type Origin } from './model/Origin.js'
import type { Outcome } from './model/Refusal.js'
import { instantOf, unixTime } from './model/slots.js'
import { TaskRegistry } from './TaskRegistry.js'

const WholeC = t.refinement(t.string, (text) => /^[1-9]\d{0,2}$/.test(text), 'Whole')
const mostTasks = 500

const SlotC = record('Slot', { at: IntegerC, instant: InstantC })
const TaskEntryC = record('TaskEntry', {
  task: TaskC,
  status: t.keyof({ scheduled: null, queued: null, missed: null }),
  due: t.union([InstantC, t.null]),
})

const view = { permission: 'tasks:view', method: 'GET' } as const
const NothingC = t.readonly(t.strict({}))
const OneTaskC = t.readonly(t.strict({ id: t.string }))

/** A request is made as the account that has the name of the token; what is for root has a permission of its own. */
const request = <B, A extends object>(
  path: string,
  summary: string,
  made: {
    readonly permission: string
    readonly body: t.Type<B, unknown>
    readonly ask: (registry: TaskRegistry, origin: Origin, body: B) => Promise<Outcome<A>>
  },
): Endpoint =>
  defineEndpoint({
    method: 'POST',
    path: `tasks/${path}`,
    summary,
    permission: made.permission,
    body: closed(made.body),
    answer: JsonC,
    handle: async ({ node, body, by }) => ({
      ...(await made.ask(TaskRegistry.on(node, by), signed(accountOf(by)), body)),
    }),
  })

export const endpoints: readonly Endpoint[] = [
  defineEndpoint({
    ...view,
    path: 'tasks',
    summary: 'tasks, as they were scheduled',
    query: t.exact(t.partial({ owner: t.string, limit: WholeC })),
    example: { query: { owner: 'ada', limit: '20' } },
    answer: t.readonly(t.strict({ items: t.readonlyArray(TaskEntryC) })),
    handle: async ({ node, query: { owner, limit } }) => {
      const items: t.TypeOf<typeof TaskEntryC>[] = []
      const most = Math.min(Number(limit ?? 100), mostTasks)
      for await (const { status, due, ...task } of TaskRegistry.on(node).tasks(owner === undefined ? {} : { owner }))
        if (items.push({ task, status, due: due === undefined ? null : instantOf(due) }) === most) break
      return { items }
    },
  }),
  defineEndpoint({
    ...view,
    path: 'tasks/slots',
    summary: 'the next time slots that take a task',
    query: t.exact(t.partial({ count: WholeC })),
    example: { query: { count: '5' } },
    answer: t.readonly(t.strict({ items: t.readonlyArray(SlotC) })),
    handle: async ({ node, query: { count } }) => {
      const now = unixTime(instantFromMillis(node.nowMs))
      const slots = await TaskRegistry.on(node).nextFreeSlots(Math.min(Number(count ?? 10), 100), now)
      return { items: slots.map((at) => ({ at, instant: instantOf(at) })) }
    },
  }),
  defineEndpoint({
    ...view,
    path: 'tasks/queues',
    summary: 'the task queue and the missed queue',
    answer: t.readonly(
      t.strict({
        present: t.readonlyArray(t.string),
        missed: t.readonlyArray(t.readonly(t.strict({ at: IntegerC, tasks: t.readonlyArray(t.string) }))),
      }),
    ),
    handle: async ({ node }) => {
      const registry = TaskRegistry.on(node)
      return {
        present: (await registry.taskQueue())?.tasks ?? [],
        missed: (await registry.missedQueue()).map(({ at, tasks }) => ({ at, tasks })),
      }
    },
  }),
  request('schedule', 'schedule a task; answers with its id, or the name of the reason why not', {
    permission: 'tasks:manage',
    body: t.readonly(
      t.intersection([
        t.strict({ providedId: t.string, schedule: ScheduleRequestC, action: ActionC }),
        t.exact(t.partial({ abortErrors: t.readonlyArray(t.string) })),
      ]),
    ),
    ask: (registry, origin, body) => registry.schedule({ origin, ...body }),
  }),
  request('cancel', 'cancel a task of ones own', {
    permission: 'tasks:manage',
    body: OneTaskC,
    ask: (registry, origin, { id }) => registry.cancel(origin, id),
  }),
  request('stop', 'stop all tasks, as a member of the committee', {
    permission: 'tasks:committee',
    body: NothingC,
    ask: (registry, origin) => registry.stop(origin),
  }),
  request('start', 'start tasks again, as a member of the committee', {
    permission: 'tasks:committee',
    body: NothingC,
    ask: (registry, origin) => registry.start(origin),
  }),
  request('root/cancel', 'cancel any task, as root', {
    permission: 'tasks:root',
    body: OneTaskC,
    ask: (registry, _, { id }) => registry.cancel(root, id),
  }),
  request('root/stop', 'stop all tasks, as root', {
    permission: 'tasks:root',
    body: NothingC,
    ask: (registry) => registry.stop(root),
  }),
  request('root/start', 'start tasks again, as root', {
    permission: 'tasks:root',
    body: NothingC,
    ask: (registry) => registry.start(root),
  }),
  request('root/endow', 'give an account money, as root', {
    permission: 'tasks:root',
    body: t.readonly(t.strict({ account: t.string, amount: IntegerC })),
    ask: (registry, _, { account, amount }) => registry.endow(account, amount, root),
  }),
]
