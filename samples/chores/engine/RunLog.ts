/**
 * What happened to a chore, one line each, read back from the node's log. Polls that brought nothing are left out.
 */
import * as t from 'io-ts'
import { isRight } from 'fp-ts/lib/Either.js'
import type { Instant, Node } from 'carillon'
import { decodeEvent, type EventOf } from 'carillon/logs'
import { happeningsOf } from './ChoresProjection.js'
import type { Happening } from './Happening.js'

export type RunLogEntry = Happening & { readonly at: Instant; readonly revision: number }

export type RunLogQuery = {
  /** Only this run; default all. */
  readonly run?: number
  /** Where in the log to begin. */
  readonly fromRevision?: number
}

const BodyC = t.type({ commands: t.array(t.type({ type: t.string, data: t.unknown })) })

const saidBy = ({ body }: EventOf<'TransactionRecorded'>): readonly Happening[] => {
  const decoded = BodyC.decode('text' in body ? JSON.parse(body.text) : body)
  return isRight(decoded) ? happeningsOf(decoded.right.commands) : []
}

const uneventful: ReadonlySet<Happening['kind']> = new Set(['polled', 'task-continued'])

export const readRunLog = async (
  node: Pick<Node, 'readLog'>,
  choreId: string,
  { run, fromRevision = 0 }: RunLogQuery = {},
): Promise<readonly RunLogEntry[]> => {
  const entries: RunLogEntry[] = []
  for await (const { firstRevision, at, events } of node.readLog(fromRevision)) {
    for (const [place, line] of events.entries()) {
      const revision = firstRevision + place
      // Only transactions carry happenings, and decoding the others would be most of the work.
      if (!line.includes('"TransactionRecorded"')) continue
      const event = decodeEvent(line, revision)
      if (event.type !== 'TransactionRecorded') continue
      for (const happening of saidBy(event))
        if (
          happening.choreId === choreId &&
          !uneventful.has(happening.kind) &&
          (run ?? happening.run) === happening.run
        )
          entries.push({ ...happening, at, revision })
    }
  }
  return entries
}
