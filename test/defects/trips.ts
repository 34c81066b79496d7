/**
 * A travel agency of one party: flows that wait, race, fan out, start others, continue, refuse and undo; bills that go every
 * way an activity can go; rounds that repeat; and operators who do everything that they may do to all of these.
 */
import * as t from 'io-ts'
import { isSome } from 'fp-ts/lib/Option.js'
import {
  canonicalText,
  CarillonError,
  defineApp,
  defineCommand,
  defineFlow,
  defineSignal,
  defineState,
  FlowIdC,
  IntegerC,
  parkFlow,
  PartyC,
  refuseWith,
  retryLater,
  type AnyFlowDefinition,
  type App,
  type FlowBody,
  type FlowIo,
} from 'carillon'
import { everyInterval, recurring } from 'carillon/recurrence'
import type { Chance, Invariant, SimulationOptions, Turn } from 'carillon/testing'
import { flowIdOfClientId } from '../../src/log/FlowId.js'
import type { Criterion } from '../../src/vault/query/Criterion.js'
import { billKinds, billsOf, type Bills } from './bills.js'
import { storesOnDisk } from './storesOnDisk.js'

const Go = defineCommand({ type: 'trips/Go' })
const Approve = defineSignal({ name: 'trips/Approve', data: t.strict({ by: t.string }) })

/** A bag is handed to a porter, by its number. */
const Hand = defineSignal({ name: 'trips/Hand', data: t.strict({ bag: t.union([IntegerC, t.null]) }) })

const Booking = defineState({
  type: 'trips/Booking',
  data: t.strict({ owner: PartyC, trip: FlowIdC, what: t.string }),
  participants: ({ owner }) => [owner],
  key: ({ trip, what }) => `${trip} ${what}`,
  indexed: { what: ({ what }) => what },
})

/** Books one thing on the ledger, after asking outside whether it is to be had. */
const Book = defineFlow({
  name: 'trips/Book',
  input: t.strict({ trip: FlowIdC, what: t.string }),
  *run(io, { trip, what }): FlowBody<string> {
    yield* io.step(`ask for ${what}`, () => what)
    yield* io.finalise((tx) => tx.produce(Booking, { owner: io.me, trip, what }).command(Go, [io.me]))
    return what
  },
})

/** Loses its race, and goes on for a while as if it had not. */
const heedless = function* (io: FlowIo): FlowBody<void> {
  try {
    yield* io.sleep({ days: 1 })
  } catch {
    yield* io.sleep({ seconds: 30 })
  }
}

/** Books two things side by side, waits for an approval, and undoes both when that does not come or it is cancelled. */
export const Trip = defineFlow({
  name: 'trips/Trip',
  input: t.strict({}),
  *run(io): FlowBody<string> {
    const booked: string[] = []
    try {
      const book = function* (what: string): FlowBody<string> {
        const child = yield* io.start(Book, { trip: io.flowId, what }, { id: what, whenParentEnds: 'cancel' })
        booked.push(what)
        return yield* io.join(child)
      }
      yield* io.all({ flight: book('flight'), hotel: book('hotel') })
      const hotel = yield* io.find(Booking, `${io.flowId} hotel`)
      if (hotel === undefined) throw new CarillonError('step-failed', 'There is no hotel.')
      const { winner } = yield* io.race({
        approved: io.signal(Approve),
        late: io.sleep({ minutes: 2 }),
        elsewhere: io.waitForConsumption(hotel.ref),
        heedless: heedless(io),
      })
      if (winner !== 'approved') throw new CarillonError('step-failed', `It is ${winner}.`)
      return winner
    } catch (error) {
      for (const what of booked)
        yield* io.transact(function* (tx) {
          const found = yield* io.find(Booking, `${io.flowId} ${what}`)
          return found === undefined ? undefined : tx.consume(found).command(Go, [io.me])
        })
      throw error
    }
  },
})

/** Counts what it is told, and goes on with a fresh record after each. */
export const Count: AnyFlowDefinition = defineFlow({
  name: 'trips/Count',
  input: t.strict({ left: t.number, heard: t.number }),
  *run(io, { left, heard }): FlowBody<unknown> {
    if (left === 0) return heard
    const told = yield* io.signal(Approve, { within: { seconds: 20 } })
    return yield* io.continueAs(Count, { left: left - 1, heard: heard + (isSome(told) ? 1 : 0) })
  },
})

/** What may be in the way of a guide. */
const ObstacleC = t.keyof({ none: null, refusal: null, storm: null, strike: null })

