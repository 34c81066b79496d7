/**
 * Reads what a screen or a page of metrics shows of the views: in the thread of a node, or in the loop where it has none.
 */
import { threadReads, type ThreadRead, type ThreadReads } from './askedOfThread.js'
import type { HostedNode } from './HostedNode.js'
import type { Asker } from './QuestionThread.js'

export const readViewsOf = async <Q extends ThreadRead>(
  { node, thread }: Pick<HostedNode, 'node' | 'thread'>,
  views: Q,
  asker: Asker,
): Promise<ReturnType<ThreadReads[Q]>> => {
  const { nowMs } = node
  type Read = ReturnType<ThreadReads[Q]>
  const answered = await thread?.ask({ views }, asker)
  // The thread runs the same function as the loop, and JSON leaves what it returns as it is.
  return answered === undefined
    ? node.readViews((db) => threadReads[views](db, nowMs) as Read)
    : (JSON.parse(answered.json) as Read)
}
