/**
 * The node as a whole: its health, draining, whom it talks with, what happened lately, and its clock.
 */
import * as t from 'io-ts'
import { CarillonError } from '../../errors/CarillonError.js'
import { httpLimits } from '../limits.js'
import { actionsOf, DoneC, DrainActionC } from '../../operator/OperatorRequest.js'
import type { Role } from '../../standby/Standby.js'
import type { Node } from '../../node/Node.js'
import { instantFromMillis, latestInstantMs, type Instant } from '../../time/Instant.js'
import {
  ChartsC,
  ClockC,
  HealthC,
  LiveC,
  MapsAtHandC,
  pageOfC,
  PartyEntryC,
  ReadyC,
  SessionEntryC,
  StatusC,
} from '../answers.js'
import { CountC } from '../codecs.js'
import type { HostedNode } from '../HostedNode.js'
import { operatorOf } from '../Principal.js'
import { readParties, readSessions } from '../../storage/queries/readSessions.js'
import { statusOf, troubleOf } from '../questions/readStatus.js'
import type { Asker } from '../QuestionThread.js'
import { readViewsOf } from '../readViewsOf.js'
import { question, route, type RouteContext } from '../Route.js'
import { pageAnswer, PageQueryC } from './paging.js'

const readStatus = async ({ hosted, hostedNodes }: RouteContext, asker: Asker): Promise<t.TypeOf<typeof StatusC>> =>
  statusOf(
    hosted,
    hostedNodes.map(({ name }) => name),
    hosted.clock !== undefined,
    await readViewsOf(hosted, 'status', asker),
  )

/** What all live streams of a node show is read for all of them at once. */
const readForAll = new WeakMap<HostedNode, Promise<t.TypeOf<typeof StatusC>>>()

const readShared = (asked: RouteContext): Promise<t.TypeOf<typeof StatusC>> => {
  const { hosted } = asked
  const known = readForAll.get(hosted)
  if (known !== undefined) return known
  const underWay = readStatus(asked, { name: 'live' }).finally(() => readForAll.delete(hosted))
  readForAll.set(hosted, underWay)
  return underWay
}

const perSecond = ({ rollup }: HostedNode): { readonly eventsPerSecond: number; readonly startsPerSecond: number } => {
  // The second under way is not over, so the five before it are taken.
  const points = rollup.seconds(6).slice(0, 5)
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
  return {
    eventsPerSecond: mean(points.map(({ events }) => events)),
    startsPerSecond: mean(points.map(({ started }) => started)),
  }
}

const clockOf = ({ node, clock }: HostedNode): t.TypeOf<typeof ClockC> => ({
  virtual: clock !== undefined,
  now: instantFromMillis(node.nowMs),
  playing: clock?.isPlaying ?? true,
  speed: clock?.speed ?? 1,
})

const healthOf = (role: Role, of: Parameters<typeof troubleOf>[0]): t.TypeOf<typeof HealthC> => ({
  alive: true,
  role,
  uptimeSeconds: Math.floor(process.uptime()),
  ...troubleOf(of),
})

const clockNow = ({ nowMs }: Node): Instant => instantFromMillis(Math.min(nowMs, latestInstantMs))

const fastest = 1_000_000

