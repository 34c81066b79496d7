import { expect } from 'chai'
import fc from 'fast-check'
import * as t from 'io-ts'
import { defineFlow, type FlowBody } from 'carillon'
import { accountOf, readEvents } from '../events.js'
import { taskIdOf, type Action } from '../model/Task.js'
import { calledWith, root, signed } from '../model/Origin.js'
import type { Settings } from '../model/Settings.js'
import { slotOf } from '../model/slots.js'
import { Call, TimeSlot } from '../states.js'
import { budgetFor, mock, notify, S, Scene } from './Scene.js'

/** Comes back after a while, or breaks. */
const Errand = defineFlow({
  name: 'test/Errand',
  clients: false,
  input: calledWith(t.strict({ minutes: t.number, breaks: t.boolean })),
  *run(io, { input: { minutes, breaks } }): FlowBody<void> {
    if (minutes > 0) yield* io.sleep({ minutes })
    if (breaks) throw new Error('Broken')
  },
})

const settings: readonly Settings[] = [
  mock,
  { ...mock, tasksPerSlot: 6, weightPerSlot: 300_000 },
  { ...mock, executionsPerTask: 1, tasksPerSlot: 1, weightPerSlot: 1 },
  { ...mock, actionWeight: { notify: 90_000, transfer: 200_000, call: 300_000 } },
  { ...mock, reservedEvery: 2 },
  { ...mock, sweepWeight: 500, weightPerSlot: 100 },
  { ...mock, tasksPerSweep: 1, sweepSeconds: 200, weightPerSlot: 20_000 },
  budgetFor(0),
]

type Operation = (scene: Scene) => Promise<unknown>

const aheadArb = fc.integer({ min: 0, max: 6 })
const nameArb = fc.constantFrom('a', 'b', 'c')
const whoArb = fc.constantFrom('alice', 'bob', 'carol')
const actionArb: fc.Arbitrary<Action> = fc.oneof(
  fc.constantFrom(1, 700, 1_000, 1_001, 200_000).map((bytes) => notify('m'.repeat(bytes))),
  fc.constantFrom(1, 500_000, 9_000_000).map((amount): Action => ({ kind: 'transfer', to: 'dora', amount })),
  fc
    .record({ minutes: fc.constantFrom(0, 5, 45), breaks: fc.boolean() })
    .map((input): Action => ({ kind: 'call', flow: 'test/Errand', input })),
)

const ahead = ({ now }: Scene, slots: number): number => slotOf(now, mock) + slots * S

const scheduleArb = fc
  .record({
    as: whoArb,
    name: nameArb,
    slots: fc.array(aheadArb, { minLength: 1, maxLength: 4 }),
    every: fc.constantFrom(0, 0, 1, 2),
    action: actionArb,
    abortErrors: fc.constantFrom([], ['Broken', 'InsufficientBalance']),
  })
  .map(({ as, name, slots, every, action, abortErrors }): Operation => async (scene) => {
    const [first = 1] = slots
    await (every === 0
      ? scene.schedule(
          name,
          slots.map((each) => ahead(scene, each)),
          { as, action, abortErrors },
        )
      : scene.recurring(name, ahead(scene, first), every * S, { action, abortErrors }))
  })

const operationArb: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 6, arbitrary: scheduleArb },
  {
    weight: 2,
    arbitrary: fc.tuple(whoArb, nameArb).map(
      ([who, name]): Operation =>
        (scene) =>
          scene.tasks.cancel(signed(who), taskIdOf(who, name)),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.integer({ min: 1, max: 2 * S }).map(
      (seconds): Operation =>
        (scene) =>
          scene.to(scene.now + seconds),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 1, max: 5 * S }).map(
      (seconds): Operation =>
        (scene) =>
          scene.downUntil(scene.now + seconds),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 1, max: 3 * S }).map(
      (seconds): Operation =>
        (scene) =>
          scene.downUntil(scene.now - seconds),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(...settings).map(
      (each): Operation =>
        (scene) =>
          scene.tasks.reconfigure(each, root),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.boolean().map(
      (on): Operation =>
        (scene) =>
          on ? scene.tasks.start(root) : scene.tasks.stop(root),
    ),
  },
)

