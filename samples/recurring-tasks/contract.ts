/**
 * The rules of the registry. Whatever a flow may try: slots keep their bounds, tasks their times, money is moved but
 * never made, and the operator signs.
 */
import { allOf, canonicalText, defineCommand, defineContract, rule, type Rule, type StateKind } from 'carillon'
import { statesIn } from '../shared/statesIn.js'
import { AccountC, CallC, RegistryC, SweeperC, type Account } from './model/Registry.js'
import { problemWith, type Settings } from './model/Settings.js'
import { isSlot, MissedPageC, TaskQueueC, TimeSlotC, type TimeSlot } from './model/slots.js'
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

const kind = <A>(name: string, data: StateKind<A>['data']): StateKind<A> => ({ type: `recurring-tasks/${name}`, data })
/** Names and codecs of all that is on the ledger. */
export const kinds = {
  registry: kind('Registry', RegistryC),
  sweeper: kind('Sweeper', SweeperC),
  task: kind('Task', TaskC),
  slot: kind('TimeSlot', TimeSlotC),
  queue: kind('TaskQueue', TaskQueueC),
  missed: kind('MissedPage', MissedPageC),
  account: kind('Account', AccountC),
  call: kind('Call', CallC),
} as const

const sortedAndOnce = (times: readonly number[]): boolean =>
  times.every((time, index) => index === 0 || time > (times[index - 1] ?? time))

const taskRules = ({ schedule }: Task, isNew: boolean, settings: Settings): readonly Rule[] => {
  if (schedule.kind === 'recurring') {
    const isOnGrid = schedule.frequency > 0 && isSlot(schedule.frequency, settings)
    return [rule('a recurring task has a frequency of whole slots', isOnGrid)]
  }
  const { times, executionsLeft } = schedule
  return [
    rule('the times of a task are sorted, each once', sortedAndOnce(times)),
    rule('a new task has no more times than allowed', !isNew || times.length <= settings.executionsPerTask),
    rule(
      'a stored task has executions left, and no more than it has times',
      executionsLeft >= 0 && executionsLeft <= times.length,
    ),
  ]
}

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

/** In whole numbers without end: a sum of large amounts is no safe integer any more. */
const total = (accounts: readonly Account[]): bigint => accounts.reduce((sum, { free }) => sum + BigInt(free), 0n)

export const contract = defineContract({
  name: 'recurring-tasks/Registry',
  verify: (transaction) => {
    const { consumed, produced, found } = statesIn(transaction)
    const purposes = Object.values(commands).flatMap((command) => transaction.commandsOf(command))
    const governs = transaction.commandsOf(commands.govern).length > 0
    const switches = transaction.commandsOf(commands.switch).length > 0
    const registries = produced(kinds.registry)
    const before = consumed(kinds.registry)
    const isSigned = transaction.participants.every(({ key }) => transaction.signers.has(key))
    const areTouched = before.length + registries.length > 0
    const areTwoSweepers = consumed(kinds.sweeper).length !== produced(kinds.sweeper).length
    const isMoved = total(consumed(kinds.account)) === total(produced(kinds.account))
    const isCovered = produced(kinds.account).every(({ free }) => free >= 0)
    const [registry] = [...registries, ...found(kinds.registry)]
    const rules = [
      rule('a transaction of the registry has one purpose', purposes.length === 1),
      rule('the operator signs', isSigned),
      rule('only root and the committee touch the registry', governs || switches || !areTouched),
      rule('there is always one registry', governs || registries.length === before.length),
      rule('there is always one sweeper', governs || !areTwoSweepers),
      rule('money is only made by root', governs || isMoved),
      rule('no account is overdrawn', isCovered),
      rule('the registry is named, so that its limits can be looked up', registry !== undefined),
    ]
    if (registry === undefined) return allOf(rules)
    const known = new Set(consumed(kinds.task).map(({ id }) => id))
    // What is left of the task queue may go back to its slot.
    const booked = new Map([...consumed(kinds.queue), ...consumed(kinds.slot)].map(({ at, tasks }) => [at, tasks]))
    const areSensible = registries.every(
      ({ settings }) =>
        problemWith(settings) === undefined ||
        before.some((other) => canonicalText(other.settings) === canonicalText(settings)),
    )
    return allOf([
      ...rules,
      rule('new settings make sense', areSensible),
      // Tasks may be of a version that had one time.
      ...produced(kinds.task)
        .filter(TaskC.is)
        .flatMap((task) => taskRules(task, !known.has(task.id), registry.settings)),
      ...produced(kinds.slot).flatMap((slot) => slotRules(slot, booked.get(slot.at) ?? [], registry.settings)),
    ])
  },
})
