/** A chain of states of one owner, as long as one likes, that is shared with another party at last. */
import * as t from 'io-ts'
import { left, right } from 'fp-ts/lib/Either.js'
import {
  allOf,
  defineApp,
  defineCommand,
  defineContract,
  defineFlow,
  defineResponder,
  defineState,
  InstantC,
  IntegerC,
  PartyC,
  rule,
  StateRefC,
  type FlowBody,
  type StateAndRef,
  type StateRef,
} from 'carillon'
import { none, some } from 'fp-ts/lib/Option.js'
import { agreeTo } from './agreement.js'

export const Step = defineCommand({ type: 'chain/Step' })

const contract = defineContract({
  name: 'chain/Link',
  verify: (transaction) => {
    const outputs = transaction.outputsOf(Link)
    const count = Math.max(-1, ...transaction.inputsOf(Link).map(({ data }) => data.count))
    return allOf([
      ...outputs.map(({ data }) => rule('a link counts one on', data.count === count + 1)),
      ...transaction.participants.map(({ key, name }) => rule(`${name} must sign`, transaction.signers.has(key))),
    ])
  },
})

export const Link = defineState({
  type: 'chain/Link',
  data: t.strict({ parties: t.readonlyArray(PartyC), count: IntegerC, dueAt: t.union([InstantC, t.null]) }),
  contract,
  participants: ({ parties }) => parties,
  nextScheduledActivity: ({ dueAt }, ref) => (dueAt === null ? none : some(Touch.at(dueAt, { link: ref }))),
})

/** Would consume the state, if it were ever started. */
export const Touch = defineFlow({
  name: 'chain/Touch',
  schedulable: true,
  input: t.strict({ link: StateRefC }),
  *run(io, { link }): FlowBody<void> {
    yield* io.load(Link, link)
  },
})

/** Begins a chain, or goes on with one, for so many steps, alone but under a notary. */
export const Grow = defineFlow({
  name: 'chain/Grow',
  input: t.strict({ from: t.union([StateRefC, t.null]), steps: IntegerC, notary: PartyC }),
  *run(io, { from, steps, notary }): FlowBody<StateRef | null> {
    let last = from
    for (let step = 0; step < steps; step++) {
      const current = last === null ? undefined : yield* io.load(Link, last)
      const done = yield* io.finalise((draft) => {
        if (current !== undefined) draft.consume(current)
        const count = (current?.data.count ?? -1) + 1
        return draft
          .notary(notary)
          .produce(Link, { parties: [io.me], count, dueAt: null })
          .command(Step, [io.me])
      })
      last = done.output()
    }
    return last
  },
})

/** Brings chains together into one state of several parties; the others sign in sessions, observers are told. */
export const Share = defineFlow({
  name: 'chain/Share',
  input: t.strict({
    links: t.readonlyArray(StateRefC),
    signers: t.readonlyArray(PartyC),
    participants: t.readonlyArray(PartyC),
    observers: t.readonlyArray(PartyC),
    dueAt: t.union([InstantC, t.null]),
  }),
  *run(io, { links, signers, participants, observers, dueAt }): FlowBody<StateRef> {
    const current: StateAndRef<{ readonly count: number }>[] = []
    for (const link of links) current.push(yield* io.load(Link, link))
    // Not all who take part are asked to sign: some specs want to see what comes of it.
    const sessions = []
    for (const party of signers) sessions.push(yield* io.initiate(party))
    const parties = [io.me, ...participants]
    const count = Math.max(-1, ...current.map(({ data }) => data.count)) + 1
    const done = yield* io.finalise(
      (draft) =>
        draft
          .consume(...current)
          .produce(Link, { parties, count, dueAt })
          .command(Step, parties),
      { sessions, observers },
    )
    return done.output()
  },
})

const check: Parameters<typeof agreeTo>[1] = (transaction) => {
  const [link] = transaction.outputsOf(Link)
  return link?.data.count === 13 ? left('thirteen brings bad luck') : right(undefined)
}

export const app = defineApp({
  name: 'chain',
  states: [Link],
  flows: [Grow, Share, Touch, agreeTo('chain/Share', check)],
  agreesTo: { observe: () => right(undefined), changeNotary: () => right(undefined) },
})

/** An app whose responder signs and never asks what became of it. */
export const forgetful = defineApp({
  name: 'chain',
  states: [Link],
  flows: [
    Grow,
    Share,
    Touch,
    defineResponder({
      name: 'chain/SignAndLeave',
      respondsTo: Share,
      *run(io, session): FlowBody<void> {
        yield* io.signProposal(session, check)
      },
    }),
  ],
})
