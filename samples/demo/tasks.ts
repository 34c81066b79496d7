/**
 * The registrar: time slots of fifteen seconds, three people with tasks that recur, and one who asks for something new
 * every minute.
 */
import { join } from 'node:path'
import { instantFromMillis, startNode } from 'carillon'
import { recurringTasks } from '../recurring-tasks/app.js'
import { tasksVerbs } from '../recurring-tasks/verbs.js'
import { root, signed } from '../recurring-tasks/model/Origin.js'
import { defaultSettings } from '../recurring-tasks/model/Settings.js'
import { slotOf, unixTime } from '../recurring-tasks/model/slots.js'
import { tasksPanel } from '../recurring-tasks/panel.js'
import { TaskRegistry } from '../recurring-tasks/TaskRegistry.js'
import { alone, repeat, type Household } from './Household.js'

const slotSeconds = 15
const settings = {
  ...defaultSettings,
  slotSeconds,
  sweepSeconds: 3,
  weightPerSlot: 200_000,
  horizonSeconds: 6 * 30 * 86_400,
  lead: 'next-slot' as const,
}

const asksEveryMs = 60_000
const plenty = 1_000_000_000_000

export const openTasks = async (folder: string, onTrouble: (error: unknown) => void): Promise<Household> => {
  const store = join(folder, 'tasks')
  const node = await startNode({ app: recurringTasks(), store, party: 'Registrar' })
  const registry = await TaskRegistry.open(node, { settings })
  const nextSlot = (): number => slotOf(unixTime(instantFromMillis(node.nowMs)), settings) + slotSeconds
  if ((await registry.balance('ada')) === 0) {
    for (const account of ['ada', 'ben', 'cleo']) await registry.endow(account, plenty, root)
    const recurring = (slots: number) =>
      ({ kind: 'recurring', next: nextSlot() + slotSeconds, frequency: slots * slotSeconds }) as const
    await registry.schedule({
      origin: signed('ada'),
      providedId: 'bell',
      schedule: recurring(1),
      action: { kind: 'notify', message: 'a quarter of a minute has struck' },
    })
    await registry.schedule({
      origin: signed('ben'),
      providedId: 'rent',
      schedule: recurring(2),
      action: { kind: 'transfer', to: 'ada', amount: 9_000 },
    })
  }
  let visit = Math.floor(node.nowMs / asksEveryMs)
  const cleo = repeat(
    asksEveryMs,
    () => {
      const times = [2, 4, 7, 11, 16].map((slots) => nextSlot() + slots * slotSeconds)
      return registry.scheduleNotifyTask(signed('cleo'), `reminder ${(visit += 1)}`, times, 'do not forget the bread')
    },
    onTrouble,
  )
  const served = { node, panels: [tasksPanel], verbs: [tasksVerbs] }
  return alone({ served, store, about: 'tasks that time slots of 15 s trigger' }, cleo)
}
