/** States that both of their parties want to deal with at the same instant, and a way to spend them by hand. */
import * as t from 'io-ts'
import { isLeft } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import {
  defineApp,
  defineCommand,
  defineFlow,
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
import { agreeTo, settle } from './agreement.js'

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
    const data = { source: io.me, destination: to, number, dueAt, fate: 'open' as const, contested }
    return yield* settle(io, [io.me, to], (draft) => draft.produce(Item, data).command(Act, [io.me, to]))
  },
})

const seal = function* (io: FlowIo, ref: StateRef, fate: 'processed' | 'spent'): FlowBody<void> {
  const item = yield* io.load(Item, ref)
  const parties = [item.data.source, item.data.destination]
  yield* settle(io, parties, (draft) =>
    draft
      .consume(item)
      .produce(Item, { ...item.data, fate })
      .command(Act, parties),
  )
}

export const Process = defineFlow({
  name: 'race/Process',
  schedulable: true,
  input: t.strict({ item: StateRefC }),
  *run(io, { item }): FlowBody<void> {
    yield* seal(io, item, 'processed')
  },
})

/** Spends by hand; that another was quicker is no failure. */
export const Spend = defineFlow({
  name: 'race/Spend',
  input: t.strict({ item: StateRefC }),
  *run(io, { item }): FlowBody<string> {
    const spent = yield* io.attempt(seal(io, item, 'spent'))
    return isLeft(spent) ? String(spent.left.details['code'] ?? spent.left.code) : 'spent'
  },
})

export const app = defineApp({
  name: 'race',
  states: [Item],
  flows: [Insert, Process, Spend, agreeTo('race/Insert'), agreeTo('race/Process'), agreeTo('race/Spend')],
})
