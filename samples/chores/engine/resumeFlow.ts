/**
 * After a start of the node: a run that another life of the process had begun starts again from its beginning. One
 * that lives in this life already is left alone, so it does not matter how often this is asked.
 */
import * as t from 'io-ts'
import { defineFlow, type FlowBody } from 'carillon'
import { Conductor } from './ConductorState.js'
import { lifeOf, restart } from './conductFlow.js'
import { flowNames } from './flowNames.js'

export const ResumeRun = defineFlow({
  name: flowNames.resume,
  input: t.readonly(t.strict({ choreId: t.string })),
  *run(io, { choreId }): FlowBody<string> {
    const life = yield* lifeOf(io)
    return yield* io.transact(function* (tx): FlowBody<string> {
      const conductor = yield* io.find(Conductor, choreId)
      if (conductor === undefined) return 'ended'
      // Before its first tick a run has no life yet; that tick is due, and will be the beginning.
      if (conductor.data.life === null || conductor.data.life === life) return 'alive'
      yield* restart(io, tx, conductor, life)
      return 'restarted'
    })
  },
})
