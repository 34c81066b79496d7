/**
 * Stops a heart by consuming its state: what was on the agenda for it is gone in the same instant. The heart is looked
 * up by name and within the flow, because a ref from outside is out of date with the next beat.
 */
import * as t from 'io-ts'
import { defineFlow } from 'carillon'
import { Heartbeat } from '../Heartbeat.js'
import { StopCommand } from '../HeartbeatContract.js'

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