/** Carries what it is told about, one signal at a time, until it is told that this was all. */
const Porter = defineFlow({
  name: 'trips/Porter',
  input: t.strict({}),
  clients: false,
  *run(io): FlowBody<number> {
    for (let carried = 0; ; carried++) {
      yield* io.progress(`carried ${carried}`)
      const { data } = yield* io.signal(Hand)
      if (data.bag === null) return carried
      if (data.bag !== carried) throw new Error(`Bag ${data.bag} came as number ${carried}.`)
    }
  },
})

/** Looks at all of a trip's bookings, as a part of another flow. */
const Look = defineFlow({
  name: 'trips/Look',
  input: t.strict({ what: t.string }),
  refusals: t.strict({ reason: t.string }),
  *run(io, { what }) {
    const found = yield* io.query(Booking, {
      where: { and: [{ field: 'what', is: what }, { locked: false }] },
      limit: 50,
    })
    const [first] = found
    if (first === undefined) return refuseWith({ reason: `no ${what} is booked` })
    yield* io.lock(first)
    const again = yield* io.query(Booking, { where: { field: 'what', is: what }, limit: 50 })
    if (!again.some(({ ref }) => ref.transaction === first.ref.transaction))
      throw new Error('What is reserved is gone.')
    yield* io.unlock(first)
    return found.length
  },
})

/** Has bags carried by a child, hands them over by signals, and meets obstacles. */
const Guide = defineFlow({
  name: 'trips/Guide',
  input: t.strict({ bags: IntegerC, obstacle: ObstacleC }),
  refusals: t.strict({ reason: t.string }),
  retry: { attempts: 3, firstWaitMs: 700 },
  *run(io, { bags, obstacle }) {
    const porter = yield* io.start(Porter, {})
    const begun = yield* io.now()
    if ((yield* io.newId()) === (yield* io.newId())) throw new Error('Two ids are the same.')
    for (let bag = 0; bag < bags; bag++) yield* io.sendSignal(porter.id, Hand, { bag })
    if (obstacle === 'strike') {
      // Whoever retries it later finds it gone on from here.
      const ended = yield* io.after({ seconds: -20 })
      if (ended < begun) throw parkFlow('The porters are on strike.')
    }
    if (obstacle === 'storm' && (yield* io.query(Booking, { limit: 1 })).length === 0)
      throw retryLater('There is a storm.')
    yield* io.sendSignal(porter.id, Hand, { bag: null })
    const seen = yield* io.subFlow(Look, { what: 'hotel' })
    const carried = yield* io.join(porter)
    if (carried !== bags) throw new Error(`${carried} of ${bags} bags were carried.`)
    return typeof seen === 'number' || obstacle !== 'refusal' ? carried : seen
  },
})

/** Rounds that repeat, of which some take longer than until the next. */
const rounds = (['skip', 'buffer-one', 'allow', 'cancel-previous'] as const).map((overlap) =>
  recurring({
    name: `trips/${overlap}`,
    payload: t.strict({ seconds: IntegerC }),
    overlap,
    missed: (
      { skip: 'run-latest', 'buffer-one': 'run-all', allow: 'skip-to-grid', 'cancel-previous': 'run-latest' } as const
    )[overlap],
    graceMs: 2_000,
    *run(io, { payload }): FlowBody<void> {
      yield* io.sleep({ seconds: payload.seconds })
    },
  }),
)

const appOf = ({ Bill, flows }: Bills, version: number): App =>
  defineApp({
    name: 'trips',
    version: `${version}.0.0`,
    states: [Booking, Bill, ...rounds.flatMap(({ states }) => states)],
    flows: [Book, Trip, Count, Porter, Look, Guide, ...flows, ...rounds.flatMap((round) => round.flows)],
    signals: [Approve, Hand],
  })

const [first, second] = [billsOf(false), billsOf(true)]

const notes = [null, 'alpha', 'beta', 'βήτα', '𝔾amma', 'beta ']

/** What a flow can be asked to look for. */
const criterionOf = (chance: Chance, depth: number): Criterion => {
  const number = (): number => chance.below(12) * 10
  switch (chance.below(depth > 0 ? 8 : 5)) {
    case 0:
      return { field: 'amount', is: number() }
    case 1:
      return { field: 'amount', from: number(), ...(chance.oneIn(2) ? {} : { until: number() }) }
    case 2:
      return { field: 'amount', in: [number(), number()] }
    case 3:
      return { field: 'large', is: chance.oneIn(2) }
    case 4:
      return { field: 'note', from: chance.pick(notes) ?? 'b' }
    case 5:
      return { not: criterionOf(chance, depth - 1) }
    case 6:
      return { or: [criterionOf(chance, depth - 1), criterionOf(chance, depth - 1)] }
    default:
      return { and: [criterionOf(chance, depth - 1), criterionOf(chance, depth - 1)] }
  }
}