/** What must hold at every moment. */
const assertSound = async ({ tasks, virtual }: Scene): Promise<void> => {
  const { lastMissedSlot, lastTimeSlot, missedFirst, missedNext } = await tasks.sweeper()
  const slots = (await virtual.node.states(TimeSlot, { limit: 1_000 })).map(({ data }) => data)
  const queue = await tasks.taskQueue()
  const missed = await tasks.missedQueue()
  const entries = [
    ...slots.flatMap((slot) => slot.tasks),
    ...(queue?.tasks ?? []),
    ...missed.flatMap((page) => page.tasks),
  ]

  for (const { id, free } of await tasks.accounts()) expect(free, `${id} has`).to.be.at.least(0)
  for (const slot of slots) {
    expect(slot.weight, 'weight of a slot').to.be.at.least(0)
    expect(slot.tasks.length, 'tasks of a slot').to.be.within(1, 6)
    expect(slot.at, 'a slot that was swept').to.be.above(lastMissedSlot)
    if (slot.at <= lastTimeSlot) expect(slot.at, 'a slot whose queue was loaded').to.be.below(lastTimeSlot)
  }
  expect(missed.map(({ page }) => page)).to.deep.equal(missed.map((_, index) => missedFirst + index))
  expect(missedFirst + missed.length).to.equal(missedNext)
  expect(missed.map(({ at }) => at)).to.deep.equal(missed.map(({ at }) => at).sort((a, b) => a - b))

  const booked = new Map<string, number>()
  for (const id of entries) booked.set(id, (booked.get(id) ?? 0) + 1)
  for await (const { id, schedule, counts, calling, providedId } of tasks.tasks()) {
    const left = schedule.kind === 'fixed' ? schedule.executionsLeft : 1
    expect(booked.get(id) ?? 0, `entries of ${providedId}`).to.equal(left)
    expect(left + calling, `what is left of ${providedId}`).to.be.above(0)
    for (const count of [...Object.values(counts), calling]) expect(count).to.be.at.least(0)
    booked.delete(id)
  }
  expect([...booked.keys()], 'entries without a task').to.deep.equal([])
}

const names = (events: readonly { readonly event: string }[], ...of: readonly string[]): number =>
  events.filter(({ event }) => of.includes(event)).length

/** What must hold in the end: whatever was accepted has come to exactly one end. */
const assertAccounted = async (scene: Scene): Promise<void> => {
  const events = await scene.events()
  const { doubled, ended } = await accountOf(readEvents(scene.virtual.node))
  expect(doubled, 'executions that ended twice').to.deep.equal([])
  const triggered = events.flatMap(({ event, id = '', at = 0 }) => (event === 'TaskTriggered' ? [`${id}@${at}`] : []))
  expect(new Set(triggered).size, 'executions that were triggered twice').to.equal(triggered.length)
  const calls = (await scene.virtual.node.states(Call, { limit: 1_000 })).map(({ data }) => `${data.task}@${data.at}`)
  const open = triggered.filter((each) => !ended.has(each))
  expect(open, 'executions without an end, but for calls under way').to.have.members(calls)
  expect(names(events, 'SweepFailed', 'TaskNotFound')).to.equal(0)
  let left = 0
  for await (const { schedule } of scene.tasks.tasks()) {
    expect(schedule.kind, 'what is left in the end').to.equal('recurring')
    left += 1
  }
  const over = names(events, 'TaskCompleted', 'TaskCancelled', 'TaskNotRescheduled', 'TaskRescheduleFailed')
  expect(over + left, 'tasks that are over or recur').to.equal(names(events, 'TaskScheduled'))
  const money = (await scene.tasks.accounts()).reduce((sum, { free }) => sum + free, 0)
  expect(money).to.equal(2_000_000)
}

describe('the registry under whatever comes', () => {
  it('keeps its books: nothing negative, no zombies, each execution once and with one end, no money made', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operationArb, { minLength: 5, maxLength: 25 }), async (operations) => {
        const scene = await Scene.open({ settings: mock, flows: [Errand], callable: [Errand] })
        const latest = { at: scene.now }
        for (const operation of operations) {
          await operation(scene)
          latest.at = Math.max(latest.at, scene.now)
          await assertSound(scene)
        }
        await scene.tasks.start(root)
        await scene.tasks.reconfigure({ ...mock, tasksPerSlot: 6, weightPerSlot: 300_000 }, root)
        await scene.to(latest.at + 20 * S)
        await assertSound(scene)
        await assertAccounted(scene)
        await scene.virtual.stop()
      }),
      { numRuns: Number(process.env['TASKS_RUNS'] ?? 10) },
    )
  })
})
