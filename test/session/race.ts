/** States that both of their parties want to deal with at the same instant, and a way to spend them by hand. */
import * as t from 'io-ts'
import { isLeft, right } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import {
  defineApp,
  defineCommand,
  defineFlow,
  defineResponder,
  defineState,
  InstantC,
  IntegerC,
  participantsSign,
  PartyC,
  StateRefC,
  type FlowBody,
  type FlowIo,
  type StateRef,
} from 'carillon'

export const Act = defineCommand({ type: 'race/Act' })

export const Item = defineState({
  type: 'race/Item',
  data: t.strict({
    source: PartyC,
    destination: PartyC,
    number: IntegerC,
    dueAt: InstantC,
    fate: t.keyof({ open: null, processed: null, spent: null }),
    /** Whether both parties' nodes run the activity, or only the source's. */
    contested: t.boolean,
  }),
  contract: participantsSign,
  participants: ({ source, destination }) => [source, destination],
  nextScheduledActivity: ({ fate, dueAt }, ref) => (fate === 'open' ? some(Process.at(dueAt, { item: ref })) : none),
  runsOn: ({ source, destination, contested }) => ({
    parties: contested ? [source, destination] : [source],
    takeoverAfter: { seconds: 0 },
  }),
})

export const Insert = defineFlow({
  name: 'race/Insert',
  input: t.strict({ to: PartyC, number: IntegerC, dueAt: InstantC, contested: t.boolean }),
  *run(io, { to, number, dueAt, contested }): FlowBody<StateRef> {
    const session = yield* io.initiate(to)
    const data = { source: io.me, destination: to, number, dueAt, fate: 'open' as const, contested }
    const done = yield* io.finalise((draft) => draft.produce(Item, data).command(Act, [io.me, to]), {
      sessions: [session],
    })
    return done.output()
  },
})

const settle = function* (io: FlowIo, ref: StateRef, fate: 'processed' | 'spent'): FlowBody<void> {
  const item = yield* io.load(Item, ref)
  const { source, destination } = item.data
  const session = yield* io.initiate(source.key === io.me.key ? destination : source)
  yield* io.finalise(
    (draft) =>
      draft
        .consume(item)
        .produce(Item, { ...item.data, fate })
        .command(Act, [source, destination]),
    { sessions: [session] },
  )
}

export const Process = defineFlow({
  name: 'race/Process',
  schedulable: true,
  input: t.strict({ item: StateRefC }),
  *run(io, { item }): FlowBody<void> {
    yield* settle(io, item, 'processed')
  },
})

/** Spends by hand; that another was quicker is no failure. */
export const Spend = defineFlow({
  name: 'race/Spend',
  input: t.strict({ item: StateRefC }),
  *run(io, { item }): FlowBody<string> {
    const spent = yield* io.attempt(settle(io, item, 'spent'))
    return isLeft(spent) ? String(spent.left.details['code'] ?? spent.left.code) : 'spent'
  },
})

const agree = (name: string, respondsTo: string) =>
  defineResponder({
    name,
    respondsTo,
    *run(io, session): FlowBody<void> {
      yield* io.signProposal(session, () => right(undefined))
      yield* io.receiveFinality(session)
    },
  })

export const app = defineApp({
  name: 'race',
  states: [Item],
  flows: [
    Insert,
    Process,
    Spend,
    agree('race/AgreeInsert', 'race/Insert'),
    agree('race/AgreeProcess', 'race/Process'),
    agree('race/AgreeSpend', 'race/Spend'),
  ],
})