const useBills = async ({ chance, start, ask }: Turn): Promise<void> => {
  const bills = Array.from({ length: chance.between(1, 4) }, () => ({
    number: `${chance.below(40)}`,
    // An upgrade has to come between a bill and its instant for these to be what they are.
    kind: chance.pick([...billKinds, 'moved', 'moved', 'waived', 'waived'] as const),
    amount: chance.below(12) * 10,
    note: chance.pick(notes),
  }))
  await start(second.Send, { bills, inMs: chance.pick([0, 500, 3_000, 20_000, 60_000]) })
  if (chance.oneIn(3)) {
    const byKey = chance.oneIn(2)
    await start(second.Await, {
      key: byKey ? `${chance.below(40)}` : null,
      amount: chance.below(12) * 10,
      withinMs: chance.pick([null, 2_000, 60_000]),
    })
  }
  if (chance.oneIn(2))
    await start(second.Search, {
      where: chance.oneIn(4) ? null : criterionOf(chance, 2),
      by: chance.pick([null, 'amount', 'note', 'large'] as const),
      descending: chance.oneIn(2),
      limit: chance.between(1, 3),
    })
  if (chance.oneIn(2)) await ask('asks about all bills again', (node) => node.reassess(second.Bill))
}

const useRounds = async ({ chance, now, start }: Turn): Promise<void> => {
  const round = chance.pick(rounds)
  const id = chance.pick(['north', 'south'])
  const recurrence = everyInterval({ seconds: chance.pick([5, 20]) }, now, { count: chance.between(1, 4) })
  switch (chance.below(8)) {
    case 0:
      await start(round.Change, { id, recurrence })
      return
    case 1:
      await start(round.Pause, { id, note: 'snow' })
      return
    case 2:
      await start(round.Resume, { id })
      return
    case 3:
      await start(round.Trigger, { id })
      return
    case 4:
      await start(round.Cancel, { id, number: chance.between(1, 3) })
      return
    default:
      await start(round.Create, { id, recurrence, payload: { seconds: chance.pick([1, 12]) } })
  }
}

const expectDone = async (asked: Promise<unknown>): Promise<void> => {
  const answer = canonicalText(await asked)
  if (answer !== canonicalText({ done: true })) throw new Error(`An operator was answered ${answer}.`)
}

/** What operators do to flows and to activities, whether it fits or not. */
const operate = async ({ chance, ask, node }: Turn): Promise<void> => {
  const [flow] = chance.some((await node.flows({ limit: 20, ...(chance.oneIn(3) ? {} : { status: 'open' }) })).items, 1)
  const show = chance.pick(['scheduled', 'attention', 'paused', 'started'] as const)
  const [entry] = chance.some((await node.agenda({ show, limit: 20 })).items, 1)
  const by = 'Olga'
  if (flow !== undefined) {
    const act = chance.pick(['pause', 'pause', 'resume', 'retry', 'kill', 'dismiss', 'cancel'] as const)
    await ask(`does ${act} to a flow`, (own) =>
      expectDone(own.operate({ on: 'flow', action: act, flow: flow.id }, { by })),
    )
  }
  for (const action of ['resume', 'retry', 'dismiss'] as const)
    if (chance.oneIn(5)) await ask(`does ${action} to all flows`, (own) => own.operateFlows(action, {}, { by }))
  if (entry === undefined) return
  const act = chance.pick(['trigger', 'retry', 'dismiss', 'pause', 'resume'] as const)
  const note = chance.oneIn(2) && (act === 'dismiss' || act === 'pause') ? { note: 'because' } : {}
  await ask(`does ${act} to an activity`, (own) =>
    expectDone(own.operate({ on: 'activity', action: act, ref: entry.ref, ...note }, { by })),
  )
}

