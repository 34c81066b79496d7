/**
 * The app the crash campaign runs: chains that must never break, flows that sleep, flows with outside effects,
 * occurrences that take several attempts, and flows that wait for each other. Everything it does can be told apart afterwards by number.
 */
import { none, some } from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import {
  defineApp,
  defineFlow,
  defineState,
  InstantC,
  IntegerC,
  PartyC,
  plus,
  StateRefC,
  type App,
  type FlowBody,
} from '../../src/index.js'
import type { AnyProjection } from '../../src/entries/projections.js'
import { effect } from './outside.js'
import { Act, Note, Tell, waitingFlows, Offer } from './waitingApp.js'

/** What a beat does besides going on: nothing, an outside effect, a sleep; or it minds being late. */
const HeartKindC = t.keyof({ plain: null, effect: null, nap: null, strict: null })
export type HeartKind = t.TypeOf<typeof HeartKindC>
export const heartKinds: readonly HeartKind[] = ['plain', 'effect', 'nap', 'strict']

export const beatEveryMs = 40
/** A beat later than this runs as missed, in a chain that minds. */
const strictToleranceMs = 25
/** The attempt at which a stubborn state gives in; every restart brings one more. */
const stubbornAttempts = 4

export const HeartDataC = t.strict({
  owner: PartyC,
  chain: IntegerC,
  kind: HeartKindC,
  beat: IntegerC,
  firstBeatAt: InstantC,
  nextBeatAt: InstantC,
})

export const Heart = defineState({
  type: 'crash/Heart',
  data: HeartDataC,
  participants: ({ owner }) => [owner],
  nextScheduledActivity: ({ kind, nextBeatAt }, ref) => {
    const missed = kind === 'strict' ? { toleranceMs: strictToleranceMs, onMissed: BeatLate.ref({ heart: ref }) } : {}
    return some(Beat.at(nextBeatAt, { heart: ref }, missed))
  },
})

/** Its flow ends several times without consuming it; each start of the node must open exactly one more attempt. */
export const Stubborn = defineState({
  type: 'crash/Stubborn',
  data: t.strict({ owner: PartyC, dueAt: InstantC, settled: t.boolean }),
  participants: ({ owner }) => [owner],
  nextScheduledActivity: ({ dueAt, settled }, ref) => (settled ? none : some(Insist.at(dueAt, { stubborn: ref }))),
})

const advance = function* (io: Parameters<typeof Beat.run>[0], ref: t.TypeOf<typeof StateRefC>): FlowBody<number> {
  const { data, ref: from, type } = yield* io.load(Heart, ref)
  if (data.kind === 'effect') yield* effect(io, 'beat')
  if (data.kind === 'nap') yield* io.sleep({ milliseconds: 15 })
  yield* io.finalise((tx) =>
    tx
      .consume({ ref: from, type, data })
      .produce(Heart, {
        ...data,
        beat: data.beat + 1,
        nextBeatAt: plus(data.nextBeatAt, { milliseconds: beatEveryMs }),
      })
      .command(Act, [data.owner]),
  )
  return data.beat
}

export const Beat = defineFlow({
  name: 'crash/Beat',
  schedulable: true,
  input: t.strict({ heart: StateRefC }),
  *run(io, { heart }): FlowBody<number> {
    return yield* advance(io, heart)
  },
})

export const BeatLate = defineFlow({
  name: 'crash/BeatLate',
  schedulable: true,
  input: t.strict({ heart: StateRefC }),
  *run(io, { heart }): FlowBody<number> {
    return yield* advance(io, heart)
  },
})

export const StartHeart = defineFlow({
  name: 'crash/StartHeart',
  input: t.strict({ chain: IntegerC, kind: HeartKindC }),
  *run(io, { chain, kind }): FlowBody<string> {
    const now = yield* io.now()
    const first = plus(now, { milliseconds: beatEveryMs })
    const done = yield* io.finalise((tx) =>
      tx
        .produce(Heart, { owner: io.me, chain, kind, beat: 0, firstBeatAt: first, nextBeatAt: first })
        .command(Act, [io.me]),
    )
    return done.id
  },
})

