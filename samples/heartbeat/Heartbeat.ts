/**
 * The state and its contract: a heart that says when it beats next, and which transactions are a heart's start, beat,
 * skip and stop. Neither reads a clock: the instant is in the state, and that a beat is not early, the contract makes the
 * notary check, by asking for a time window that begins when it is due.
 */
import { some } from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import {
  activity,
  allOf,
  defineCommand,
  defineContract,
  defineState,
  InstantC,
  IntegerC,
  millisBetween,
  PartyC,
  rule,
  type LedgerTransaction,
  type Rule,
} from 'carillon'

export const HeartC = t.strict({
  name: t.string,
  owner: PartyC,
  startedAt: InstantC,
  intervalMs: IntegerC,
  /** What to do with beats that were missed: make up for each of them, or go on with the next one. */
  missedBeats: t.keyof({ 'catch-up': null, skip: null }),
  /** Beats so far. */
  beats: IntegerC,
  /** Beats that were missed and skipped. */
  skipped: IntegerC,
  nextBeatAt: InstantC,
})
export type Heart = t.TypeOf<typeof HeartC>

/** The kind of state a heart is kept in: its type, and the codec of its data. */
const HeartKind = { type: 'heartbeat/Heartbeat', data: HeartC } as const

export const StartCommand = defineCommand({ type: 'heartbeat/Start' })
export const BeatCommand = defineCommand({ type: 'heartbeat/Beat' })
export const SkipCommand = defineCommand({ type: 'heartbeat/Skip', data: t.strict({ beats: IntegerC }) })
export const StopCommand = defineCommand({ type: 'heartbeat/Stop' })

type Hearts = { readonly before: readonly Heart[]; readonly after: readonly Heart[] }

const passes = ({ before, after }: Hearts, consumed: number, produced: number, sentence: string): Rule =>
  rule(sentence, before.length === consumed && after.length === produced)

const onStart = (hearts: Hearts): readonly Rule[] => [
  passes(hearts, 0, 1, 'a start consumes no heart and produces one'),
  ...hearts.after.flatMap(({ name, intervalMs, beats, skipped, startedAt, nextBeatAt }) => [
    rule('a heart has a name', name !== ''),
    rule('the interval is at least a millisecond', intervalMs >= 1),
    rule('a new heart has neither beaten nor skipped', beats === 0 && skipped === 0),
    rule('the first beat is due one interval after the start', millisBetween(startedAt, nextBeatAt) === intervalMs),
  ]),
]

/** A heart goes on: what it is stays the same, and its next beat stays on the grid of the ones before. */
const goesOn = ({ before: [before], after: [after] }: Hearts, beats: number, skipped: number): readonly Rule[] =>
  before === undefined || after === undefined
    ? []
    : [
        rule('the name stays the same', after.name === before.name),
        rule('the owner stays the same', after.owner.key === before.owner.key),
        rule('the start stays the same', after.startedAt === before.startedAt),
        rule('the interval stays the same', after.intervalMs === before.intervalMs),
        rule('the way with missed beats stays the same', after.missedBeats === before.missedBeats),
        rule(`the count of beats goes up by ${beats}`, after.beats === before.beats + beats),
        rule(`the count of skipped beats goes up by ${skipped}`, after.skipped === before.skipped + skipped),
        rule(
          `the next beat is due ${beats + skipped} × the interval after the one before`,
          millisBetween(before.nextBeatAt, after.nextBeatAt) === (beats + skipped) * before.intervalMs,
        ),
      ]

const onBeat = (hearts: Hearts, { timeWindow }: LedgerTransaction): readonly Rule[] => [
  passes(hearts, 1, 1, 'a beat consumes one heart and produces one'),
  ...goesOn(hearts, 1, 0),
  ...hearts.before
    .slice(0, 1)
    .map(({ nextBeatAt }) =>
      rule('a beat is never early: its time window begins when it is due', timeWindow?.from === nextBeatAt),
    ),
]

const onSkip = (hearts: Hearts, skipped: number): readonly Rule[] => [
  passes(hearts, 1, 1, 'a skip consumes one heart and produces one'),
  rule('a skip passes over at least one beat', skipped >= 1),
  rule('only a heart that skips missed beats may skip', hearts.before[0]?.missedBeats === 'skip'),
  ...goesOn(hearts, 0, skipped),
]

const onStop = (hearts: Hearts): readonly Rule[] => [
  passes(hearts, 1, 0, 'a stop consumes one heart and produces none'),
]

const HeartbeatContract = defineContract({
  name: 'heartbeat/HeartbeatContract',
  verify: (transaction) => {
    const hearts: Hearts = {
      before: transaction.inputsOf(HeartKind).map(({ data }) => data),
      after: transaction.outputsOf(HeartKind).map(({ data }) => data),
    }
    const commanded = [
      ...transaction.commandsOf(StartCommand).map(() => onStart(hearts)),
      ...transaction.commandsOf(BeatCommand).map(() => onBeat(hearts, transaction)),
      ...transaction.commandsOf(SkipCommand).map(({ data }) => onSkip(hearts, data.beats)),
      ...transaction.commandsOf(StopCommand).map(() => onStop(hearts)),
    ]
    return allOf([
      rule('there is exactly one heartbeat command', commanded.length === 1),
      ...commanded.flat(),
      ...[...hearts.before, ...hearts.after].map(({ owner, name }) =>
        rule(`${owner.name} signs for ${name}`, transaction.signers.has(owner.key)),
      ),
    ])
  },
})

/** The state names its flows, and does not import them: contract and flows stay apart. */
export const flowNames = { beat: 'heartbeat/Beat', skipMissed: 'heartbeat/SkipMissedBeats' } as const

export const Heartbeat = defineState({
  ...HeartKind,
  contract: HeartbeatContract,
  participants: (heart) => [heart.owner],
  nextScheduledActivity: (heart, heartbeat) => {
    const beat = { name: flowNames.beat, input: { heartbeat } }
    if (heart.missedBeats === 'catch-up') return some(activity(heart.nextBeatAt, beat))
    const skip = { name: flowNames.skipMissed, input: { heartbeat } }
    return some(activity(heart.nextBeatAt, beat, { toleranceMs: heart.intervalMs, onMissed: skip }))
  },
})
