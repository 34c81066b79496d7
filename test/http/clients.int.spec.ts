/** What a client may start, and whose client ids are whose. */
import { expect } from 'chai'
import * as t from 'io-ts'
import { defineApp, defineFlow, defineResponder, defineSignal, IntegerC, type FlowBody, type FlowId } from 'carillon'
import { serveHttp, type HttpServer } from 'carillon/http'
import { VirtualNode } from 'carillon/testing'
import { newTokenText } from '../../src/http/TokenText.js'
import { NewTokenC } from '../../src/operator/operateTokens.js'

const Offer = defineFlow({
  name: 'desk/Offer',
  input: t.strict({ pence: IntegerC }),
  *run(io, { pence }): FlowBody<number> {
    yield* io.sleep({ days: 1 })
    return pence
  },
})
const Settle = defineFlow({
  name: 'desk/Settle',
  schedulable: true,
  clients: false,
  input: t.strict({}),
  *run(): FlowBody<string> {
    return 'settled'
  },
})
const SettleAfterOffer = defineFlow({
  name: 'desk/SettleAfterOffer',
  input: t.strict({}),
  *run(io): FlowBody<string> {
    return yield* io.subFlow(Settle, {})
  },
})
const Take = defineResponder({
  name: 'desk/Take',
  respondsTo: Offer,
  *run(_io, { party }): FlowBody<string> {
    return `taken for ${party.name}`
  },
})

const Nod = defineSignal({ name: 'desk/Nod', data: t.strict({}) })

const app = defineApp({
  name: 'desk',
  states: [],
  flows: [Offer, Settle, SettleAfterOffer, Take],
  signals: [Nod],
})

type Said = { readonly status: number; readonly body: Readonly<Record<string, unknown>> }
type Caller = { readonly id: string; readonly text: string }

const codeOf = (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => 'started',
    (error: unknown) => (error as { readonly code?: unknown }).code,
  )

