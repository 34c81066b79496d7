/**
 * One beat. The next one is due an interval after this one was due, however late this one is: beats do not drift.
 */
import * as t from 'io-ts'
import { defineFlow, InstantC, IntegerC, millisBetween, plus, StateRefC, type FlowBody } from 'carillon'
import { flowNames, Heartbeat } from '../Heartbeat.js'
import { BeatCommand } from '../HeartbeatContract.js'

/** What a beat tells whoever listens. */
export const BeatenC = t.strict({
  name: t.string,
  beat: IntegerC,
  due: InstantC,
  /** When it was recorded, minus when it was due. */
  latenessMs: IntegerC,
  intervalMs: IntegerC,
  nextBeatAt: InstantC,
})
export type Beaten = t.TypeOf<typeof BeatenC>

export const Beat = defineFlow({
  name: flowNames.beat,
  schedulable: true,
  input: t.strict({ heartbeat: StateRefC }),
  *run(io, { heartbeat }): FlowBody<Beaten> {
    const current = yield* io.load(Heartbeat, heartbeat)
    const { name, owner, beats, intervalMs, nextBeatAt: due } = current.data
    // Someone may have triggered the beat before its time; then it waits for it.
    yield* io.sleepUntil(due)
    const beat = beats + 1
    const nextBeatAt = plus(due, { milliseconds: intervalMs })
    yield* io.finalise((tx) =>
      tx
        .consume(current)
        .produce(Heartbeat, { ...current.data, beats: beat, nextBeatAt })
        .command(BeatCommand, [owner])
        .timeWindow({ from: due }),
    )
    const latenessMs = millisBetween(due, yield* io.now())
    return { name, beat, due, latenessMs, intervalMs, nextBeatAt }
  },
})
