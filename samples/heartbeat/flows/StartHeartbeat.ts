/**
 * Brings a heart to life: its first beat is due one interval from now.
 */
import * as t from 'io-ts'
import { defineFlow, IntegerC, plus } from 'carillon'
import { HeartC } from '../Heart.js'
import { Heartbeat } from '../Heartbeat.js'
import { StartCommand } from '../HeartbeatContract.js'

export const StartHeartbeat = defineFlow({
  name: 'heartbeat/StartHeartbeat',
  input: t.strict({ name: t.string, intervalMs: IntegerC, missedBeats: HeartC.type.props.missedBeats }),
  *run(io, { name, intervalMs, missedBeats }) {
    const startedAt = yield* io.now()
    const nextBeatAt = plus(startedAt, { milliseconds: intervalMs })
    const heart = { name, owner: io.me, startedAt, intervalMs, missedBeats, beats: 0, skipped: 0, nextBeatAt }
    const { output } = yield* io.finalise((tx) => tx.produce(Heartbeat, heart).command(StartCommand, [io.me]))
    return { heartbeat: output(), nextBeatAt }
  },
})
