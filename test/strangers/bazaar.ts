/** A bazaar for simulations with hostile members: stalls that are known by their number, alone or with others. */
import * as t from 'io-ts'
import { right } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
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
  plus,
  rule,
  StateRefC,
  type FlowBody,
  type LedgerTransaction,
  type StateRef,
} from 'carillon'
import type { SimulationOptions, Turn as SimulatedTurn } from 'carillon/testing'
import { agreeTo, settle } from '../session/agreement.js'

const Trade = defineCommand({ type: 'bazaar/Trade' })
const StallC = t.strict({
  parties: t.readonlyArray(PartyC),
  number: t.string,
  turn: IntegerC,
  dueAt: t.union([InstantC, t.null]),
})
const Kind = { type: 'bazaar/Stall', data: StallC } as const

/** The rules of version 1 have a hole: they forget who must sign what is new. */
const v1 = (tx: LedgerTransaction) =>
  allOf(
    tx
      .inputsOf(Kind)
      .flatMap(({ data }) => data.parties.map(({ key, name }) => rule(`${name} signs`, tx.signers.has(key)))),
  )
const v2 = (tx: LedgerTransaction) =>
  allOf([
    ...tx.participants.map(({ key, name }) => rule(`${name} signs`, tx.signers.has(key))),
    ...tx.outputsOf(Kind).map(({ data }) => rule('somebody has it', data.parties.length > 0)),
  ])

export const Stall = defineState({
  ...Kind,
  contract: defineContract({ name: 'bazaar/Stall', version: 2, verify: v2, earlier: { 1: v1 } }),
  participants: ({ parties }) => parties,
  key: ({ number }) => number,
  nextScheduledActivity: ({ dueAt, number }) => (dueAt === null ? none : some(Turn.at(dueAt, { number }))),
})
/** Its contract wants nobody's signature, so anyone can make one for anyone. */
export const Leaflet = defineState({
  type: 'bazaar/Leaflet',
  data: t.strict({ reader: PartyC, title: t.string, dueAt: t.union([InstantC, t.null]) }),
  contract: defineContract({ name: 'bazaar/Leaflet', verify: () => right(undefined) }),
  participants: ({ reader }) => [reader],
  key: ({ title }) => title,
  nextScheduledActivity: ({ dueAt }, leaflet) => (dueAt === null ? none : some(Read.at(dueAt, { leaflet }))),
})

const Open = defineFlow({
  name: 'bazaar/Open',
  input: t.strict({
    with: t.readonlyArray(PartyC),
    number: t.string,
    notary: PartyC,
    inMs: t.union([IntegerC, t.null]),
  }),
  *run(io, { with: others, number, notary, inMs }): FlowBody<StateRef> {
    const parties = [io.me, ...others]
    const dueAt = inMs === null ? null : plus(yield* io.now(), { milliseconds: inMs })
    return yield* settle(io, parties, (tx) =>
      tx.notary(notary).produce(Stall, { parties, number, turn: 0, dueAt }).command(Trade, parties),
    )
  },
})
const Turn = defineFlow({
  name: 'bazaar/Turn',
  schedulable: true,
  input: t.strict({ number: t.string }),
  *run(io, { number }): FlowBody<number> {
    const stall = yield* io.find(Stall, number)
    if (stall === undefined) return -1
    const { parties, turn } = stall.data
    yield* settle(io, parties, (tx) =>
      tx
        .consume(stall)
        .produce(Stall, { ...stall.data, turn: turn + 1, dueAt: null })
        .command(Trade, parties),
    )
    return turn + 1
  },
})
const Print = defineFlow({
  name: 'bazaar/Print',
  input: t.strict({ title: t.string, inMs: IntegerC, notary: PartyC }),
  *run(io, { title, inMs, notary }): FlowBody<void> {
    const dueAt = plus(yield* io.now(), { milliseconds: inMs })
    yield* io.finalise((tx) =>
      tx.notary(notary).produce(Leaflet, { reader: io.me, title, dueAt }).command(Trade, [io.me]),
    )
  },
})
const Read = defineFlow({
  name: 'bazaar/Read',
  schedulable: true,
  input: t.strict({ leaflet: StateRefC }),
  *run(io, { leaflet }): FlowBody<void> {
    const read = yield* io.load(Leaflet, leaflet)
    yield* io.finalise((tx) => tx.consume(read).command(Trade, [io.me]))
  },
})
/** Hands somebody a leaflet that this party has printed, with all that it builds on. */
const Take = defineResponder({
  name: 'bazaar/Take',
  respondsTo: 'bazaar/Hand',
  *run(io, session): FlowBody<void> {
    yield* io.receiveFinality(session, { any: true })
  },
})

/** Signs for any trade that it is shown a part of. */
const Vouch = defineResponder({
  name: 'bazaar/Vouch',
  respondsTo: 'bazaar/Ask',
  *run(io, session): FlowBody<void> {
    yield* io.signTearOff(session, Trade, () => right(undefined))
  },
})

export const app = defineApp({
  name: 'bazaar',
  states: [Stall, Leaflet],
  flows: [Open, Turn, Print, Read, Take, Vouch, agreeTo('bazaar/Open'), agreeTo('bazaar/Turn')],
  agreesTo: { changeNotary: () => right(undefined) },
})

const numbers = ['a', 'b', 'c']

const trade = async ({ chance, parties, name, node, start }: SimulatedTurn): Promise<void> => {
  const others = parties.filter((party) => party.name !== name)
  const number = chance.pick(numbers)
  // By name: whoever is a notary of the network is one of its members.
  const notary = node.network.members.find(({ notary: kind }) => kind !== undefined)?.party ?? node.party
  const what = chance.below(6)
  if (what < 2)
    await start(Open, {
      with: chance.some(others, chance.between(0, 2)),
      number,
      notary,
      inMs: chance.pick([null, 500, 20_000]),
    })
  else if (what < 4) await start(Turn, { number })
  else await start(Print, { title: number, inMs: chance.pick([500, 60_000]), notary })
}

export const simulation: Omit<SimulationOptions, 'app'> = { parties: ['Ann', 'Ben'], workload: trade, hostile: 1 }
export const bazaarSimulation: SimulationOptions = { app, ...simulation }
