/**
 * The scene of the acceptance lines: slots of 600 s with two tasks each, three executions a task, a horizon of a day,
 * two funded accounts, and T two slots after the start.
 */
import { expect } from 'chai'
import { instant, type AnyFlowDefinition, type AnyStateDefinition } from 'carillon'
import { LogBackedStore, MemoryLog } from 'carillon/logs'
import { VirtualNode } from 'carillon/testing'
import { recurringTasks } from '../app.js'
import type { Scheduled, ScheduleTask } from '../flows/requests.js'
import { taskIdOf, type Action } from '../model/Task.js'
import { signed } from '../model/Origin.js'
import type { Outcome } from '../model/Refusal.js'
import { defaultSettings, type Settings } from '../model/Settings.js'
import { readEvents, type TaskEvent } from '../events.js'
import { instantOf, unixTime, type UnixTime } from '../model/slots.js'
import { TaskRegistry } from '../TaskRegistry.js'

export const start: UnixTime = unixTime(instant('2026-01-01T00:00Z'))
export const S = 600
export const T = start + 2 * S

export const mock: Settings = {
  ...defaultSettings,
  slotSeconds: S,
  tasksPerSlot: 2,
  weightPerSlot: 1_000_000,
  executionsPerTask: 3,
  horizonSeconds: 86_400,
}

/** Settings under which one sweep runs or reports so many tasks, and looks into so many passed slots. */
export const budgetFor = (tasks: number, passedSlots = 5, settings: Settings = mock): Settings => {
  const slotWeight = 100_000
  return {
    ...settings,
    tasksPerSweep: Math.max(1, tasks),
    tasksPercent: tasks === 0 ? 0 : 100,
    sweepWeight: 2 * passedSlots * slotWeight,
    updatePercent: 50,
    slotWeight,
  }
}

export const notify = (message = 'hello'): Action => ({ kind: 'notify', message })

export class Scene {
  private constructor(
    readonly virtual: VirtualNode,
    readonly log: MemoryLog,
    public tasks: TaskRegistry,
  ) {}

  static async open(
    options: {
      readonly settings?: Settings
      readonly flows?: readonly AnyFlowDefinition[]
      readonly states?: readonly AnyStateDefinition[]
      readonly callable?: readonly AnyFlowDefinition[]
      readonly committee?: readonly string[]
    } = {},
  ): Promise<Scene> {
    const log = new MemoryLog()
    const virtual = await VirtualNode.start({
      app: recurringTasks({ flows: options.flows ?? [], states: options.states ?? [] }),
      start: instantOf(start),
      store: await LogBackedStore.open(log),
    })
    const tasks = await TaskRegistry.open(virtual.node, {
      settings: options.settings ?? mock,
      committee: options.committee ?? [],
      callable: options.callable ?? [],
    })
    for (const account of ['alice', 'bob']) await tasks.endow(account, 1_000_000)
    return new Scene(virtual, log, tasks)
  }

  get now(): UnixTime {
    return unixTime(this.virtual.now)
  }

  to(time: UnixTime): Promise<void> {
    return this.virtual.advanceTo(instantOf(time))
  }

  /** The node is down until a time; then it comes up again. */
  async downUntil(time: UnixTime): Promise<void> {
    await this.virtual.crash()
    this.virtual.clock.setTo(time * 1_000)
    this.tasks = await TaskRegistry.open(await this.virtual.restart())
    await this.virtual.runUntilQuiet()
  }

  /** Schedules a notification, by default as Alice. */
  schedule(
    providedId: string,
    times: readonly UnixTime[],
    more: Partial<ScheduleTask> & { readonly as?: string } = {},
  ): Promise<Outcome<Scheduled>> {
    const { as = 'alice', ...request } = more
    return this.tasks.schedule({
      origin: signed(as),
      providedId,
      schedule: { kind: 'fixed', times },
      action: notify(),
      ...request,
    })
  }

  recurring(providedId: string, next: UnixTime, frequency: number, more: Partial<ScheduleTask> = {}) {
    return this.schedule(providedId, [], { schedule: { kind: 'recurring', next, frequency }, ...more })
  }

  /** As {@link schedule}, where it must not be refused. */
  async scheduled(...request: Parameters<Scene['schedule']>): Promise<string> {
    return idOf(await this.schedule(...request))
  }

  /** Everything told so far. */
  async events(): Promise<readonly TaskEvent[]> {
    const events: TaskEvent[] = []
    for await (const event of readEvents(this.virtual.node)) events.push(event)
    return events
  }

  /** What has been told, in short: `TaskMissed a -2` is task a of Alice, missed in the slot two before T. */
  async told(...but: readonly TaskEvent['event'][]): Promise<readonly string[]> {
    const left = new Set<string>(['TaskScheduled', ...but])
    return (await this.events()).filter(({ event }) => !left.has(event)).map(inShort)
  }
}

const known = new Map<string, string>()
for (const owner of ['alice', 'bob'])
  for (const name of 'abcdefghijklmnopqrstuvwxyz')
    known.set(taskIdOf(owner, name), owner === 'alice' ? name : `bob's ${name}`)

const inShort = ({ event, id, at, error }: TaskEvent): string =>
  [event, id === undefined ? undefined : (known.get(id) ?? id), at === undefined ? undefined : (at - T) / S, error]
    .filter((part) => part !== undefined)
    .join(' ')

/** The id of a task that was accepted. */
export const idOf = (outcome: Outcome<{ readonly id: string }>): string => {
  if (!outcome.ok) throw new Error(`Refused: ${outcome.error}`)
  return outcome.id
}

/** The reason for which a request must have been refused. */
export const refusalOf = async (request: Promise<Outcome<object>>): Promise<string> => {
  const outcome = await request
  return outcome.ok ? 'accepted' : outcome.error
}

/** Nothing is stored: no task, no slot, no fee. */
export const expectNothingStored = async ({ tasks }: Scene, times: readonly UnixTime[]): Promise<void> => {
  for await (const task of tasks.tasks()) expect.fail(`task ${task.providedId} is stored`)
  for (const time of times) expect(await tasks.slot(time)).to.equal(undefined)
  expect(await tasks.balance('alice')).to.equal(1_000_000)
}
