/**
 * The app of the benchmarks with several parties: a state that two hold, turned by one of them with the other's signature
 * and the notary's, and states of one owner that only the notary has to be asked about.
 */
import { right } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import {
  defineApp,
  defineCommand,
  defineFlow,
  defineResponder,
  defineState,
  IntegerC,
  participantsSign,
  PartyC,
  StateRefC,
  type FlowBody,
  type StateRef,
} from 'carillon'

const Act = defineCommand({ type: 'bench/Deal' })

export const Deal = defineState({
  type: 'bench/Deal',
  data: t.strict({ parties: t.readonlyArray(PartyC), turns: IntegerC }),
  contract: participantsSign,
  participants: ({ parties }) => parties,
})

export const Open = defineFlow({
  name: 'bench/Open',
  input: t.strict({ with: PartyC }),
  *run(io, { with: other }): FlowBody<StateRef> {
    const parties = [io.me, other]
    const session = yield* io.initiate(other)
    const done = yield* io.finalise((tx) => tx.produce(Deal, { parties, turns: 0 }).command(Act, parties), {
      sessions: [session],
    })
    return done.output()
  },
})

/** One transaction of two parties: proposed, signed by both, notarised, recorded by both. */
export const Turn = defineFlow({
  name: 'bench/Turn',
  input: t.strict({ deal: StateRefC, with: PartyC }),
  *run(io, { deal, with: other }): FlowBody<StateRef> {
    const current = yield* io.load(Deal, deal)
    const { parties, turns } = current.data
    const session = yield* io.initiate(other)
    const done = yield* io.finalise(
      (tx) =>
        tx
          .consume(current)
          .produce(Deal, { parties, turns: turns + 1 })
          .command(Act, parties),
      { sessions: [session] },
    )
    return done.output()
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

/** Produces so many states of its own under the notary. */
export const Stock = defineFlow({
  name: 'bench/Stock',
  input: t.strict({ count: IntegerC, notary: PartyC }),
  *run(io, { count, notary }): FlowBody<readonly StateRef[]> {
    const done = yield* io.finalise((tx) => {
      for (let number = 0; number < count; number++) tx.produce(Deal, { parties: [io.me], turns: 0 })
      return tx.notary(notary).command(Act, [io.me])
    })
    return Array.from({ length: count }, (_, index) => done.output(index))
  },
})

/** Spends states of its own and produces as many: one request to the notary. */
export const Renew = defineFlow({
  name: 'bench/Renew',
  input: t.strict({ states: t.readonlyArray(StateRefC), notary: PartyC }),
  *run(io, { states, notary }): FlowBody<readonly StateRef[]> {
    const done = yield* io.finalise((tx) => {
      for (const ref of states) tx.consume(ref).produce(Deal, { parties: [io.me], turns: 1 })
      return tx.notary(notary).command(Act, [io.me])
    })
    return states.map((_, index) => done.output(index))
  },
})

export const dealApp = defineApp({
  name: 'bench-deals',
  states: [Deal],
  flows: [Open, Turn, agree('bench/AgreeOpen', 'bench/Open'), agree('bench/AgreeTurn', 'bench/Turn'), Stock, Renew],
})