export const nodeRoutes = [
  route({
    method: 'GET',
    path: '/status',
    tag: 'node',
    verbs: ['status'],
    summary: 'The node on one screen',
    permission: 'view',
    answer: StatusC,
    handle: (asked) => readStatus(asked, asked.reads.askerOf(asked.principal)),
  }),
  route({
    method: 'GET',
    path: '/health',
    tag: 'node',
    verbs: ['doctor'],
    summary: 'Whether the process answers, and why the log cannot be written or checked at the moment if so',
    permission: 'view',
    answer: HealthC,
    handle: ({ hosted: { node } }) =>
      Promise.resolve({ ...healthOf('leading', node), now: clockNow(node), draining: node.isDraining }),
    standingBy: ({ standby }) => Promise.resolve(healthOf('following', standby ?? {})),
  }),
  route({
    method: 'GET',
    path: '/ready',
    tag: 'node',
    verbs: ['ready'],
    summary:
      'Whether the node takes work: 503 while it drains, cannot write or check its log, has stopped or stands by',
    permission: 'view',
    answer: ReadyC,
    handle: ({ hosted: { node } }) => {
      if (node.stopped !== undefined) throw node.stopped
      if (node.isDraining) throw new CarillonError('node-draining', 'The node is draining and starts nothing.')
      if (node.trouble !== undefined) throw node.trouble
      return Promise.resolve({ ready: true as const })
    },
  }),
  route({
    method: 'POST',
    path: '/drain/{action}',
    tag: 'operate',
    verbs: actionsOf(DrainActionC).map((action) => `drain ${action}`),
    summary: 'Starts or ends draining: nothing new is started, and nothing is forgotten',
    permission: 'operate',
    params: t.strict({ action: DrainActionC }),
    answer: DoneC,
    example: { params: { action: 'end' } },
    handle: ({ hosted: { node }, params: { action }, principal }) =>
      node.operate({ on: 'draining', action }, { by: operatorOf(principal) }),
  }),
  route({
    method: 'GET',
    path: '/network',
    tag: 'node',
    verbs: ['network show'],
    summary: 'The network map the node goes by, and one that contradicts it and waits to be accepted',
    permission: 'view',
    answer: MapsAtHandC,
    handle: ({ hosted: { node } }) => Promise.resolve(node.maps),
  }),
  question({
    path: '/parties',
    tag: 'node',
    verbs: ['parties'],
    summary: 'The parties of the network, with their open sessions and unacknowledged messages',
    permission: 'view',
    answer: t.readonly(t.strict({ items: t.readonlyArray(PartyEntryC) }), 'Parties'),
    read: async ({ node }) => ({ items: await node.readViews((db) => readParties(db, node.network)) }),
  }),
  question({
    path: '/sessions',
    tag: 'node',
    verbs: ['sessions'],
    summary: 'Sessions with other parties, newest first',
    permission: 'view',
    query: PageQueryC,
    answer: pageOfC(SessionEntryC),
    read: async ({ node, query }) => pageAnswer(await node.readViews((db) => readSessions(db, node.network, query))),
  }),
  route({
    method: 'GET',
    path: '/charts',
    tag: 'node',
    verbs: ['charts'],
    summary: 'Throughput and lateness lately, second by second or minute by minute',
    permission: 'view',
    query: t.exact(t.partial({ by: t.keyof({ second: null, minute: null }), points: CountC })),
    answer: ChartsC,
    example: { query: { by: 'second', points: '60' } },
    handle: ({ hosted: { rollup }, query }) => {
      const points = Math.min(Math.max(query.points ?? 120, 1), 900)
      return Promise.resolve(
        query.by === 'minute'
          ? { pointMs: 60_000, points: rollup.minutes(points) }
          : { pointMs: 1_000, points: rollup.seconds(points) },
      )
    },
  }),
  route({
    method: 'GET',
    path: '/live',
    tag: 'live',
    verbs: ['live'],
    summary: 'The node on one screen, now and whenever something has happened, twice a second at most',
    permission: 'view',
    answer: LiveC,
    form: 'events',
    handle: async (asked) => {
      const { hosted, streams, principal, reply, reads } = asked
      const withRates = (status: t.TypeOf<typeof StatusC>): t.TypeOf<typeof LiveC> => ({
        ...status,
        ...perSecond(hosted),
      })
      // Whoever begins a stream asks a question; what follows costs the same for one stream as for all.
      const first = withRates(await readStatus(asked, reads.askerOf(principal)))
      const stream = streams.open({ reply, principal })
      let timer: NodeJS.Timeout | undefined
      const hear = (): void => {
        timer ??= setTimeout(() => {
          timer = undefined
          // A node that has stopped is told of by the end of the stream.
          readShared(asked).then(
            (status) => send(withRates(status)),
            () => reply.raw.destroy(),
          )
        }, httpLimits.httpLiveMs).unref()
      }
      const send = (live: t.TypeOf<typeof LiveC>): void => {
        stream.send({ id: String(live.head.revision), event: 'live', data: live })
        // It may have been read for another stream before the last that this one heard of.
        if (live.head.revision < hosted.node.head.revision) hear()
      }
      const unfollow = hosted.node.follow(hear)
      // A virtual clock may go on for long without anything happening, and is to be seen going.
      let shownMs = hosted.node.nowMs
      const watching = setInterval(() => {
        if (hosted.clock === undefined || hosted.node.nowMs === shownMs) return
        shownMs = hosted.node.nowMs
        hear()
      }, httpLimits.httpLiveMs).unref()
      stream.onClose(() => {
        unfollow()
        clearInterval(watching)
        clearTimeout(timer)
      })
      send(first)
      return undefined
    },
  }),
  route({
    method: 'GET',
    path: '/clock',
    tag: 'node',
    verbs: ['clock show'],
    summary: 'What time it is for the node, and whether its clock can be turned',
    permission: 'view',
    answer: ClockC,
    handle: ({ hosted }) => Promise.resolve(clockOf(hosted)),
  }),
  route({
    method: 'POST',
    path: '/clock',
    tag: 'operate',
    verbs: ['clock play', 'clock pause', 'clock jump'],
    summary: 'Turns the clock of a run in virtual time: play at a speed, pause, or jump to what is due next',
    permission: 'operate',
    body: t.intersection([
      t.strict({ action: t.keyof({ play: null, pause: null, jump: null }) }),
      t.exact(t.partial({ speed: t.number })),
    ]),
    answer: ClockC,
    example: { body: { action: 'play', speed: 60 } },
    handle: async ({ hosted, body }) => {
      const { clock } = hosted
      if (clock === undefined)
        throw new CarillonError('request-invalid', "This node runs on the machine's clock, which is not ours to turn.")
      const speed = body.speed ?? clock.speed
      if (!(speed > 0 && speed <= fastest))
        throw new CarillonError('request-invalid', `A speed is more than 0 and at most ${fastest}.`)
      if (body.action === 'play') clock.play(speed)
      else if (body.action === 'pause') await clock.pause()
      else await clock.jump()
      return clockOf(hosted)
    },
  }),
]
