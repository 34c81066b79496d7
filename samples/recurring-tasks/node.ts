/**
 * The registry for `carillon run samples/recurring-tasks/node.ts`: opened at the first start, with its panel and
 * its verbs. It prints what happens. SLOT_SECONDS is the length of a slot, for a registry that is new.
 */
import { CarillonError, type Node } from 'carillon'
import { recurringTasks } from './app.js'
import { eventsOf, inWords } from './events.js'
import { defaultSettings, problemWith, type Settings } from './model/Settings.js'
import { tasksPanel } from './panel.js'
import { TaskRegistry } from './TaskRegistry.js'
import { tasksVerbs } from './verbs.js'

export const app = recurringTasks()
export const panels = [tasksPanel]
export const verbs = [tasksVerbs]

/** Short slots are swept more often, and take what can be run in them. */
const settingsFor = (slot: string): Settings => {
  const slotSeconds = /^\d{1,6}$/.test(slot) ? Number(slot) : 0
  const sweepSeconds = Math.min(defaultSettings.sweepSeconds, Math.max(1, Math.floor(slotSeconds / 5)))
  const horizonSeconds = slotSeconds * Math.max(1, Math.floor(defaultSettings.horizonSeconds / (slotSeconds || 1)))
  const weightPerSlot = Math.min(defaultSettings.weightPerSlot, Math.floor(slotSeconds / sweepSeconds) * 40_000)
  const lead: Settings['lead'] = slotSeconds < defaultSettings.slotSeconds ? 'next-slot' : 'interval'
  const settings = { ...defaultSettings, slotSeconds, sweepSeconds, horizonSeconds, weightPerSlot, lead }
  if (problemWith(settings) === undefined) return settings
  throw new CarillonError('usage', `SLOT_SECONDS=${slot}: a slot has between 1 and 999999 whole seconds.`)
}

export const onStart = async (node: Node): Promise<void> => {
  const opened = await TaskRegistry.open(node, { settings: settingsFor(process.env['SLOT_SECONDS'] ?? '3600') })
  console.log(`Slots of ${(await opened.registry()).settings.slotSeconds} s.`)
  node.subscribe({
    from: 'present',
    types: ['TransactionRecorded'],
    on: (recorded) => {
      for (const event of eventsOf(recorded.commands)) console.log(`${recorded.at}  ${inWords(event)}`)
    },
  })
}
