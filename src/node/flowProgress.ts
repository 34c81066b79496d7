/**
 * Where a flow is, now and whenever that changes, until it has ended. Who is slow to ask is given the newest only.
 */
import { CarillonError } from '../errors/CarillonError.js'
import type { FlowId } from '../log/FlowId.js'
import type { FlowDetails } from '../flow/FlowSummary.js'

export type FlowSource = {
  readonly flow: (id: FlowId) => Promise<FlowDetails | undefined>
  readonly watchFlow: (id: FlowId, callback: (flow: FlowDetails) => void) => () => void
  readonly whenStopped: (callback: (reason: CarillonError) => void) => void
}

export async function* flowProgress(source: FlowSource, id: FlowId): AsyncGenerator<FlowDetails> {
  let newest: FlowDetails | undefined
  let stopped: CarillonError | undefined
  let wake: () => void = () => undefined
  const unwatch = source.watchFlow(id, (flow) => {
    newest = flow
    wake()
  })
  // A node that stops has nothing more to say; whoever watches is not left waiting.
  source.whenStopped((reason) => {
    stopped = reason
    wake()
  })
  try {
    const first = await source.flow(id)
    if (first === undefined) throw new CarillonError('flow-not-found', `There is no flow ${id}.`, { flow: id })
    newest ??= first
    for (;;) {
      while (newest === undefined) {
        if (stopped !== undefined) throw stopped
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      const told: FlowDetails = newest
      newest = undefined
      yield told
      if (told.endedAt !== undefined) return
    }
  } finally {
    unwatch()
  }
}
