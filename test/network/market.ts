/** Lots that several parties hold together: opened, turned by schedule on every holder's node, merged and quoted. */
import * as t from 'io-ts'
import { left, right } from 'fp-ts/lib/Either.js'
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
  type Party,
  type StateAndRef,
  type StateRef,
  type TransactionBuilder,
} from 'carillon'
import { agreeTo, settle } from '../session/agreement.js'

export const Deal = defineCommand({ type: 'market/Deal' })

const LotC = t.strict({
  parties: t.readonlyArray(PartyC),
  number: IntegerC,
  turns: IntegerC,
  dueAt: t.union([InstantC, t.null]),
})
type LotData = t.TypeOf<typeof LotC>

export const Lot = defineState({
  type: 'market/Lot',
  data: LotC,
  contract: participantsSign,
  participants: ({ parties }) => parties,
  nextScheduledActivity: ({ dueAt }, ref) => (dueAt === null ? none : some(Turn.at(dueAt, { lot: ref }))),
})

const deal = (
  io: FlowIo,
  parties: readonly Party[],
  build: (draft: TransactionBuilder) => TransactionBuilder,
): FlowBody<StateRef> => settle(io, parties, (draft) => build(draft).command(Deal, parties))

export const Open = defineFlow({
  name: 'market/Open',
  input: t.strict({ with: t.readonlyArray(PartyC), number: IntegerC, dueAt: t.union([InstantC, t.null]) }),
  *run(io, { with: others, number, dueAt }): FlowBody<StateRef> {
    const parties = [io.me, ...others]
    return yield* deal(io, parties, (draft) => draft.produce(Lot, { parties, number, turns: 0, dueAt }))
  },
})

/** Both the activity of a lot and what someone may do by hand at any time. */
export const Turn = defineFlow({
  name: 'market/Turn',
  schedulable: true,
  input: t.strict({ lot: StateRefC }),
  *run(io, { lot }): FlowBody<StateRef> {
    const { ref, data } = yield* io.load(Lot, lot)
    return yield* deal(io, data.parties, (draft) =>
      draft.consume(ref).produce(Lot, { ...data, turns: data.turns + 1, dueAt: null }),
    )
  },
})

/** Makes one lot of two, for the parties of both. */
export const Merge = defineFlow({
  name: 'market/Merge',
  input: t.strict({ lots: t.readonlyArray(StateRefC) }),
  *run(io, { lots }): FlowBody<StateRef> {
    const loaded: StateAndRef<LotData>[] = []
    for (const lot of lots) loaded.push(yield* io.load(Lot, lot))
    const parties = [...new Map(loaded.flatMap(({ data }) => data.parties).map((one) => [one.key, one])).values()]
    const number = loaded.reduce((sum, { data }) => sum + data.number, 0)
    return yield* deal(io, parties, (draft) =>
      draft.consume(...loaded).produce(Lot, { parties, number, turns: 0, dueAt: null }),
    )
  },
})

/** Turns one lot while another must still be there. */
export const Quote = defineFlow({
  name: 'market/Quote',
  input: t.strict({ lot: StateRefC, quoted: StateRefC }),
  *run(io, { lot, quoted }): FlowBody<StateRef> {
    const { ref, data } = yield* io.load(Lot, lot)
    const other = yield* io.load(Lot, quoted)
    return yield* deal(io, data.parties, (draft) =>
      draft
        .consume(ref)
        .reference(other)
        .produce(Lot, { ...data, number: other.data.number, dueAt: null }),
    )
  },
})

const agree = (flow: string) =>
  agreeTo(flow, (transaction) =>
    transaction.outputsOf(Lot).some(({ data }) => data.number % 13 === 12) ? left('a bad number') : right(undefined),
  )

export const app = defineApp({
  name: 'market',
  states: [Lot],
  flows: [
    Open,
    Turn,
    Merge,
    Quote,
    agree('market/Open'),
    agree('market/Turn'),
    agree('market/Merge'),
    agree('market/Quote'),
  ],
})
