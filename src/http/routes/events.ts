/**
 * Public events as they are recorded, from any revision on; and how the projections that are folded from them stand.
 */
import * as t from 'io-ts'
import { CarillonError } from '../../errors/CarillonError.js'
import { publicEventTypes, type PublicEventType } from '../../log/PublicEvent.js'
import { holdsEvent } from '../../log/holdsEvent.js'
import { revisionUnknown, subscriptionAhead } from '../../log/revisionUnknown.js'
import type { Node } from '../../node/Node.js'
import type { Pace } from '../../subscription/Pace.js'
import { assertEventTypes, type PacedOptions } from '../../subscription/subscribe.js'
import { ProjectionC, pageOfC, PublicEventC } from '../answers.js'
import { route } from '../Route.js'
import { lastEvent, type SeenEvent, type Stream } from '../Streams.js'

/** Where a stream begins: a revision, the start of the log, or what comes next. */
const firstOf = (node: Node, from: string | undefined): number => {
  const { revision: last } = node.head
  if (from === undefined || from === 'present') return last + 1
  if (from === 'start') return 0
  if (!/^\d{1,15}$/.test(from))
    throw new CarillonError(
      'request-invalid',
      `Events are sent from a revision, from "start" or from "present"; ${JSON.stringify(from)} was asked for.`,
    )
  if (Number(from) > last + 1) throw revisionUnknown(Number(from), last)
  return Number(from)
}

/** What a client has seen must be in this log; with the hash, also as it was seen. */
const assertHeld = async (node: Node, { revision, hash }: SeenEvent): Promise<void> => {
  const { head } = node
  if (hash === undefined) {
    if (revision > head.revision) throw revisionUnknown(revision, head.revision)
  } else if (!(await holdsEvent((from) => node.readLog(from), { revision, hash })))
    throw subscriptionAhead({ revision, hash }, head)
}

const typesOf = (types: string | undefined): readonly PublicEventType[] | undefined => {
  const named = types?.split(',').filter((type) => type !== '')
  assertEventTypes(named)
  return named === undefined ? undefined : publicEventTypes.filter((type) => named.includes(type))
}

const send = async (
  node: Node,
  stream: Stream,
  pace: Pace,
  from: number,
  types?: readonly PublicEventType[],
): Promise<void> => {
  const closed = new AbortController()
  stream.onClose(() => {
    closed.abort()
  })
  const options: PacedOptions = { from, signal: closed.signal, pace, ...(types === undefined ? {} : { types }) }
  for await (const event of node.subscribe(options)) {
    pace.work(() => stream.send({ id: String(event.revision), event: event.type, data: event }))
    // A reader that is slow is read for at its own pace.
    await stream.drained()
  }
}

export const eventRoutes = [
  route({
    method: 'GET',
    path: '/events',
    tag: 'live',
    verbs: ['log follow --public'],
    summary:
      'Public events, from a revision, "start" or "present" on. Resumable: the id of an event is its revision, sent back as Last-Event-ID; as revision:hash it is taken in the same history alone',
    permission: 'view',
    query: t.exact(t.partial({ lastEventId: t.string, from: t.string, types: t.string })),
    answer: PublicEventC,
    form: 'events',
    handle: async ({ hosted: { node }, query, principal, request, reply, streams, reads }) => {
      // A client that comes back repeats its first request, so where it stands is stronger than where it began.
      const seen = lastEvent(request, query.lastEventId)
      reads.assertLeft(principal)
      if (seen !== undefined) await assertHeld(node, seen)
      const from = seen === undefined ? firstOf(node, query.from) : seen.revision + 1
      const types = typesOf(query.types)
      const stream = streams.open({ reply, principal })
      // A node that stops in the middle closes the stream with the server; there is nobody to tell here.
      send(node, stream, reads.paceOf(principal), from, types).then(
        () => reply.raw.end(),
        () => reply.raw.destroy(),
      )
      return undefined
    },
  }),
  route({
    method: 'GET',
    path: '/projections',
    tag: 'node',
    verbs: ['projections'],
    summary: "The app's projections: how far each has come, and why one stands still",
    permission: 'view',
    answer: pageOfC(ProjectionC),
    handle: ({ hosted: { node } }) => Promise.resolve({ items: node.projections }),
  }),
]
