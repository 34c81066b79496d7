/** Flows that wait, race, fan out, start others, continue and undo, in histories in which everything goes wrong. */
import { expect } from 'chai'
import { isSome } from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import {
  CarillonError,
  defineApp,
  defineCommand,
  defineFlow,
  defineSignal,
  defineState,
  FlowIdC,
  PartyC,
  type AnyFlowDefinition,
  type FlowBody,
  type FlowIo,
} from 'carillon'
import { simulate, type Invariant, type Workload } from 'carillon/testing'

const Go = defineCommand({ type: 'trips/Go' })
const Approve = defineSignal({ name: 'trips/Approve', data: t.strict({ by: t.string }) })

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
const Trip = defineFlow({
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
const Count: AnyFlowDefinition = defineFlow({
  name: 'trips/Count',
  input: t.strict({ left: t.number, heard: t.number }),
  *run(io, { left, heard }): FlowBody<unknown> {
    if (left === 0) return heard
    const told = yield* io.signal(Approve, { within: { seconds: 20 } })
    return yield* io.continueAs(Count, { left: left - 1, heard: heard + (isSome(told) ? 1 : 0) })
  },
})

const app = defineApp({ name: 'trips', states: [Booking], flows: [Book, Trip, Count], signals: [Approve] })

const workload: Workload = async ({ start, ask, chance, node }) => {
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

/** A trip that ended by itself leaves both bookings or none; one that was killed while it undid may leave some. */
const undone: Invariant = {
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

describe('Flows that wait, in a simulation', () => {
  const found = { signals: 0, cancelled: 0, continued: 0, children: 0, timeouts: 0 }

  it('keep every promise while everything goes wrong, and what was done is undone', async () => {
    const counts: Invariant = {
      name: 'is counted',
      violations: ({ parties }) => {
        for (const { event } of parties.flatMap(({ log }) => log)) {
          if (event.type === 'SignalTaken') found.signals += 1
          if (event.type === 'FlowCancelled') found.cancelled += 1
          if (event.type === 'FlowStarted' && event.origin.kind === 'continued') found.continued += 1
          if (event.type === 'FlowStarted' && event.origin.kind === 'flow') found.children += 1
          if (event.type === 'FlowEnded' && event.error?.message === 'It is late.') found.timeouts += 1
        }
        return []
      },
    }
    const report = await simulate({ app, workload, invariants: [undone, counts], seeds: 40, actions: 20 })
    expect(
      report.failures.flatMap(({ seed, violations }) => violations.map(({ what }) => `${seed}: ${what}`)),
    ).to.deep.equal([])
    for (const [what, times] of Object.entries(found)) expect(times, what).to.be.greaterThan(0)
  })
})
