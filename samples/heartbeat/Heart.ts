/**
 * What a heart is made of. The state and the contract that governs it both need this, so it stands apart from them.
 */
import * as t from 'io-ts'
import { InstantC, IntegerC, PartyC } from 'carillon'

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
export const HeartKind = { type: 'heartbeat/Heartbeat', data: HeartC } as const
