/**
 * Flows: what may be started, what runs, the story of one, and what an operator may do to it.
 */
import * as t from 'io-ts'
import { CarillonError } from '../../errors/CarillonError.js'
import { JsonC } from '../../encoding/JsonC.js'
import type { Database } from '../../storage/Database.js'
import {
  findFlow,
  findFlowRevisions,
  findFlowSummary,
  listFlows,
  resolveFlowId,
} from '../../storage/queries/readFlows.js'
import { FlowIdC, type FlowId } from '../../log/FlowId.js'
import { httpLimits } from '../limits.js'
import type { DomainEvent } from '../../log/events.js'
import { decodeEvent } from '../../log/decodeEvent.js'
import { actionsOf, DoneC, FlowActionC } from '../../operator/OperatorRequest.js'
import { permissionToStart } from '../../operator/Permission.js'
import type { Instant } from '../../time/Instant.js'
import { describeEvent } from '../../operator/describeEvent.js'
import {
  FlowDefinitionsC,
  FlowDetailsC,
  FlowResultC,
  FlowConditionC,
  FlowSummaryC,
  HangingStepsC,
  pageOfC,
  StartedC,
} from '../answers.js'
import { CountC, FlagC, FlowTextC } from '../codecs.js'
import { schemaOf } from '../jsonSchema.js'
import { assertMay, mayDo, operatorOf, startedAs } from '../Principal.js'
import { question, route, type ReadableNode } from '../Route.js'
import { pageAnswer } from './paging.js'

const FlowC = t.strict({ flow: FlowTextC })

type Told = { readonly revision: number; readonly at: Instant; readonly type: string; readonly text: string }

/** How far the log is read for the story of one flow: its own events lie close together or far apart. */
const ticksRead = 2_000

/** Whether an event says that a flow has started another one, or has continued as it. */
const isOfChild = (event: DomainEvent, id: FlowId): boolean =>
  event.type === 'FlowStarted' &&
  ((event.origin.kind === 'flow' && event.origin.flow === id) ||
    (event.origin.kind === 'continued' && event.origin.from === id))

/** The flow's own events, and the starts of its children, from its start on, as far as a bounded look into the log finds them. */
const storyOf = async (node: ReadableNode, id: FlowId): Promise<readonly Told[]> => {
  const { from, until = node.head.revision } = (await node.readViews((db) => findFlowRevisions(db, id))) ?? { from: 0 }
  const told: Told[] = []
  let ticks = 0
  for await (const tick of node.readLog(from)) {
    if (tick.firstRevision > until || (ticks += 1) > ticksRead) break
    tick.events.forEach((line, index) => {
      // Cheap first: most lines of a busy log are about something else.
      if (!line.includes(id)) return
      const revision = tick.firstRevision + index
      const event = decodeEvent(line, revision)
      if (('flow' in event && event.flow === id) || isOfChild(event, id))
        told.push({
          revision,
          at: tick.at,
          ...describeEvent(line, revision, (key) => node.network.member(key)?.party.name),
        })
    })
  }
  return told
}

type Watched = NonNullable<ReturnType<typeof findFlowSummary>>

const watchedIn = (db: Database, id: FlowId): Watched => {
  const found = findFlowSummary(db, id)
  if (found === undefined) throw new CarillonError('flow-not-found', `There is no flow ${id}.`)
  return found
}