describe('A client of a node', () => {
  let virtual: VirtualNode
  let server: HttpServer
  const owner = newTokenText().text

  const ask = async (path: string, token: string, body?: unknown): Promise<Said> => {
    const response = await fetch(`${server.url}/api/v1${path}`, {
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    })
    return { status: response.status, body: (await response.json()) as Said['body'] }
  }
  const caller = async (permissions: readonly string[]): Promise<Caller> => {
    const { id, text, hash } = newTokenText()
    const asked = NewTokenC.decode({ token: id, name: 'a client', hash, permissions })
    if (asked._tag === 'Left') throw new Error('not a token')
    await virtual.node.issueToken(asked.right)
    return { id, text }
  }
  const start = (token: string, flow: string, input: unknown, clientId?: string): Promise<Said> =>
    ask('/flows', token, { flow, input, ...(clientId === undefined ? {} : { clientId }) })

  beforeEach(async () => {
    virtual = await VirtualNode.start({ app, party: 'Desk' })
    server = await serveHttp({ node: virtual.node }, { localToken: owner })
  })
  afterEach(async () => {
    await server.close()
    await virtual.stop()
  })

  it('cannot start a responder, whatever party and session it names', async () => {
    const { text } = await caller(['start:*'])
    const input = { session: 'a'.repeat(32), party: virtual.node.party, version: 1 }
    for (const token of [text, owner]) {
      const { status, body } = await start(token, 'desk/Take', input)
      expect([status, body['code']]).to.deep.equal([403, 'flow-not-for-clients'])
    }
    expect(await codeOf(virtual.node.startByName('desk/Take', input))).to.equal('flow-not-for-clients')
    expect((await virtual.node.flows()).items).to.deep.equal([])
  })

  it('cannot start a flow whose definition says clients: false, which other flows may still run', async () => {
    const { text } = await caller(['start:*'])
    for (const token of [text, owner])
      expect((await start(token, 'desk/Settle', {})).body).to.have.property('code', 'flow-not-for-clients')
    expect(await codeOf(virtual.node.start(Settle, {}))).to.equal('flow-not-for-clients')
    expect(await virtual.node.run(SettleAfterOffer, {})).to.equal('settled')
  })

  it('is offered only what clients may start', async () => {
    const { body } = await ask('/flows/definitions', owner)
    const names = (body['items'] as readonly { readonly name: string }[]).map(({ name }) => name)
    expect(names).to.deep.equal(['desk/Offer', 'desk/SettleAfterOffer'])
  })

  it('needs an admin token for the flows of every node; the local owner needs none', async () => {
    const builtIn = (token: string): Promise<Said> => start(token, 'carillon/CompleteNotaryChange', {})
    for (const permissions of [['start:*'], ['start:carillon/*'], ['start:carillon/CompleteNotaryChange', 'operate']])
      expect((await builtIn((await caller(permissions)).text)).body).to.include({ code: 'permission-missing' })
    for (const token of [(await caller(['admin'])).text, owner])
      expect((await builtIn(token)).body).to.include({ code: 'flow-input-invalid' })
  })

  it('has client ids of its own: no other can take one, or learn what was started by it', async () => {
    const billing = await caller(['start:*'])
    const other = await caller(['start:*'])
    const squat = await start(other.text, 'desk/SettleAfterOffer', {}, 'invoice-1001')
    const first = await start(billing.text, 'desk/Offer', { pence: 5 }, 'invoice-1001')
    expect([squat.status, first.status]).to.deep.equal([201, 201])
    expect(first.body['flow']).not.to.equal(squat.body['flow'])
    const byOwner = await start(owner, 'desk/Offer', { pence: 7 }, 'invoice-1001')
    expect(byOwner.status).to.equal(201)
    // For the caller itself it stays one request.
    expect((await start(billing.text, 'desk/Offer', { pence: 5 }, 'invoice-1001')).body).to.deep.equal(first.body)
    expect((await start(billing.text, 'desk/Offer', { pence: 6 }, 'invoice-1001')).body).to.include({
      code: 'client-id-conflict',
    })
    // The local owner is one caller, however it asks.
    const handle = await virtual.node.start(Offer, { pence: 7 }, { clientId: 'invoice-1001' })
    expect(handle.id).to.equal(byOwner.body['flow'])
  })

  it('keeps its client ids over a restart and a rebuild', async () => {
    const billing = await caller(['start:*'])
    const { body } = await start(billing.text, 'desk/Offer', { pence: 5 }, 'invoice-1001')
    const digest = await virtual.node.viewsDigest()
    await virtual.crash()
    await virtual.restart()
    const again = await virtual.node.start(Offer, { pence: 5 }, { clientId: 'invoice-1001', caller: billing.id })
    expect(again.id).to.equal(body['flow'])
    expect(digest).to.match(/^[0-9a-f]{64}$/)
    const found = await virtual.node.flow(again.id)
    expect(found?.startedBy).to.deep.include({ kind: 'client', clientId: 'invoice-1001', caller: billing.id })
  })

  it("names another's flow by caller and client id, where it may act on it", async () => {
    const billing = await caller(['start:*'])
    const operator = await caller(['view', 'operate'])
    const clientId = 'Invoice 1001/ü:a'
    const { body } = await start(billing.text, 'desk/Offer', { pence: 5 }, clientId)
    const local = await virtual.node.start(Offer, { pence: 7 }, { clientId })
    const path = (of: string): string => `/flows/${encodeURIComponent(`${of}:${clientId}`)}`
    expect((await ask(path(billing.id), operator.text)).body).to.include({ id: body['flow'] })
    expect((await ask(path('local'), operator.text)).body).to.include({ id: local.id })
    expect((await ask(`${path(billing.id)}/pause`, operator.text, {})).status).to.equal(200)
    expect(await virtual.node.flow(body['flow'] as FlowId)).to.include({ status: 'paused' })
    expect(await virtual.node.flowId(`${billing.id}:${clientId}`)).to.equal(body['flow'])
    expect((await ask(path(operator.id), operator.text)).body).to.include({ code: 'flow-not-found' })
    // Whoever may only start may not look.
    expect((await ask(path(billing.id), billing.text)).body).to.include({ code: 'permission-missing' })
  })

  it("signals another's flow by caller and client id, and no flow of a caller it did not name", async () => {
    const billing = await caller(['start:*'])
    const { body } = await start(billing.text, 'desk/Offer', { pence: 5 }, 'invoice-1001')
    const signal = (to: object): Promise<Said> => ask('/signals', owner, { to, signal: 'desk/Nod', data: {} })
    expect((await signal({ clientId: 'invoice-1001' })).body).to.include({ code: 'flow-not-found' })
    expect((await signal({ clientId: 'invoice-1001', caller: billing.id })).status).to.equal(200)
    expect((await virtual.node.flow(body['flow'] as FlowId))?.signals).to.have.length(1)
  })

  it('means a flow of its own by a client id without a caller', async () => {
    const billing = await caller(['start:*', 'operate'])
    const own = await start(billing.text, 'desk/Offer', { pence: 5 }, 'invoice-1001')
    const local = await virtual.node.start(Offer, { pence: 7 }, { clientId: 'invoice-1001' })
    const signalled = async (): Promise<readonly (number | undefined)[]> =>
      Promise.all(
        [own.body['flow'] as FlowId, local.id].map(async (id) => (await virtual.node.flow(id))?.signals.length),
      )
    const signal = { signal: 'desk/Nod', data: {} }
    const to = { clientId: 'invoice-1001' }
    expect((await ask('/signals', billing.text, { to, ...signal })).status).to.equal(200)
    expect(await signalled()).to.deep.equal([1, 0])
    expect((await ask('/operate', billing.text, { on: 'signal', to, ...signal })).status).to.equal(200)
    expect(await signalled()).to.deep.equal([2, 0])
    const toLocal = { ...to, caller: 'local' }
    expect((await ask('/signals', billing.text, { to: toLocal, ...signal })).status).to.equal(200)
    expect(await signalled()).to.deep.equal([2, 1])
    const other = await caller(['signal:desk/Nod'])
    expect((await ask('/signals', other.text, { to, ...signal })).body).to.include({ code: 'flow-not-found' })
  })

  it('can be named with the longest client id there is', async () => {
    const clientId = 'é'.repeat(1_000)
    const { body } = await start(owner, 'desk/Offer', { pence: 5 }, clientId)
    const found = await ask(`/flows/${encodeURIComponent(`local:${clientId}`)}`, owner)
    expect(found.body).to.include({ id: body['flow'] })
  })

  it('is refused a caller that is no token', async () => {
    const asked = { clientId: 'x', caller: 'local\ninvoice' }
    expect(await codeOf(virtual.node.start(Offer, { pence: 5 }, asked))).to.equal('request-invalid')
  })
})
