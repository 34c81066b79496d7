/**
 * Runs instead of a beat that was missed, for a heart that skips: passes over every beat whose time is past, and lets
 * the heart go on with the first one that is not, on the same grid.
 */
import * as t from 'io-ts'
import { defineFlow, InstantC, IntegerC, millisBetween, plus, StateRefC, type FlowBody } from 'carillon'
import { flowNames, Heartbeat } from '../Heartbeat.js'
import { SkipCommand } from '../HeartbeatContract.js'

/** What a skip tells whoever listens. */
export const SkippedC = t.strict({
  name: t.string,
  skipped: IntegerC,
  due: InstantC,
  latenessMs: IntegerC,
  nextBeatAt: InstantC,
})
export type Skipped = t.TypeOf<typeof SkippedC>

export const SkipMissedBeats = defineFlow({
  name: flowNames.skipMissed,
  schedulable: true,
  input: t.strict({ heartbeat: StateRefC }),
  *run(io, { heartbeat }): FlowBody<Skipped> {
    const current = yield* io.load(Heartbeat, heartbeat)
    const { name, owner, intervalMs, nextBeatAt: due } = current.data
    const latenessMs = millisBetween(due, yield* io.now())
    const skipped = Math.ceil(latenessMs / intervalMs)
    const nextBeatAt = plus(due, { milliseconds: skipped * intervalMs })
    yield* io.finalise((tx) =>
      tx
        .consume(current)
        .produce(Heartbeat, { ...current.data, skipped: current.data.skipped + skipped, nextBeatAt })
        .command(SkipCommand, [owner], { beats: skipped }),
    )
    return { name, skipped, due, latenessMs, nextBeatAt }
  },
})
