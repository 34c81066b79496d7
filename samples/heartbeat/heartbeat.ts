import * as t from 'io-ts'
import { some } from 'fp-ts/lib/Option.js'
import {
  defineApp,
  defineCommand,
  defineFlow,
  defineState,
  InstantC,
  IntegerC,
  PartyC,
  plus,
  StateRefC,
  type FlowBody,
} from 'carillon'

export const BeatCommand = defineCommand({ type: 'heartbeat/Beat' })
export const Heartbeat = defineState({
  type: 'heartbeat/Heartbeat',
  data: t.strict({ owner: PartyC, beat: IntegerC, nextBeatAt: InstantC }),
  participants: (s) => [s.owner],
  nextScheduledActivity: (s, ref) => some(Beat.at(s.nextBeatAt, { heartbeat: ref })),
})
export const Beat = defineFlow({
  name: 'heartbeat/Beat',
  schedulable: true,
  input: t.strict({ heartbeat: StateRefC }),
  *run(io, { heartbeat }): FlowBody<string> {
    const current = yield* io.load(Heartbeat, heartbeat)
    yield* io.finalise((tx) =>
      tx
        .consume(current)
        .produce(Heartbeat, {
          ...current.data,
          beat: current.data.beat + 1,
          nextBeatAt: plus(current.data.nextBeatAt, { seconds: 1 }),
        })
        .command(BeatCommand, [current.data.owner]),
    )
    return 'lub-dub'
  },
})
export const Start = defineFlow({
  name: 'heartbeat/Start',
  input: t.strict({}),
  *run(io): FlowBody<number> {
    const now = yield* io.now()
    yield* io.finalise((tx) =>
      tx
        .produce(Heartbeat, { owner: io.me, beat: 0, nextBeatAt: plus(now, { seconds: 1 }) })
        .command(BeatCommand, [io.me]),
    )
    return 1
  },
})
export const app = defineApp({ name: 'heartbeat', states: [Heartbeat], flows: [Beat, Start] })
