/**
 * An app with a bit of everything for the surface to show: bells that ring on time, one that is cracked, one that is
 * missed, a flow that sleeps and one that parks; and a node on a virtual clock that serves it over HTTP.
 */
import { some } from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import {
  activity,
  defineApp,
  defineCommand,
  defineFlow,
  defineState,
  InstantC,
  parkFlow,
  PartyC,
  plus,
  StateRefC,
  type FlowBody,
} from '../../src/index.js'
import { defineEndpoint, definePanel, serveHttp, type HttpOptions, type HttpServer } from '../../src/entries/http.js'
import { defineProjection } from '../../src/entries/projections.js'
import { VirtualNode } from '../../src/testing/index.js'
import { newTokenText } from '../../src/http/TokenText.js'
import { NewTokenC } from '../../src/operator/operateTokens.js'

const Bell = defineState({
  type: 'belfry/Bell',
  data: t.strict({ owner: PartyC, name: t.string, ringsAt: InstantC, manner: t.string }),
  participants: ({ owner }) => [owner],
  nextScheduledActivity: ({ ringsAt, manner }, bell) =>
    some(
      activity(
        ringsAt,
        { name: 'belfry/Ring', input: { bell: { ...bell } } },
        manner === 'punctual' ? { toleranceMs: 1_000 } : {},
      ),
    ),
})
const Cast = defineCommand({ type: 'belfry/Cast' })
const Rung = defineCommand({ type: 'belfry/Rung' })

export const Hang = defineFlow({
  name: 'belfry/Hang',
  input: t.strict({ name: t.string, minutes: t.number, manner: t.string }),
  *run(io, { name, minutes, manner }): FlowBody<string> {
    const ringsAt = plus(yield* io.now(), { minutes })
    const made = yield* io.finalise((tx) =>
      tx.produce(Bell, { owner: io.me, name, ringsAt, manner }).command(Cast, [io.me]),
    )
    return `${made.id}:0`
  },
})

const Ring = defineFlow({
  name: 'belfry/Ring',
  schedulable: true,
  input: t.strict({ bell: StateRefC }),
  *run(io, { bell }): FlowBody<string> {
    const found = yield* io.load(Bell, bell)
    if (found.data.manner === 'cracked') throw new Error('the bell is cracked')
    const again = { ...found.data, ringsAt: plus(found.data.ringsAt, { hours: 1 }) }
    yield* io.finalise((tx) => tx.consume(found).produce(Bell, again).command(Rung, [io.me]))
    return 'dong'
  },
})

export const Sleep = defineFlow({
  name: 'belfry/Sleep',
  input: t.strict({}),
  *run(io): FlowBody<string> {
    yield* io.progress('asleep')
    yield* io.sleep({ days: 30 })
    return 'awake'
  },
})

export const Park = defineFlow({
  name: 'belfry/Park',
  input: t.strict({}),
  *run(): FlowBody<void> {
    throw parkFlow('the ladder is missing')
  },
})

/** How many flows have ended. */
const EndedFlows = defineProjection({
  name: 'belfry/EndedFlows',
  types: ['FlowEnded'],
  init: () => 0,
  evolve: (count) => count + 1,
})

export const belfry = defineApp({
  name: 'belfry',
  version: '1.2.3',
  states: [Bell],
  flows: [Hang, Ring, Sleep, Park],
  projections: [EndedFlows],
})

export const bellsPanel = definePanel({
  name: 'bells',
  title: 'Bells',
  summary: 'Every bell of the tower, and the rope to ring it.',
  permissions: { view: ['bells:view', 'bells:manage'], act: 'bells:manage' },
  read: async (node) => [
    {
      kind: 'table',
      columns: [{ key: 'name', label: 'Bell' }],
      rows: (await node.states(Bell)).map(({ ref, data }) => ({
        key: `${ref.transaction}:${ref.index}`,
        cells: { name: data.name },
        actions: ['ring'],
      })),
      empty: 'No bell hangs here yet.',
    },
  ],
  actions: [
    {
      name: 'hang',
      label: 'Hang a bell',
      fields: [{ name: 'name', label: 'Name', kind: 'text' }],
      run: async ({ node, input, by }) => {
        const name = typeof input['name'] === 'string' ? input['name'] : 'Nameless'
        await node.run(Hang, { name, minutes: 60, manner: 'plain' }, { by })
        return `${name} hangs.`
      },
    },
  ],
})

