/**
 * The contract: which transactions are a heart's start, beat, skip and stop. It knows nothing of flows and reads no
 * clock; that a beat is not early, it makes the notary check, by asking for a time window that begins when it is due.
 */
import * as t from 'io-ts'
import {
  allOf,
  defineCommand,
  defineContract,
  IntegerC,
  millisBetween,
  rule,
  type LedgerTransaction,
  type Rule,
} from 'carillon'
import { HeartKind, type Heart } from './Heart.js'

export const StartCommand = defineCommand({ type: 'heartbeat/Start' })
export const BeatCommand = defineCommand({ type: 'heartbeat/Beat' })
export const SkipCommand = defineCommand({ type: 'heartbeat/Skip', data: t.strict({ beats: IntegerC }) })
export const StopCommand = defineCommand({ type: 'heartbeat/Stop' })

type Hearts = { readonly before: readonly Heart[]; readonly after: readonly Heart[] }

const passes = ({ before, after }: Hearts, consumed: number, produced: number, sentence: string): Rule =>
  rule(sentence, before.length === consumed && after.length === produced)

const onStart = (hearts: Hearts): readonly Rule[] => [
  passes(hearts, 0, 1, 'a start consumes no heart and produces one'),
  ...hearts.after.flatMap((heart) => [
    rule('a heart has a name', heart.name !== ''),
    rule('the interval is at least a millisecond', heart.intervalMs >= 1),
    rule('a new heart has neither beaten nor skipped', heart.beats === 0 && heart.skipped === 0),
    rule(
      'the first beat is due one interval after the start',
      millisBetween(heart.startedAt, heart.nextBeatAt) === heart.intervalMs,
    ),
  ]),
]

/** A heart goes on: what it is stays the same, and its next beat stays on the grid of the ones before. */
const goesOn = (before: Heart, after: Heart, beats: number, skipped: number): readonly Rule[] => [
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

const onBeat = (hearts: Hearts, { timeWindow }: LedgerTransaction): readonly Rule[] => {
  const [before] = hearts.before
  const [after] = hearts.after
  return [
    passes(hearts, 1, 1, 'a beat consumes one heart and produces one'),
    ...(before === undefined || after === undefined ? [] : goesOn(before, after, 1, 0)),
    ...(before === undefined
      ? []
      : [rule('a beat is never early: its time window begins when it is due', timeWindow?.from === before.nextBeatAt)]),
  ]
}

const onSkip = (hearts: Hearts, skipped: number): readonly Rule[] => {
  const [before] = hearts.before
  const [after] = hearts.after
  return [
    passes(hearts, 1, 1, 'a skip consumes one heart and produces one'),
    rule('a skip passes over at least one beat', skipped >= 1),
    rule('only a heart that skips missed beats may skip', before?.missedBeats === 'skip'),
    ...(before === undefined || after === undefined ? [] : goesOn(before, after, 0, skipped)),
  ]
}

const onStop = (hearts: Hearts): readonly Rule[] => [
  passes(hearts, 1, 0, 'a stop consumes one heart and produces none'),
]

export const HeartbeatContract = defineContract({
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
