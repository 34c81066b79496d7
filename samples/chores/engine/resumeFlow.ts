/**
 * After a start of the node: a run that another life of the process had begun starts again from its beginning. One
 * that lives in this life already is left alone, so it does not matter how often this is asked.
 */
import * as t from 'io-ts'
import { defineFlow, StateRefC, type FlowBody } from 'carillon'
import { Conductor } from './ConductorState.js'
import { lifeOf, restart } from './conductFlow.js'
import { flowNames } from './flowNames.js'
import { latest } from './latest.js'

export const ResumeRun = defineFlow({
  name: flowNames.resume,
  input: t.readonly(t.strict({ conductor: StateRefC })),
  *run(io, { conductor: ref }): FlowBody<string> {
    const life = yield* lifeOf(io)
    return yield* io.transact(function* (tx): FlowBody<string> {
      const conductor = yield* latest(io, Conductor, ref)
      if (conductor === undefined) return 'ended'
      // Before its first tick a run has no life yet; that tick is due, and will be the beginning.
      if (conductor.data.life === null || conductor.data.life === life) return 'alive'
      ;(yield* restart(io, conductor, life))(tx)
      return 'restarted'
    })
  },
})