export const countBells = defineEndpoint({
  method: 'GET',
  path: 'bells/count',
  summary: 'How many bells hang',
  query: t.exact(t.partial({ name: t.string })),
  answer: t.strict({ bells: t.number }),
  example: { query: { name: 'Emmanuel' } },
  handle: async ({ node, query: { name } }) => ({
    bells: (await node.states(Bell)).filter(({ data }) => name === undefined || data.name === name).length,
  }),
})

export type Asking = {
  readonly method?: string
  readonly body?: unknown
  readonly token?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
}

export type Answered = {
  readonly status: number
  readonly headers: Headers
  readonly body: Readonly<Record<string, unknown>>
}

export class Belfry {
  readonly virtual: VirtualNode
  readonly server: HttpServer
  readonly adminToken: string

  /** A bell that rings later, and a flow that sleeps: something to ask about. */
  readonly ref: string
  readonly flow: string

  private constructor(virtual: VirtualNode, server: HttpServer, adminToken: string, ref: string, flow: string) {
    this.virtual = virtual
    this.server = server
    this.adminToken = adminToken
    this.ref = ref
    this.flow = flow
  }

  /** A node with bells of every kind and flows in every condition, served. */
  static async open(options: HttpOptions | ((virtual: VirtualNode) => HttpOptions) = {}): Promise<Belfry> {
    const virtual = await VirtualNode.start({ app: belfry, party: 'Quasimodo' })
    const hang = (name: string, minutes: number, manner: string): Promise<string> =>
      virtual.node.run(Hang, { name, minutes, manner })
    await hang('Emmanuel', 10, 'plain')
    await hang('Marie', 20, 'cracked')
    await hang('Gabriel', 5, 'punctual')
    await virtual.node.start(Park, {})
    await virtual.crash()
    await virtual.advanceBy({ minutes: 30 })
    await virtual.restart()
    const ref = await hang('Denis', 600, 'plain')
    const flow = (await virtual.node.start(Sleep, {})).id
    const adminToken = newTokenText().text
    const server = await serveHttp(
      { node: virtual.node, panels: [bellsPanel], endpoints: [countBells] },
      { localToken: adminToken, ...(typeof options === 'function' ? options(virtual) : options) },
    )
    return new Belfry(virtual, server, adminToken, ref, flow)
  }

  get node(): VirtualNode['node'] {
    return this.virtual.node
  }

  async close(): Promise<void> {
    await this.server.close()
    await this.virtual.stop()
  }

  /** Issues a token with these permissions. */
  async token(permissions: readonly string[], expiresAt?: string): Promise<string> {
    const { id, text, hash } = newTokenText()
    const decoded = NewTokenC.decode({
      token: id,
      name: permissions
        .join(' ')
        .replaceAll(/[^a-z ]/g, '-')
        .slice(0, 40),
      hash,
      permissions,
      ...(expiresAt === undefined ? {} : { expiresAt }),
    })
    if (decoded._tag === 'Left') throw new Error(`not permissions: ${permissions.join(', ')}`)
    await this.node.issueToken(decoded.right)
    return text
  }

  async ask(
    path: string,
    { method = 'GET', body, token = this.adminToken, headers = {} }: Asking = {},
  ): Promise<Answered> {
    const response = await fetch(`${this.server.url}${path}`, {
      method,
      headers: {
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = (response.headers.get('content-type') ?? '').includes('json')
    return {
      status: response.status,
      headers: response.headers,
      body: isJson ? (JSON.parse(text) as Record<string, unknown>) : { text },
    }
  }
}
