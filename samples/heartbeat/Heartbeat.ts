/**
 * The state: a heart that says when it beats next. The instant is in the state, put there by the transaction that made
 * it, so the answer is the same whenever and wherever the state is asked.
 */
import { some } from 'fp-ts/lib/Option.js'
import { activity, defineState } from 'carillon'
import { HeartKind } from './Heart.js'
import { HeartbeatContract } from './HeartbeatContract.js'

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
