/**
 * The registry over HTTP, below `/api/v1/app/`: slots, queues, tasks, and the two requests a caller makes. A token lets
 * somebody knock; the account is whoever the surface in front of the node vouches for.
 */
import * as t from 'io-ts'
import { defineEndpoint, instantFromMillis, InstantC, IntegerC, JsonC, type Endpoint } from 'carillon'
import { CancelTask } from './flows/CancelTask.js'
import { ScheduleTask, ScheduleTaskC } from './flows/ScheduleTask.js'
import { OriginC } from './model/Origin.js'
import { TaskC } from './model/Task.js'
import { instantOf, unixTime } from './model/timeSlots.js'
import { TaskRegistry } from './TaskRegistry.js'

const WholeC = t.refinement(t.string, (text) => /^[1-9]\d{0,2}$/.test(text), 'Whole')
const mostTasks = 500

const SlotC = t.readonly(t.strict({ at: IntegerC, instant: InstantC }), 'Slot')
const TaskEntryC = t.readonly(
  t.strict({
    task: TaskC,
    status: t.keyof({ scheduled: null, queued: null, missed: null }),
    due: t.union([InstantC, t.null]),
  }),
  'TaskEntry',
)

const view = { permission: 'tasks:view', method: 'GET' } as const
const manage = { permission: 'tasks:manage', method: 'POST' } as const

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
  defineEndpoint({
    ...manage,
    path: 'tasks/schedule',
    summary: 'schedule a task; answers with its id, or the name of the reason why not',
    body: ScheduleTaskC,
    answer: JsonC,
    handle: async ({ node, body, by }) => ({ ...(await node.run(ScheduleTask, body, { by })) }),
  }),
  defineEndpoint({
    ...manage,
    path: 'tasks/cancel',
    summary: 'cancel a task',
    body: t.readonly(t.strict({ origin: OriginC, id: t.string })),
    answer: JsonC,
    handle: async ({ node, body, by }) => ({ ...(await node.run(CancelTask, body, { by })) }),
  }),
]
