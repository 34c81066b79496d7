/**
 * The rules of the registry. Whatever a flow may try: slots keep their bounds, tasks their times, money is moved but
 * never made, and the operator signs.
 */
import type * as t from 'io-ts'
import {
  allOf,
  canonicalText,
  defineCommand,
  defineContract,
  rule,
  type LedgerTransaction,
  type ResolvedState,
  type Rule,
} from 'carillon'
import { AccountC, RegistryC, SweeperC, type Registry } from './model/Registry.js'
import { problemWith, type Settings } from './model/Settings.js'
import { isSlot, TaskQueueC, TimeSlotC, type TimeSlot } from './model/slots.js'
import { TaskC, type Task } from './model/Task.js'
import { ToldC } from './events.js'

const telling = (type: string) => defineCommand({ type: `recurring-tasks/${type}`, data: ToldC })

/** What a transaction of the registry is for; each carries the events it makes known. */
export const commands = {
  /** Root's word: open the registry, change its settings, endow accounts. */
  govern: telling('Govern'),
  schedule: telling('Schedule'),
  cancel: telling('Cancel'),
  sweep: telling('Sweep'),
  /** A called flow has come back. */
  settle: telling('Settle'),
  /** Stop and start of all tasks. */
  switch: telling('Switch'),
} as const

const ofKind = <A>(states: readonly ResolvedState[], type: string, codec: t.Type<A, unknown>): readonly A[] =>
  states
    .filter((state) => state.type === `recurring-tasks/${type}`)
    .map(({ data }) => data)
    .filter(codec.is)

const registriesOf = (transaction: LedgerTransaction): readonly Registry[] =>
  ofKind([...transaction.outputs, ...transaction.references], 'Registry', RegistryC)

const sortedAndOnce = (times: readonly number[]): boolean =>
  times.every((time, index) => index === 0 || time > (times[index - 1] ?? time))

const taskRules = ({ schedule }: Task, before: Task | undefined, settings: Settings): readonly Rule[] =>
  schedule.kind === 'recurring'
    ? [
        rule(
          'a recurring task has a frequency of whole slots',
          schedule.frequency > 0 && isSlot(schedule.frequency, settings),
        ),
      ]
    : [
        rule('the times of a task are sorted, each once', sortedAndOnce(schedule.times)),
        rule(
          'a new task has no more times than allowed',
          before !== undefined || schedule.times.length <= settings.executionsPerTask,
        ),
        rule(
          'a stored task has executions left, and no more than it has times',
          schedule.executionsLeft >= 0 && schedule.executionsLeft <= schedule.times.length,
        ),
      ]

/** Limits may have been lowered since, so they bind a slot that takes a task; `before` is what it had already. */
const slotRules = (slot: TimeSlot, before: readonly string[], settings: Settings): readonly Rule[] => {
  const isTaking = slot.tasks.some((id) => !before.includes(id))
  return [
    rule('a slot has tasks', slot.tasks.length > 0),
    rule('a slot is on the grid', isSlot(slot.at, settings)),
    rule('a slot weighs something', slot.weight >= 0),
    rule('a slot takes no more tasks than fit', !isTaking || slot.tasks.length <= settings.tasksPerSlot),
    rule('a slot takes no more weight than fits', !isTaking || slot.weight <= settings.weightPerSlot),
  ]
}

const isSensible = (settings: Settings): boolean => problemWith(settings) === undefined

const total = (states: readonly ResolvedState[]): number =>
  ofKind(states, 'Account', AccountC).reduce((sum, { free }) => sum + free, 0)

export const contract = defineContract({
  name: 'recurring-tasks/Registry',
  verify: (transaction) => {
    const purposes = new Set<string>(Object.values(commands).map(({ type }) => type))
    const governs = transaction.commandsOf(commands.govern).length > 0
    const switches = transaction.commandsOf(commands.switch).length > 0
    const [registry] = registriesOf(transaction)
    const inputs = ofKind(transaction.inputs, 'Registry', RegistryC)
    const outputs = ofKind(transaction.outputs, 'Registry', RegistryC)
    const tasks = new Map(ofKind(transaction.inputs, 'Task', TaskC).map((task) => [task.id, task]))
    const slots = ofKind(transaction.inputs, 'TimeSlot', TimeSlotC)
    const queues = ofKind(transaction.inputs, 'TaskQueue', TaskQueueC)
    // What is left of the task queue may go back to its slot.
    const booked = new Map([...queues, ...slots].map(({ at, tasks: ids }) => [at, ids]))
    const kept = (settings: Settings): boolean =>
      inputs.some((before) => canonicalText(before.settings) === canonicalText(settings))
    return allOf([
      rule(
        'a transaction of the registry has one purpose',
        transaction.commands.filter(({ type }) => purposes.has(type)).length === 1,
      ),
      rule(
        'the operator signs',
        transaction.participants.every(({ key }) => transaction.signers.has(key)),
      ),
      rule(
        'only root and the committee touch the registry',
        governs || switches || inputs.length + outputs.length === 0,
      ),
      rule('there is always one registry', governs || outputs.length === inputs.length),
      rule(
        'there is always one sweeper',
        governs ||
          ofKind(transaction.inputs, 'Sweeper', SweeperC).length ===
            ofKind(transaction.outputs, 'Sweeper', SweeperC).length,
      ),
      rule('money is only made by root', governs || total(transaction.inputs) === total(transaction.outputs)),
      rule(
        'no account is overdrawn',
        ofKind(transaction.outputs, 'Account', AccountC).every(({ free }) => free >= 0),
      ),
      rule('the registry is named, so that its limits can be looked up', registry !== undefined),
      ...(registry === undefined
        ? []
        : [
            rule(
              'new settings make sense',
              outputs.every(({ settings }) => kept(settings) || isSensible(settings)),
            ),
            ...ofKind(transaction.outputs, 'Task', TaskC).flatMap((task) =>
              taskRules(task, tasks.get(task.id), registry.settings),
            ),
            ...ofKind(transaction.outputs, 'TimeSlot', TimeSlotC).flatMap((slot) =>
              slotRules(slot, booked.get(slot.at) ?? [], registry.settings),
            ),
          ]),
    ])
  },
})
