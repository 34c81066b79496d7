/**
 * The flows: start, beat, skip, stop; and the app, which is all that a node needs to know to let hearts beat.
 */
import * as t from 'io-ts'
import { defineApp, defineFlow, InstantC, IntegerC, millisBetween, plus, StateRefC, type FlowBody } from 'carillon'
import { BeatCommand, flowNames, Heartbeat, HeartC, SkipCommand, StartCommand, StopCommand } from './Heartbeat.js'

/** Brings a heart to life: its first beat is due one interval from now. */
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

/** What a beat tells whoever listens; `latenessMs` is when it was recorded, minus when it was due. */
const told = { name: t.string, due: InstantC, latenessMs: IntegerC, nextBeatAt: InstantC }
export const BeatenC = t.strict({ ...told, beat: IntegerC, intervalMs: IntegerC })
export type Beaten = t.TypeOf<typeof BeatenC>

/** One beat. The next one is due an interval after this one was due, however late this one is: beats do not drift. */
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
      tx.replace(current, { beats: beat, nextBeatAt }).command(BeatCommand, [owner]).timeWindow({ from: due }),
    )
    const latenessMs = millisBetween(due, yield* io.now())
    return { name, beat, due, latenessMs, intervalMs, nextBeatAt }
  },
})

export const SkippedC = t.strict({ ...told, skipped: IntegerC })
export type Skipped = t.TypeOf<typeof SkippedC>

/**
 * Runs instead of a beat that was missed, for a heart that skips: passes over every beat whose time is past, and lets
 * the heart go on with the first one that is not, on the same grid.
 */
export const SkipMissedBeats = defineFlow({
  name: flowNames.skipMissed,
  schedulable: true,
  input: t.strict({ heartbeat: StateRefC }),
  *run(io, { heartbeat }): FlowBody<Skipped> {
    const current = yield* io.load(Heartbeat, heartbeat)
    const { name, owner, intervalMs, nextBeatAt: due } = current.data
    const latenessMs = millisBetween(due, yield* io.now())
    const beats = Math.ceil(latenessMs / intervalMs)
    const nextBeatAt = plus(due, { milliseconds: beats * intervalMs })
    const skipped = current.data.skipped + beats
    yield* io.finalise((tx) => tx.replace(current, { skipped, nextBeatAt }).command(SkipCommand, [owner], { beats }))
    return { name, skipped: beats, due, latenessMs, nextBeatAt }
  },
})

/**
 * Stops a heart by consuming its state: what was on the agenda for it is gone in the same instant. The heart is looked
 * up by name and within the flow, because a ref from outside is out of date with the next beat.
 */
export const StopHeartbeat = defineFlow({
  name: 'heartbeat/StopHeartbeat',
  input: t.strict({ name: t.string }),
  *run(io, { name }) {
    const current = (yield* io.query(Heartbeat)).find(({ data }) => data.name === name)
    if (current === undefined) throw new Error(`There is no heart named ${name}.`)
    yield* io.finalise((tx) => tx.consume(current).command(StopCommand, [current.data.owner]))
    return { beats: current.data.beats, skipped: current.data.skipped }
  },
})

export const app = defineApp({
  name: 'heartbeat',
  version: '1.0.0',
  states: [Heartbeat],
  flows: [StartHeartbeat, Beat, SkipMissedBeats, StopHeartbeat],
})
