/**
 * The registry on the dashboard: how full the next slots are, what waits in the queues, and every task with how its
 * executions have gone.
 */
import { instantFromMillis, type Json, type Node } from 'carillon'
import {
  definePanel,
  type ActionAsked,
  type Block,
  type Cell,
  type Panel,
  type PanelAction,
  type Tone,
} from 'carillon/http'
import { countOf, facts, table } from '../shared/panel.js'
import type { Action, Schedule } from './model/Task.js'
import { instantOf, isReserved, slotOf, unixTime } from './model/slots.js'
import { Registry, Task, theRegistry } from './states.js'
import { TaskRegistry, type TaskStatus, type TaskView } from './TaskRegistry.js'
import { verbNamed } from './verbs.js'

const slotsShown = 24
const tasksShown = 100
const pagesShown = 20

const actionWords = (action: Action): string => {
  switch (action.kind) {
    case 'notify':
      return `notify: ${action.message}`
    case 'transfer':
      return `transfer ${action.amount.toLocaleString('en')} to ${action.to}`
    case 'call':
      return `call ${action.flow}`
  }
}

const scheduleWords = (schedule: Schedule): string =>
  schedule.kind === 'recurring' ? `every ${schedule.frequency} s` : `${schedule.executionsLeft} left`

const statusLamps: Readonly<Record<TaskStatus, Cell>> = {
  scheduled: { lamp: 'blue', text: 'scheduled' },
  queued: { lamp: 'green', text: 'queued' },
  missed: { lamp: 'amber', text: 'missed' },
}

const slotsBlock = async (node: Node, registry: TaskRegistry): Promise<Block> => {
  const { settings } = await registry.registry()
  const first = slotOf(unixTime(instantFromMillis(node.nowMs)), settings)
  const slots = Array.from({ length: slotsShown }, (_, index) => first + index * settings.slotSeconds)
  const clockOf = (at: number): string => instantOf(at).slice(11, settings.slotSeconds % 60 === 0 ? 16 : 19)
  const toneOf = (at: number, tasks: number): Tone =>
    tasks >= settings.tasksPerSlot ? 'red' : isReserved(at, settings) ? 'grey' : 'blue'
  const bars = slots.map(async (at) => {
    const value = (await registry.slot(at))?.tasks.length ?? 0
    return { label: clockOf(at), value, tone: toneOf(at, value) }
  })
  return {
    kind: 'bars',
    title: `The next ${slotsShown} slots, ${settings.slotSeconds} s each`,
    bars: await Promise.all(bars),
    empty: 'There are no slots.',
  }
}

const queuesBlock = async (registry: TaskRegistry): Promise<Block> => {
  const queue = await registry.taskQueue()
  const missed = (await registry.missedQueue()).slice(0, pagesShown)
  const waiting = [
    ...(queue === undefined ? [] : [{ name: 'task queue', page: 0, ...queue }]),
    ...missed.map((page) => ({ name: 'missed queue', ...page })),
  ]
  const rows = waiting.map(({ name, page, at, tasks }) => ({
    key: `${name} ${page}`,
    cells: { queue: name, slot: { instant: instantOf(at) }, tasks: tasks.length },
  }))
  const empty = 'Both queues are empty: the present slot has been run, and nothing was missed.'
  return table({ queue: 'Queue', slot: 'Slot', tasks: 'Tasks' }, { title: 'Queues', right: ['tasks'], rows, empty })
}

const rowFor = ({ id, owner, providedId, action, schedule, counts, status, due }: TaskView) => ({
  key: id,
  cells: {
    task: `${owner}/${providedId}`,
    action: actionWords(action),
    is: statusLamps[status],
    due: due === undefined ? null : { instant: instantOf(due) },
    schedule: scheduleWords(schedule),
    executed: counts.executed,
    failed: counts.failed,
    missed: counts.missed,
  },
  actions: ['cancel'],
})

const tasksBlock = async (node: Node, registry: TaskRegistry): Promise<Block> => {
  const count = await countOf(node, Task.type)
  const tasks = await registry.firstTasks(tasksShown)
  const columns = { task: 'Task', action: 'Action', is: 'Is', due: 'Next slot', schedule: 'Schedule' }
  return table(
    { ...columns, executed: 'Executed', failed: 'Failed', missed: 'Missed' },
    {
      title: count > tasksShown ? `Tasks, the first ${tasksShown} of ${count.toLocaleString('en')}` : 'Tasks',
      right: ['executed', 'failed', 'missed'],
      rows: [...tasks].sort((a, b) => (a.due ?? 0) - (b.due ?? 0)).map(rowFor),
      empty: 'No task is scheduled. Schedule one above.',
    },
  )
}

/** Does what a verb does, whose words come from the form or the row. Whoever acts here acts as root. */
const asking =
  (verb: string, words: (asked: ActionAsked) => Readonly<Record<string, Json>> = () => ({})): PanelAction['run'] =>
  async (asked) => {
    const { lines } = await verbNamed(verb).perform(asked.node, words(asked), { by: asked.by, may: () => true })
    return lines.join()
  }

const actions: readonly PanelAction[] = [
  {
    name: 'schedule',
    label: 'Schedule a notification',
    weight: 'primary',
    fields: [
      { name: 'account', label: 'Account', kind: 'text' },
      { name: 'id', label: 'Id', kind: 'text' },
      { name: 'message', label: 'Message', kind: 'text' },
      { name: 'at', label: 'Slot (UTC; default: the next that is free)', kind: 'instant', optional: true },
    ],
    run: asking('schedule', ({ input: { account = '', at = '', ...rest } }) => ({
      ...{ ...rest, as: account, times: at === '' ? 'next' : at },
    })),
  },
  {
    name: 'stop',
    label: 'Stop all tasks',
    weight: 'danger',
    confirm: 'Nothing is run until tasks are started again; what falls due meanwhile is missed.',
    run: asking('stop'),
  },
  { name: 'start', label: 'Start tasks', run: asking('start') },
  {
    name: 'cancel',
    label: 'Cancel',
    on: 'row',
    weight: 'danger',
    confirm: 'It leaves all its slots; nothing is refunded.',
    run: asking('cancel', ({ row = '' }) => ({ as: 'root', task: row })),
  },
]

export const tasksPanel: Panel = definePanel({
  name: 'tasks',
  title: 'Tasks',
  summary: 'Tasks that time slots trigger.',
  // Whoever acts here acts as root, and names the accounts he acts for.
  permissions: { view: 'tasks:view', act: 'tasks:root' },
  read: async (node) => {
    const registry = TaskRegistry.on(node)
    if ((await node.find(Registry, theRegistry)) === undefined)
      return [table({}, { rows: [], empty: 'The registry has not been opened yet.' })]
    const { stopped } = await registry.registry()
    const { sweptAt, nextSweepAt, failure } = await registry.sweeper()
    return [
      facts({
        'Tasks are': stopped ? { lamp: 'red', text: 'stopped' } : { lamp: 'green', text: 'running' },
        'Last sweep': { instant: sweptAt },
        ...(failure === null ? {} : { 'Since then failed': { lamp: 'red', text: `${failure.at}: ${failure.error}` } }),
        'Next sweep': nextSweepAt === null ? 'with the next slot' : { instant: nextSweepAt },
      }),
      await slotsBlock(node, registry),
      await queuesBlock(registry),
      await tasksBlock(node, registry),
    ]
  },
  actions,
})