const useTrips = async ({ start, ask, chance, node }: Turn): Promise<void> => {
  const [running] = chance.some((await node.flows({ status: 'open' })).items, 1)
  if (running === undefined || chance.oneIn(3)) {
    if (chance.oneIn(3))
      for (let count = chance.between(1, 4); count > 0; count--) await start(Count, { left: 3, heard: 0 })
    else await start(Trip, {})
  } else if (chance.oneIn(4)) await ask('cancels', () => node.cancelFlow(running.id, { withinMs: 60_000 }))
  else if (chance.oneIn(6)) await ask('cancels all', () => node.operateFlows('cancel', { name: Trip.name }))
  else if (chance.oneIn(2))
    await ask('approves of all, and of one again before they have all gone on', async () => {
      const open = (await node.flows({ status: 'open' })).items
      await Promise.all(open.map(({ id }) => node.signal(id, Approve, { by: 'Ann' })))
      await Promise.all(chance.some(open, 1).map(({ id }) => node.signal(id, Approve, { by: 'Bob' })))
    })
  else
    await ask('approves', async () => {
      const id = `approval ${chance.below(3)}`
      await node.signal(running.id, Approve, { by: 'Ann' }, { id })
      await node.signal(running.id, Approve, { by: 'Ann' }, { id })
    })
}

/** Asked again under the same client id, a node gives the flow that it has started, or refuses another input. */
const askAgain = async ({ chance, ask }: Turn): Promise<void> => {
  const clientId = `request ${chance.below(3)}`
  const input = { bags: chance.below(2), obstacle: 'none' } as const
  await ask('asks twice under one client id', async (node) => {
    const handle = await node.start(Guide, input, { clientId })
    const again = await node.start(Guide, input, { clientId })
    // The id follows from the client's, also where a tick before was lost in which it was given.
    const own = flowIdOfClientId(clientId, undefined)
    if (handle.id !== own || again.id !== own) throw new Error(`Client id ${clientId} has started another flow.`)
    await node.start(Guide, { ...input, bags: 7 }, { clientId }).then(
      () => {
        throw new Error(`Client id ${clientId} has taken another input.`)
      },
      (error: unknown) => {
        if (!(error instanceof CarillonError)) throw error
      },
    )
  })
}

/** What one turn is about. */
const turns: readonly ((turn: Turn) => Promise<unknown>)[] = [
  ...[useTrips, useTrips, useBills, useBills, useBills, useRounds],
  ...[operate, operate, operate, askAgain],
  ({ chance, start }) =>
    start(Guide, {
      bags: chance.below(4),
      obstacle: chance.pick(['none', 'refusal', 'storm', 'strike'] as const),
    }),
]

/** A trip that ended by itself leaves both bookings or none; one that was killed while it undid may leave some. */
export const undone: Invariant = {
  name: 'a trip that did not come about has nothing booked',
  violations: ({ parties, isSettled }) =>
    !isSettled
      ? []
      : parties.flatMap(({ name, inspect, log }) => {
          const left = new Map<string, number>()
          for (const { data } of inspect.states(Booking)) left.set(data.trip, (left.get(data.trip) ?? 0) + 1)
          const trips = new Set(
            log.flatMap(({ event }) => (event.type === 'FlowStarted' && event.name === Trip.name ? [event.flow] : [])),
          )
          return log.flatMap(({ event }) => {
            if (event.type !== 'FlowEnded' || !trips.has(event.flow)) return []
            const count = left.get(event.flow) ?? 0
            if (event.outcome === 'completed' && count !== 2) return [`${name}: ${event.flow} has ${count} bookings`]
            return event.outcome === 'failed' && count !== 0 ? [`${name}: ${event.flow} left ${count} bookings`] : []
          })
        }),
}

/** Codes with which a flow of the agency may fail. */
const goodCodes = [
  ...['flow-cancelled', 'step-failed', 'state-key-taken', 'state-consumed', 'state-unknown', 'state-locked'],
  ...['flow-ended', 'flow-killed', 'child-failed'],
]

const failsForAReason: Invariant = {
  name: 'flows fail only for good reasons',
  violations: ({ parties }) =>
    parties.flatMap(({ inspect }) =>
      inspect
        .flows({ status: 'failed', limit: 1_000 })
        .items.filter(({ error }) => !goodCodes.includes(error?.code ?? ''))
        .map(({ name, error }) => `${name} failed with ${error?.code ?? 'nothing'}: ${error?.message ?? ''}`),
    ),
}

export const tripsSimulation: SimulationOptions = {
  app: appOf(second, 2),
  earlier: [appOf(first, 1)],
  workload: async (turn) => {
    for (let acts = turn.chance.between(2, 4); acts > 0; acts--) await turn.chance.pick(turns)(turn)
  },
  invariants: [undone, failsForAReason, storesOnDisk],
  actions: 25,
}
