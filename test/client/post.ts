/** A small post office for a client in another process: letters with a key, a flow that waits, and flows that fail. */
import { none, some } from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import {
  activity,
  CarillonError,
  defineApp,
  defineCommand,
  defineFlow,
  defineSignal,
  defineState,
  InstantC,
  IntegerC,
  refuseWith,
  PartyC,
  plus,
  StateRefC,
  type FlowBody,
} from 'carillon'

/** Minutes in memory, seconds on the wire: a codec that changes what it is given. */
export const MinutesC = new t.Type<number, number>(
  'Minutes',
  t.number.is,
  (value, context) => (typeof value === 'number' ? t.success(value / 60) : t.failure(value, context)),
  (minutes) => minutes * 60,
)

export const Letter = defineState({
  type: 'post/Letter',
  data: t.strict({ owner: PartyC, to: t.string, minutes: MinutesC, sendAt: InstantC }),
  participants: ({ owner }) => [owner],
  key: ({ to }) => to,
  indexed: { minutes: ({ minutes }) => minutes },
  nextScheduledActivity: ({ sendAt, to }, letter) =>
    to === 'nobody' ? none : some(activity(sendAt, { name: 'post/Send', input: { letter: { ...letter } } })),
})
const Written = defineCommand({ type: 'post/Written' })

export const Write = defineFlow({
  name: 'post/Write',
  input: t.strict({ to: t.string, minutes: MinutesC }),
  *run(io, { to, minutes }): FlowBody<string> {
    const sendAt = plus(yield* io.now(), { days: 1 })
    yield* io.finalise((tx) => tx.produce(Letter, { owner: io.me, to, minutes, sendAt }).command(Written, [io.me]))
    return to
  },
})

const Send = defineFlow({
  name: 'post/Send',
  schedulable: true,
  input: t.strict({ letter: StateRefC }),
  *run(): FlowBody<void> {},
})

export const Nothing = defineFlow({ name: 'post/Nothing', input: t.strict({}), *run(): FlowBody<void> {} })

export const Lose = defineFlow({
  name: 'post/Lose',
  input: t.strict({ pieces: IntegerC }),
  *run(_, { pieces }): FlowBody<void> {
    throw new CarillonError('post/lost', `${pieces} letters are lost.`, { pieces })
  },
})

/** Refuses letters that are too heavy, with the most that it takes, in minutes of work. */
export const Weigh = defineFlow({
  name: 'post/Weigh',
  input: t.strict({ grams: IntegerC }),
  refusals: t.strict({ reason: t.literal('too heavy'), minutes: MinutesC }),
  *run(io, { grams }) {
    yield* io.now()
    return grams > 20 ? refuseWith({ reason: 'too heavy', minutes: 2 }) : grams
  },
})

export const Stamp = defineSignal({ name: 'post/Stamp', data: t.strict({ cents: IntegerC }) })

export const AwaitStamp = defineFlow({
  name: 'post/AwaitStamp',
  input: t.strict({}),
  *run(io): FlowBody<number> {
    return (yield* io.signal(Stamp)).data.cents
  },
})

export const post = defineApp({
  name: 'post',
  states: [Letter],
  flows: [Write, Send, Nothing, Lose, Weigh, AwaitStamp],
  signals: [Stamp],
})