export const Write = defineFlow({
  name: 'crash/Write',
  input: t.strict({ text: t.string }),
  *run(io, { text }): FlowBody<string> {
    const done = yield* io.finalise((tx) => tx.produce(Note, { owner: io.me, text }).command(Act, [io.me]))
    return done.id
  },
})

export const Nap = defineFlow({
  name: 'crash/Nap',
  input: t.strict({ text: t.string, milliseconds: IntegerC }),
  *run(io, { text, milliseconds }): FlowBody<{ readonly until: string; readonly woke: string; readonly id: string }> {
    const asleep = yield* io.now()
    yield* io.sleep({ milliseconds })
    const woke = yield* io.now()
    const { id } = yield* io.finalise((tx) => tx.produce(Note, { owner: io.me, text }).command(Act, [io.me]))
    return { until: plus(asleep, { milliseconds }), woke, id }
  },
})

export const Post = defineFlow({
  name: 'crash/Post',
  input: t.strict({ text: t.string }),
  *run(io, { text }): FlowBody<{ readonly first: string; readonly second: string; readonly id: string }> {
    const first = yield* effect(io, 'first')
    const { id } = yield* io.finalise((tx) => tx.produce(Note, { owner: io.me, text }).command(Act, [io.me]))
    const second = yield* effect(io, 'second')
    return { first, second, id }
  },
})

/** Effects side by side, one after a sleep, and one in a race that it wins. */
export const Fan = defineFlow({
  name: 'crash/Fan',
  input: t.strict({ text: t.string }),
  *run(io, { text }): FlowBody<{ readonly effects: readonly string[]; readonly first: string; readonly id: string }> {
    const late = function* (): FlowBody<string> {
      yield* io.sleep({ milliseconds: 5 })
      const early = yield* effect(io, 'late')
      return `${early} ${yield* effect(io, 'later')}`
    }
    const { left, right, nap } = yield* io.all({ left: effect(io, 'left'), nap: late(), right: effect(io, 'right') })
    const { winner } = yield* io.race({ quick: effect(io, 'quick'), never: io.sleep({ hours: 1 }) })
    const { id } = yield* io.finalise((tx) => tx.produce(Note, { owner: io.me, text }).command(Act, [io.me]))
    return { effects: [left, right, nap], first: winner, id }
  },
})

export const Insist = defineFlow({
  name: 'crash/Insist',
  schedulable: true,
  input: t.strict({ stubborn: StateRefC }),
  *run(io, { stubborn }): FlowBody<string> {
    const current = yield* io.load(Stubborn, stubborn)
    if ((io.startedBy?.attempt ?? 0) < stubbornAttempts) return 'not yet'
    yield* io.finalise((tx) =>
      tx
        .consume(current)
        .produce(Stubborn, { ...current.data, settled: true })
        .command(Act, [current.data.owner]),
    )
    return 'settled'
  },
})

export const StartStubborn = defineFlow({
  name: 'crash/StartStubborn',
  input: t.strict({}),
  *run(io): FlowBody<string> {
    const now = yield* io.now()
    const done = yield* io.finalise((tx) =>
      tx
        .produce(Stubborn, { owner: io.me, dueAt: plus(now, { milliseconds: 10 }), settled: false })
        .command(Act, [io.me]),
    )
    return done.id
  },
})

export const crashApp = (projections: readonly AnyProjection[]): App =>
  defineApp({
    name: 'crash',
    states: [Heart, Note, Stubborn, Offer],
    flows: [Beat, BeatLate, StartHeart, Write, Nap, Post, Fan, Insist, StartStubborn, ...waitingFlows],
    signals: [Tell],
    projections,
  })
