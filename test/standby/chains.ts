/**
 * An app that is always busy: chains of activities, each of which asks for the next, and notes that clients leave.
 */
import * as t from 'io-ts'
import { some } from 'fp-ts/lib/Option.js'
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
} from 'carillon'

export const Chain = defineState({
  type: 'chains/Chain',
  data: t.strict({ owner: PartyC, name: t.string, link: IntegerC, everyMs: IntegerC, nextAt: InstantC }),
  participants: ({ owner }) => [owner],
  nextScheduledActivity: ({ nextAt }, ref) => some(Link.at(nextAt, { chain: ref })),
})
export const Note = defineState({
  type: 'chains/Note',
  data: t.strict({ owner: PartyC, text: t.string }),
  participants: ({ owner }) => [owner],
})
const Forge = defineCommand({ type: 'chains/Forge' })

export const StartChain = defineFlow({
  name: 'chains/StartChain',
  input: t.strict({ name: t.string, everyMs: IntegerC }),
  *run(io, { name, everyMs }) {
    const nextAt = plus(yield* io.now(), { milliseconds: everyMs })
    yield* io.finalise((tx) =>
      tx.produce(Chain, { owner: io.me, name, link: 0, everyMs, nextAt }).command(Forge, [io.me]),
    )
  },
})

export const Link = defineFlow({
  name: 'chains/Link',
  schedulable: true,
  input: t.strict({ chain: StateRefC }),
  *run(io, { chain }): FlowBody<void> {
    const current = yield* io.load(Chain, chain)
    const { link, everyMs, nextAt } = current.data
    yield* io.finalise((tx) =>
      tx
        .consume(current)
        .produce(Chain, { ...current.data, link: link + 1, nextAt: plus(nextAt, { milliseconds: everyMs }) })
        .command(Forge, [io.me]),
    )
  },
})

export const LeaveNote = defineFlow({
  name: 'chains/LeaveNote',
  input: t.strict({ text: t.string }),
  *run(io, { text }) {
    yield* io.finalise((tx) => tx.produce(Note, { owner: io.me, text }).command(Forge, [io.me]))
  },
})

export const chains = defineApp({
  name: 'chains',
  states: [Chain, Note],
  flows: [StartChain, Link, LeaveNote],
})
