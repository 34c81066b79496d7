/**
 * Flows of the crash campaign that wait: for signals, states, consumptions and each other; that go on with a fresh record;
 * and that undo what they have done when nobody approves of it, or when they are cancelled.
 */
import * as t from 'io-ts'
import {
  CarillonError,
  defineCommand,
  defineFlow,
  defineSignal,
  defineState,
  IntegerC,
  PartyC,
  type AnyFlowDefinition,
  type FlowBody,
  type FlowIo,
} from '../../src/index.js'
import { effect } from './outside.js'

export const Act = defineCommand({ type: 'crash/Act' })

export const Note = defineState({
  type: 'crash/Note',
  data: t.strict({ owner: PartyC, text: t.string }),
  participants: ({ owner }) => [owner],
})

export const Offer = defineState({
  type: 'crash/Offer',
  data: t.strict({ owner: PartyC, text: t.string }),
  participants: ({ owner }) => [owner],
  key: ({ text }) => text,
  indexed: { text: ({ text }) => text },
})

export const Tell = defineSignal({ name: 'crash/Tell', data: t.strict({ n: IntegerC }) })

/** What every flow of a client does last: the transaction by which its result is known. */
const note = function* (io: FlowIo, text: string): FlowBody<string> {
  return (yield* io.finalise((tx) => tx.produce(Note, { owner: io.me, text }).command(Act, [io.me]))).id
}

const MakeOffer = defineFlow({
  name: 'crash/MakeOffer',
  input: t.strict({ text: t.string }),
  *run(io, { text }): FlowBody<string> {
    yield* io.sleep({ milliseconds: 5 })
    return (yield* io.finalise((tx) => tx.produce(Offer, { owner: io.me, text }).command(Act, [io.me]))).id
  },
})

const TakeOffer = defineFlow({
  name: 'crash/TakeOffer',
  input: t.strict({ text: t.string }),
  *run(io, { text }): FlowBody<string> {
    const offer = yield* io.waitFor(Offer, { key: text })
    yield* io.sleep({ milliseconds: 5 })
    return (yield* io.finalise((tx) => tx.consume(offer).command(Act, [io.me]))).id
  },
})

/** What a meeting saw, each transaction by its id. */
export const MetC = t.strict({
  offered: t.string,
  seen: t.string,
  taken: t.string,
  consumedBy: t.string,
  id: t.string,
})
export type Met = t.TypeOf<typeof MetC>

/** Waits for what its children do: a state by a field, its consumption, and their ends. */
export const Meet = defineFlow({
  name: 'crash/Meet',
  input: t.strict({ text: t.string }),
  *run(io, { text }): FlowBody<Met> {
    const offering = yield* io.start(MakeOffer, { text }, { id: 'offer' })
    const offer = yield* io.waitFor(Offer, { text })
    const { taking, consumedBy } = yield* io.all({
      consumedBy: io.waitForConsumption(offer),
      taking: io.start(TakeOffer, { text }, { id: 'take', whenParentEnds: 'cancel' }),
    })
    yield* io.waitForTransaction(consumedBy)
    const taken = yield* io.join(taking)
    const offered = yield* io.join(offering)
    return { offered, seen: offer.ref.transaction, taken, consumedBy, id: yield* note(io, text) }
  },
})

/** What a count was told, in the order in which it took it. */
export const HeardC = t.strict({ heard: t.readonlyArray(IntegerC), id: t.string })

/** Takes a signal, and goes on with a fresh record. */
export const Count: AnyFlowDefinition = defineFlow({
  name: 'crash/Count',
  input: t.strict({ text: t.string, left: IntegerC, heard: t.array(IntegerC) }),
  *run(io, { text, left, heard }): FlowBody<unknown> {
    if (left === 0) return { heard, id: yield* note(io, text) }
    const { data } = yield* io.signal(Tell)
    return yield* io.continueAs(Count, { text, left: left - 1, heard: [...heard, data.n] })
  },
})

export const UndoneC = t.strict({ undone: t.boolean, id: t.string })

/** A part that loses its race, and has something to do then. */
const look = function* (io: FlowIo, text: string): FlowBody<void> {
  try {
    yield* io.waitFor(Offer, { key: `never ${text}` }, { within: { hours: 1 } })
  } finally {
    yield* effect(io, 'stop looking')
  }
}

export const bookings: readonly string[] = ['flight', 'hotel']

/** Books, waits for an approval, and undoes what it has booked when that does not come or it is cancelled. */
const travel = function* (
  io: FlowIo,
  { text, patienceMs }: { readonly text: string; readonly patienceMs: number },
): FlowBody<t.TypeOf<typeof UndoneC>> {
  const begun: string[] = []
  try {
    for (const what of bookings) {
      // Before the step: one that is cancelled while it is under way may have taken effect.
      begun.push(what)
      yield* effect(io, `book ${what}`)
    }
    const { winner } = yield* io.race({
      told: io.signal(Tell),
      late: io.sleep({ milliseconds: patienceMs }),
      look: look(io, text),
    })
    if (winner !== 'told') throw new CarillonError('step-failed', 'Nobody has approved in time.')
    return { undone: false, id: yield* note(io, text) }
  } catch {
    for (const what of begun.reverse()) yield* effect(io, `cancel ${what}`)
    return { undone: true, id: yield* note(io, text) }
  }
}

/** `isTold`: whether a client approves of it, in time or not. */
const TravelC = t.strict({ text: t.string, patienceMs: IntegerC, isTold: t.boolean })
export const Travel = defineFlow({ name: 'crash/Travel', input: TravelC, run: travel })
/** One that an operator cancels. */
export const Cancelled = defineFlow({ name: 'crash/Cancelled', input: TravelC, run: travel })
export const travels: readonly string[] = [Travel.name, Cancelled.name]

/** Approves of its child's travel itself, or ends before that is over: the child is cancelled then. */
export const Oversee = defineFlow({
  name: 'crash/Oversee',
  input: t.strict({ text: t.string, approves: t.boolean }),
  *run(
    io,
    { text, approves },
  ): FlowBody<{ readonly approved: boolean; readonly undone: boolean; readonly id: string }> {
    const child = yield* io.start(Travel, { text, patienceMs: 3_600_000, isTold: false }, { whenParentEnds: 'cancel' })
    if (!approves) {
      yield* io.join(child, { within: { milliseconds: 15 } })
      return { approved: false, undone: true, id: yield* note(io, text) }
    }
    yield* io.sendSignal(child.id, Tell, { n: 1 })
    const { undone } = yield* io.join(child)
    return { approved: true, undone, id: yield* note(io, text) }
  },
})

export const waitingFlows: readonly AnyFlowDefinition[] = [
  ...[MakeOffer, TakeOffer, Meet, Count, Travel, Cancelled, Oversee],
]
