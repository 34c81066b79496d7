/**
 * The load of the sample: so many tasks with 24 hourly times each over a day of virtual time, with an outage of three
 * hours in the middle. Afterwards every execution must be accounted for exactly once.
 */
import type { OpenStore } from 'carillon/logs'
import { VirtualNode } from 'carillon/testing'
import { accountOf, readEvents, type ExecutionAccount } from '../../events.js'
import { recurringTasks } from '../../app.js'
import { taskIdOf, type Action } from '../../model/Task.js'
import { signed } from '../../model/Origin.js'
import { defaultSettings, type Settings } from '../../model/Settings.js'
import { instantOf, type UnixTime } from '../../model/slots.js'
import { TaskRegistry } from '../../TaskRegistry.js'

const hour = 3_600
const timesPerTask = 24
const outageHours = 3
const accounts = 50

/** Short slots spread the tasks of an hour, as a busy registry would. */
const loadSettings = (slotSeconds: number): Settings => ({
  ...defaultSettings,
  slotSeconds,
  sweepSeconds: 2,
  horizonSeconds: 2 * 86_400,
  sweepWeight: 2_000_000,
  weightPerSlot: 300_000,
  tasksPerSweep: 100,
})

export type LoadReport = {
  readonly account: ExecutionAccount
  readonly expected: ReadonlySet<string>
  readonly tasksLeft: number
  readonly schedulingMs: number
  readonly dayMs: number
}

const start: UnixTime = Date.parse('2026-01-01T00:00:00Z') / 1_000

const ownerOf = (task: number): string => `account-${task % accounts}`

/** One in ten moves money its owner does not have, so that there are failures to account for. */
const actionOf = (task: number): Action =>
  task % 10 === 0
    ? { kind: 'transfer', to: 'nobody', amount: 1_000_000_000_000 }
    : { kind: 'notify', message: `task ${task}` }

const timesOf = (task: number, slotSeconds: number): readonly UnixTime[] => {
  const phase = ((task * 7) % (hour / slotSeconds)) * slotSeconds
  return Array.from({ length: timesPerTask }, (_, index) => start + hour + phase + index * hour)
}

const schedule = async (registry: TaskRegistry, tasks: number, slotSeconds: number): Promise<ReadonlySet<string>> => {
  const expected = new Set<string>()
  for (let account = 0; account < accounts; account++) await registry.endow(`account-${account}`, 1_000_000_000)
  const request = async (task: number): Promise<void> => {
    const owner = ownerOf(task)
    const times = timesOf(task, slotSeconds)
    const outcome = await registry.schedule({
      origin: signed(owner),
      providedId: String(task),
      schedule: { kind: 'fixed', times },
      action: actionOf(task),
    })
    if (!outcome.ok) throw new Error(`Task ${task} was refused: ${outcome.error}`)
    const id = taskIdOf(owner, String(task))
    for (const time of times) expected.add(`${id}@${time}`)
  }
  // A few callers at a time, as on a real node.
  for (let first = 0; first < tasks; first += 20)
    await Promise.all(Array.from({ length: Math.min(20, tasks - first) }, (_, index) => request(first + index)))
  return expected
}

export const runLoad = async (
  tasks: number,
  options: { readonly store?: OpenStore; readonly slotSeconds?: number } = {},
): Promise<LoadReport> => {
  const slotSeconds = options.slotSeconds ?? 10
  const virtual = await VirtualNode.start({
    app: recurringTasks(),
    start: instantOf(start),
    development: false,
    ...(options.store === undefined ? {} : { store: options.store }),
  })
  const begun = performance.now()
  const registry = await TaskRegistry.open(virtual.node, { settings: loadSettings(slotSeconds) })
  const expected = await schedule(registry, tasks, slotSeconds)
  const scheduled = performance.now()

  const outage = start + 12 * hour
  await virtual.advanceTo(instantOf(outage))
  await virtual.crash()
  virtual.clock.setTo((outage + outageHours * hour) * 1_000)
  await virtual.restart()
  await virtual.advanceTo(instantOf(start + 27 * hour))

  const account = await accountOf(readEvents(virtual.node))
  let tasksLeft = 0
  for await (const task of (await TaskRegistry.open(virtual.node)).tasks()) tasksLeft += task.id === '' ? 0 : 1
  await virtual.stop()
  return { account, expected, tasksLeft, schedulingMs: scheduled - begun, dayMs: performance.now() - scheduled }
}
