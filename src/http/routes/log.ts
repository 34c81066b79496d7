/**
 * The log: pages of it, following it live from any revision, and whether its hashes hold.
 */
import * as t from 'io-ts'
import { PublicKeyC } from '../../identity/PublicKey.js'
import type { Pace } from '../../subscription/Pace.js'
import { revisionUnknown } from '../../log/revisionUnknown.js'
import type { EncodedTick } from '../../log/Tick.js'
import type { Node } from '../../node/Node.js'
import { instantFromMillis } from '../../time/Instant.js'
import { pageSize } from '../../vault/query/VaultQuery.js'
import { describeEvent } from '../../operator/describeEvent.js'
import { done, DoneC } from '../../operator/OperatorRequest.js'
import { KeptHeadC, LogEntryC, LogPageC, pageOfC, VerificationC } from '../answers.js'
import { CountC, FlagC } from '../codecs.js'
import type { HostedNode } from '../HostedNode.js'
import { readCheckpoints } from '../../storage/queries/readCheckpoints.js'
import { question, route, type ReadableNode } from '../Route.js'
import { lastEventId, type Stream } from '../Streams.js'
import { pageAnswer } from './paging.js'

type Entry = t.TypeOf<typeof LogEntryC>

const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    // Whoever looks at a broken log wants to see it.
    return line
  }
}

const entriesOf = (node: ReadableNode, tick: EncodedTick, from: number, whole: boolean): readonly Entry[] =>
  tick.events.flatMap((line, index) => {
    const revision = tick.firstRevision + index
    if (revision < from) return []
    const { type, text } = describeEvent(line, revision, (key) => node.network.member(key)?.party.name)
    return [{ revision, tick: tick.number, at: tick.at, type, text, ...(whole ? { event: parsed(line) } : {}) }]
  })

const readEntries = async (
  node: ReadableNode,
  from: number,
  count: number,
  whole: boolean,
): Promise<readonly Entry[]> => {
  const entries: Entry[] = []
  for await (const tick of node.readLog(from)) {
    entries.push(...entriesOf(node, tick, from, whole))
    if (entries.length >= count) break
  }
  return entries.slice(0, count)
}

/** Sends everything after a revision and then whatever comes, each event once and in order. */
const follow = async (node: Node, stream: Stream, pace: Pace, after: number): Promise<void> => {
  let sent = after
  let wake: () => void = () => undefined
  const unfollow = node.follow(() => wake())
  stream.onClose(() => {
    unfollow()
    wake()
  })
  while (stream.isOpen()) {
    const more = new Promise<void>((resolve) => (wake = resolve))
    const log = node.readLog(sent + 1)
    try {
      for (let read = await pace.work(() => log.next()); read.done !== true; read = await pace.work(() => log.next())) {
        const tick = read.value
        pace.work(() => {
          for (const entry of entriesOf(node, tick, sent + 1, true)) {
            stream.send({ id: String(entry.revision), event: 'event', data: entry })
            sent = entry.revision
          }
        })
        // A reader that is slow is read for at its own pace; only what it cannot take at all cuts it off.
        await stream.drained()
        await pace.rest()
        if (!stream.isOpen()) return
      }
    } finally {
      // A log that is kept elsewhere is read over a connection, which is held until then.
      await log.return(undefined)
    }
    if (sent >= node.head.revision) await more
  }
}

const verificationOf = ({ node, verification }: HostedNode): t.TypeOf<typeof VerificationC> => {
  const { state } = verification
  const events = node.head.revision + 1
  switch (state.state) {
    case 'never':
      return { state: 'never', events, head: node.head }
    case 'running':
      return { state: 'running', events, head: node.head, verifiedTo: state.verifiedTo }
    case 'done': {
      const { report, atMs } = state
      return {
        state: report.problems.length === 0 ? 'sound' : 'altered',
        events,
        head: node.head,
        verifiedTo: report.head.revision,
        at: instantFromMillis(atMs),
        ...(report.signedBy === undefined ? {} : { signedBy: report.signedBy }),
        problems: report.problems,
      }
    }
  }
}

export const logRoutes = [
  question({
    path: '/log',
    tag: 'log',
    verbs: ['log show'],
    summary: 'Events of the log from a revision on; without one, the last ones',
    permission: 'view',
    query: t.exact(t.partial({ from: CountC, limit: CountC, whole: FlagC })),
    answer: LogPageC,
    example: { query: { from: '0', limit: '20' } },
    read: async ({ node, query }) => {
      const size = pageSize(query.limit)
      const head = node.head.revision
      const from = query.from ?? Math.max(0, head - size + 1)
      const items = await readEntries(node, from, size, query.whole === 'true')
      const last = items.at(-1)?.revision
      return { items, head, ...(last === undefined || last >= head ? {} : { next: String(last + 1) }) }
    },
  }),
  route({
    method: 'GET',
    path: '/log/follow',
    tag: 'live',
    verbs: ['log follow'],
    summary: 'Every event as it is recorded. Resumable: the id of an event is its revision, sent back as Last-Event-ID',
    permission: 'view',
    query: t.exact(t.partial({ lastEventId: t.string, from: CountC })),
    answer: LogEntryC,
    form: 'events',
    handle: ({ hosted: { node }, query, principal, request, reply, streams, reads }) => {
      // A client that comes back repeats its first request, so where it stands is stronger than where it began.
      const seen = lastEventId(request, query.lastEventId)
      const { revision: last } = node.head
      // Who has seen more than there is has followed another log, or one that has lost its end.
      if (seen !== undefined && seen > last) throw revisionUnknown(seen, last)
      const from = query.from ?? last + 1
      // Where the next event will be is as far as anyone can ask from: later ones would be heard without those before.
      if (seen === undefined && from > last + 1) throw revisionUnknown(from, last)
      const after = seen ?? from - 1
      reads.assertLeft(principal)
      const stream = streams.open({ reply, principal })
      // A node that stops in the middle closes the stream with the server; there is nobody to tell here.
      follow(node, stream, reads.paceOf(principal), after).catch(() => reply.raw.destroy())
      return Promise.resolve(undefined)
    },
  }),
  route({
    method: 'GET',
    path: '/log/verification',
    tag: 'log',
    verbs: ['log verify'],
    summary: 'Whether the hashes and signatures of the log hold, as far as they were checked',
    permission: 'view',
    answer: VerificationC,
    handle: ({ hosted }) => Promise.resolve(verificationOf(hosted)),
  }),
  route({
    method: 'POST',
    path: '/log/verification',
    tag: 'log',
    verbs: ['log verify'],
    summary: 'Begins a check of the whole log, beside the running node',
    permission: 'view',
    answer: DoneC,
    status: 202,
    handle: ({ hosted, principal }) => {
      hosted.verification.begin(principal.token !== undefined)
      return Promise.resolve(done)
    },
  }),
  question({
    path: '/log/heads',
    tag: 'log',
    verbs: ['log heads'],
    summary: 'The checkpoints that the node keeps, the newest of each party it talks with, by name',
    permission: 'view',
    query: t.exact(t.partial({ limit: CountC, after: PublicKeyC })),
    answer: pageOfC(KeptHeadC),
    example: { query: { limit: '20' } },
    read: async ({ node, query }) => pageAnswer(await node.readViews((db) => readCheckpoints(db, query))),
  }),
]
