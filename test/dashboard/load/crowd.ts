/**
 * A node with much to show: many activities pending, a long log behind it, and some that go on firing.
 */
import { some } from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import {
  defineApp,
  defineCommand,
  defineFlow,
  defineState,
  InstantC,
  IntegerC,
  PartyC,
  plus,
  StateRefC,
  type FlowBody,
  type Node,
} from '../../../src/index.js'

const Act = defineCommand({ type: 'crowd/Act' })

const Member = defineState({
  type: 'crowd/Member',
  data: t.strict({ owner: PartyC, number: IntegerC, dueAt: InstantC, everyMs: IntegerC, left: IntegerC }),
  participants: ({ owner }) => [owner],
  indexed: { number: ({ number }) => number },
  nextScheduledActivity: ({ dueAt }, ref) => some(Step.at(dueAt, { member: ref })),
})

const restMs = 90 * 86_400_000

/** Goes on `left` times at its pace, and then rests for long. */
const Step = defineFlow({
  name: 'crowd/Step',
  schedulable: true,
  input: t.strict({ member: StateRefC }),
  *run(io, { member }): FlowBody<void> {
    const current = yield* io.load(Member, member)
    const { data } = current
    const left = data.left - 1
    const dueAt = plus(data.dueAt, { milliseconds: left > 0 ? data.everyMs : restMs })
    yield* io.finalise((tx) =>
      tx
        .consume(current)
        .produce(Member, { ...data, left, dueAt })
        .command(Act, [io.me]),
    )
  },
})

const Gather = defineFlow({
  name: 'crowd/Gather',
  input: t.strict({
    first: IntegerC,
    count: IntegerC,
    inMs: IntegerC,
    apartMs: IntegerC,
    everyMs: IntegerC,
    left: IntegerC,
  }),
  *run(io, { first, count, inMs, apartMs, everyMs, left }): FlowBody<void> {
    const from = plus(yield* io.now(), { milliseconds: inMs })
    for (let number = first; number < first + count; number += 100)
      yield* io.finalise((tx) => {
        for (let each = number; each < Math.min(number + 100, first + count); each++)
          tx.produce(Member, {
            owner: io.me,
            number: each,
            dueAt: plus(from, { milliseconds: (each - first) * apartMs }),
            everyMs,
            left,
          })
        return tx.command(Act, [io.me])
      })
  },
})

export const crowd = defineApp({ name: 'crowd', version: '1.0.0', states: [Member], flows: [Step, Gather] })

const hourMs = 3_600_000
const eventsPerStep = 3

/** Fills the log with so many events of fired activities, and leaves so many activities pending over the next month. */
export const fill = async (node: Node, pending: number, events: number): Promise<void> => {
  const steps = Math.ceil(events / eventsPerStep)
  const members = Math.min(10_000, steps)
  const times = Math.ceil(steps / members)
  await node.run(Gather, { first: 0, count: members, inMs: 0, apartMs: 0, everyMs: 1, left: times })
  while (node.head.revision < steps * eventsPerStep) await new Promise((resolve) => setTimeout(resolve, 200))
  const apartMs = Math.ceil((30 * 24 * hourMs) / pending)
  for (let first = 0; first < pending; first += 10_000)
    await node.run(Gather, {
      ...{ first: members + first, count: Math.min(10_000, pending - first) },
      ...{ inMs: hourMs + first * apartMs, apartMs, everyMs: hourMs, left: 1 },
    })
}

/** Some that fire all the time, so that every live view has something to do. */
export const keepBusy = (node: Node, aSecond: number): Promise<void> =>
  node.run(Gather, {
    first: 10_000_000,
    count: aSecond,
    inMs: 0,
    apartMs: Math.floor(1_000 / aSecond),
    everyMs: 1_000,
    left: 1_000,
  })