export const flowRoutes = [
  question({
    path: '/flows',
    tag: 'flows',
    verbs: ['flow list'],
    summary: 'Flows, newest first',
    permission: 'view',
    query: t.exact(
      t.partial({
        status: FlowConditionC,
        name: t.string,
        parent: FlowIdC,
        limit: CountC,
        after: CountC,
      }),
    ),
    answer: pageOfC(FlowSummaryC),
    example: { query: { status: 'open', limit: '10' } },
    read: async ({ node, query }) => pageAnswer(await node.readViews((db) => listFlows(db, query))),
  }),
  route({
    method: 'GET',
    path: '/flows/definitions',
    tag: 'flows',
    verbs: ['flow definitions'],
    summary: 'The flows of the app, with the schema of their input and whether this token may start them',
    permission: 'view',
    answer: FlowDefinitionsC,
    handle: ({ hosted, principal }) =>
      Promise.resolve({
        items: hosted.node.app.flows
          .filter(({ clients }) => clients)
          .map(({ name, version, schedulable, input }) => ({
            name,
            version,
            schedulable,
            input: schemaOf(input),
            mayStart: mayDo(principal, permissionToStart(name)),
          })),
      }),
  }),
  route({
    method: 'GET',
    path: '/flows/hanging',
    tag: 'flows',
    verbs: ['flow hanging'],
    summary: 'Steps that have been under way for long, oldest first, with the flows that wait for them',
    permission: 'view',
    answer: HangingStepsC,
    handle: ({ hosted }) => Promise.resolve({ items: hosted.node.hangingSteps.slice(0, httpLimits.hangingSteps) }),
  }),
  route({
    method: 'POST',
    path: '/flows',
    tag: 'flows',
    verbs: ['start'],
    summary:
      'Starts a flow; with a client id the same caller can send the same request again and finds the flow it started',
    permission: 'start:{flow}',
    body: t.intersection([t.strict({ flow: t.string, input: JsonC }), t.exact(t.partial({ clientId: t.string }))]),
    answer: StartedC,
    status: 201,
    handle: async ({ hosted, body: { flow, input, clientId }, principal }) => {
      assertMay(principal, permissionToStart(flow))
      const options = { ...startedAs(principal), ...(clientId === undefined ? {} : { clientId }) }
      return { flow: (await hosted.node.startByName(flow, input, options)).id }
    },
  }),
  question({
    path: '/flows/{flow}',
    tag: 'flows',
    verbs: ['flow show'],
    summary: 'One flow with its record and its story; the story is read from the log unless it is not asked for',
    permission: 'view',
    params: FlowC,
    answer: FlowDetailsC,
    query: t.exact(t.partial({ story: FlagC })),
    read: async ({ node, params, query }) => {
      const found = await node.readViews((db) => findFlow(db, resolveFlowId(db, params.flow)))
      if (found === undefined) throw new CarillonError('flow-not-found', `There is no flow ${params.flow}.`)
      return { ...found, ...(query.story === 'false' ? {} : { story: await storyOf(node, found.id) }) }
    },
  }),
  route({
    method: 'GET',
    path: '/flows/{flow}/result',
    tag: 'flows',
    verbs: ['flow result'],
    summary:
      'What a flow returned, or refused with. Waits for its end; while it runs on, the answer says so and may be asked for again',
    permission: 'view',
    params: FlowC,
    answer: FlowResultC,
    handle: async ({ hosted: { node }, params, request }) => {
      const id = await node.flowId(params.flow)
      const waited = new AbortController()
      const timer = setTimeout(() => waited.abort(), httpLimits.httpResultMs)
      const gone = (): void => waited.abort()
      request.raw.once('close', gone)
      // Whoever hung up before this began is not told of any more.
      if (request.raw.socket.destroyed) gone()
      try {
        const given = await node.outcomeOf(id, { signal: waited.signal })
        if (given.kind === 'refused') return { ended: true, refusal: given.refusal }
        return given.result === undefined ? { ended: true } : { ended: true, result: given.result }
      } catch (error) {
        if (waited.signal.aborted) return { ended: false }
        throw error
      } finally {
        clearTimeout(timer)
        request.raw.off('close', gone)
      }
    },
  }),
  route({
    method: 'GET',
    path: '/flows/{flow}/watch',
    tag: 'live',
    verbs: ['flow watch'],
    summary: 'A flow, now and whenever it has come further, until it ends',
    permission: 'view',
    params: FlowC,
    answer: FlowSummaryC,
    form: 'events',
    handle: async ({ hosted: { node }, params, principal, reply, streams, reads }) => {
      const id = await node.flowId(params.flow)
      reads.assertLeft(principal)
      const pace = reads.paceOf(principal)
      const now = (): Promise<Watched> => node.readViews((db) => pace.work(() => watchedIn(db, id)))
      const first = await now()
      const stream = streams.open({ reply, principal })
      const tell = ({ flow, recorded }: Watched): void => {
        stream.send({ id: String(recorded), event: 'flow', data: flow })
        if (flow.endedAt !== undefined) reply.raw.end()
      }
      // It is read for one at a time; what comes meanwhile is told by the next.
      let isReading = false
      let isBehind = false
      const hear = async (): Promise<void> => {
        isBehind = true
        if (isReading) return
        isReading = true
        while (isBehind && stream.isOpen()) {
          await pace.rest()
          isBehind = false
          tell(await now())
        }
        isReading = false
      }
      stream.onClose(
        node.follow((committed) => {
          // A node that has stopped is told of by the end of the stream.
          if (committed.concernsFlow(id)) hear().catch(() => reply.raw.destroy())
        }),
      )
      tell(first)
      return undefined
    },
  }),
  route({
    method: 'POST',
    path: '/flows/{flow}/{action}',
    tag: 'operate',
    verbs: actionsOf(FlowActionC).map((action) => `flow ${action}`),
    summary: `Acts on a flow: ${actionsOf(FlowActionC).join(', ')}`,
    permission: 'operate',
    params: t.strict({ flow: FlowTextC, action: FlowActionC }),
    answer: DoneC,
    example: { params: { action: 'pause' } },
    handle: async ({ hosted: { node }, params: { action, flow }, principal }) =>
      node.operate({ on: 'flow', action, flow: await node.flowId(flow) }, { by: operatorOf(principal) }),
  }),
]
