/**
 * A live stream of a node, for as long as someone wants it: when the node goes away, it is looked for again, and the
 * stream goes on where it ended.
 */
import type { RequestQuery } from '../client/NodeConnection.js'
import { NodeApi, type NodePlace } from './NodeApi.js'
import { isNodeAway, tellNodeAway } from './nodeAway.js'
import type { ServerSentEvent } from '../client/serverSentEvents.js'
import type { Terminal } from './Terminal.js'
import { pauseFor } from './untilSignalled.js'

const lookAgainMs = 500

type Followed = {
  readonly path: string
  /** Asked anew each time, so that it can say where the last one ended. */
  readonly query: () => RequestQuery
}

/** Resolves when it is told to stop. A node that is not there at the beginning is an error. */
export const followAgain = async (
  terminal: Terminal,
  place: NodePlace,
  { path, query }: Followed,
  stopped: AbortSignal,
  hear: (event: ServerSentEvent) => void,
): Promise<void> => {
  const { client } = NodeApi.at(place)
  const isOver = (): boolean => stopped.aborted
  let hasBegun = false
  let isAway = false
  while (!isOver()) {
    try {
      for await (const event of client.listen(path, { query: query(), signal: stopped })) {
        isAway = false
        hear(event)
      }
      hasBegun = true
    } catch (error) {
      if (isOver()) return
      if (!hasBegun || !isNodeAway(error)) throw error
      if (!isAway) tellNodeAway(terminal)
      isAway = true
    }
    await pauseFor(isAway ? lookAgainMs : 0, stopped)
  }
}
