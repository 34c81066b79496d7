/**
 * The chores on the dashboard: a lamp for each, what it is about, and the controls that fit its condition.
 */
import { instantFromMillis } from 'carillon'
import { definePanel, type Cell, type Panel, type PanelAction, type Tone } from 'carillon/http'
import { lampOf, type ChoreEngine, type ChoreStatus, type Lamp } from './engine/index.js'
import { choresPermissions } from './verbs.js'

const tones: Readonly<Record<Lamp, Tone>> = {
  Off: 'grey',
  OK: 'green',
  Active: 'blue',
  Overdue: 'amber',
  CircuitBreaker: 'red',
  Error: 'red',
}

const when = (at: ChoreStatus['nextScheduledRunAt']): Cell => (at === null ? null : { instant: at })

const controlsOf = ({ lifecycle }: ChoreStatus): readonly string[] => {
  switch (lifecycle) {
    case 'Stopped':
      return ['start', 'trigger']
    case 'Paused':
      return ['resume', 'trigger', 'stop']
    case 'Running':
      return ['trigger', 'pause', 'interval', 'stop']
  }
}

const detailOf = ({ held, lastError, lastFailedTask, choreDescription }: ChoreStatus): string => {
  if (held !== null) return `Its next run does not happen: ${held}`
  if (lastError !== null) return `Last error: ${lastError}`
  return lastFailedTask === null
    ? choreDescription
    : `Last failed task: ${lastFailedTask.taskId}: ${lastFailedTask.error}`
}

const lampFor = (status: ChoreStatus, nowMs: number) => {
  const lamp = lampOf(status, instantFromMillis(nowMs))
  return {
    key: status.choreId,
    label: status.choreName,
    tone: tones[lamp],
    text: `${lamp}, ${status.lifecycle.toLowerCase()}`,
    detail: detailOf(status),
    facts: [
      { label: 'Next run', value: when(status.nextScheduledRunAt) },
      { label: 'Last success', value: when(status.lastCompletedRunAt) },
      { label: 'Conductor', value: status.conductorStatus },
      { label: 'Task', value: status.currentTaskId ?? status.taskStatus },
      { label: 'Runs', value: `${status.totalSuccessCount} of ${status.totalRunCount} succeeded` },
    ],
    actions: controlsOf(status),
  }
}

export const choresPanel = (engine: ChoreEngine): Panel => {
  const control = (verb: 'start' | 'stop' | 'pause' | 'resume' | 'trigger', label: string): PanelAction => ({
    name: verb,
    label,
    on: 'row',
    ...(verb === 'stop' ? { weight: 'danger', confirm: 'It ends its run and clears its schedule.' } : {}),
    ...(verb === 'start' ? { weight: 'primary' } : {}),
    run: async ({ row, by }) => {
      await engine.control(row ?? '', { verb }, { by })
      return undefined
    },
  })
  return definePanel({
    name: 'chores',
    title: 'Chores',
    summary: 'Recurring work that goes on by itself.',
    permissions: choresPermissions,
    read: async (node) => [
      {
        kind: 'lamps',
        lamps: (await engine.getAllStatuses()).map((status) => lampFor(status, node.nowMs)),
        empty: 'No chore is registered.',
      },
    ],
    actions: [
      control('start', 'Start'),
      control('trigger', 'Run now'),
      control('pause', 'Pause'),
      control('resume', 'Resume'),
      {
        name: 'interval',
        label: 'Interval',
        on: 'row',
        fields: [{ name: 'seconds', label: 'Seconds', kind: 'number', default: 3_600 }],
        run: async ({ row, input, by }) => {
          await engine.control(row ?? '', { verb: 'interval', seconds: Number(input['seconds']) }, { by })
          return `The interval is ${Number(input['seconds'])} s from the next run on.`
        },
      },
      control('stop', 'Stop'),
    ],
  })
}
