import { expect } from 'chai'
import * as t from 'io-ts'
import { CarillonError, startNode, type FlowId } from '../../src/index.js'
import { defineVerb, defineVerbs, serveHttp } from '../../src/entries/http.js'
import { newTokenText } from '../../src/http/TokenText.js'
import { belfry as app, Belfry, type Answered } from './belfry.js'

describe('one request for everything an operator can ask', () => {
  let belfry: Belfry

  before(async () => {
    belfry = await Belfry.open()
  })
  after(() => belfry.close())

  const operate = (body: unknown, token?: string): Promise<Answered> =>
    belfry.ask('/api/v1/operate', { method: 'POST', body, ...(token === undefined ? {} : { token }) })

  it('acts on flows and activities, and drains', async () => {
    const [transaction, index] = belfry.ref.split(':')
    const ref = { transaction, index: Number(index) }
    for (const request of [
      { on: 'flow', action: 'pause', flow: belfry.flow },
      { on: 'flow', action: 'resume', flow: belfry.flow },
      { on: 'activity', action: 'pause', ref, note: 'rest' },
      { on: 'activity', action: 'resume', ref },
      { on: 'draining', action: 'start' },
      { on: 'draining', action: 'end' },
    ])
      expect(await operate(request), JSON.stringify(request)).to.deep.include({ status: 200, body: { done: true } })
  })

  it('acts on all flows that match, and says which refused it', async () => {
    const all = (body: unknown, token?: string): Promise<Answered> =>
      belfry.ask('/api/v1/operate/flows', { method: 'POST', body, ...(token === undefined ? {} : { token }) })
    const paused = await all({ action: 'pause', status: 'running' })
    expect(paused).to.deep.include({ status: 200 })
    expect(paused.body).to.have.property('done').that.is.greaterThan(0)
    expect((await all({ action: 'retry', status: 'paused' })).body).to.deep.include({ done: 0 })
    expect((await all({ action: 'resume' })).body).to.deep.include({ done: paused.body['done'], refused: 0 })
    expect((await all({ action: 'pause', status: 'asleep' })).body).to.have.property('code', 'request-invalid')
    expect((await all({ action: 'cancel', withinMs: -1 })).body).to.have.property('code', 'request-invalid')
    expect((await all({ action: 'pause' }, await belfry.token(['view']))).body).to.have.property(
      'code',
      'permission-missing',
    )
  })

  it('takes a token from an admin alone, whose secret the node never sees', async () => {
    const { id, text, hash } = newTokenText()
    const issue = { on: 'token', action: 'issue', token: { token: id, name: 'own', hash, permissions: ['view'] } }
    const operator = await belfry.token(['operate'])
    expect((await operate(issue, operator)).body).to.have.property('code', 'permission-missing')
    expect((await belfry.ask('/api/v1/status', { token: text })).status).to.equal(401)
    expect((await operate(issue)).status).to.equal(200)
    expect((await belfry.ask('/api/v1/status', { token: text })).status).to.equal(200)
    const revoke = { on: 'token', action: 'revoke', token: id }
    expect((await operate(revoke, operator)).body).to.have.property('code', 'permission-missing')
    expect((await operate(revoke)).status).to.equal(200)
    expect((await belfry.ask('/api/v1/status', { token: text })).status).to.equal(401)
  })

  it('is refused with the same errors on every way', async () => {
    const asked = { on: 'flow', action: 'retry', flow: belfry.flow } as const
    const refused = await operate(asked)
    expect([refused.status, refused.body['code']]).to.deep.equal([409, 'flow-not-parked'])
    const byNode: unknown = await belfry.node
      .operate({ ...asked, flow: belfry.flow as FlowId })
      .catch((error: unknown) => error)
    expect(byNode).to.be.instanceOf(CarillonError).and.to.have.property('code', 'flow-not-parked')
    for (const odd of [{}, { on: 'flow', action: 'dance', flow: belfry.flow }, { on: 'draining' }]) {
      expect((await operate(odd)).body).to.have.property('code', 'request-invalid')
      const error: unknown = await belfry.node.operate(odd as never).catch((thrown: unknown) => thrown)
      expect(error).to.have.property('code', 'request-invalid')
    }
  })

  it('says what does not fit in the words of what was asked, and of nothing else', async () => {
    const refusalOf = async (body: unknown) => String((await operate(body)).body['detail'])
    expect(await refusalOf({ on: 'flow', action: 'pause', flow: 'no' })).to.equal(
      'The body does not fit: flow is "no", expected FlowId.',
    )
    expect(await refusalOf({ on: 'token', action: 'lend' })).to.equal(
      'The body does not fit: action is "lend", expected "issue" | "revoke".',
    )
    expect(await refusalOf({ on: 'node' })).to.equal(
      'The body does not fit: on is "node", expected "flow" | "activity" | "signal" | "draining" | "network" | "token".',
    )
  })

  it('makes a link for who owns the store, and for no token', async () => {
    const post = (token?: string) =>
      belfry.ask('/api/v1/session/link', { method: 'POST', ...(token === undefined ? {} : { token }) })
    const made = await post()
    expect(made.status).to.equal(201)
    expect(String(made.body['link'])).to.match(/^http:\/\/127\.0\.0\.1:\d+\/#link=/)
    expect((await post(await belfry.token(['admin']))).body).to.have.property('code', 'permission-missing')
  })

  it('makes no link for a session, which would renew itself without end', async () => {
    const [, secret = ''] = belfry.server.newLink().split('#link=')
    const headers = { origin: belfry.server.url }
    const entered = await belfry.ask('/api/v1/session', { method: 'POST', body: { secret }, token: '', headers })
    const refused = await belfry.ask('/api/v1/session/link', {
      method: 'POST',
      token: '',
      headers: { ...headers, 'carillon-session': String(entered.body['session']) },
    })
    expect(refused.body).to.have.property('code', 'permission-missing')
  })
})

describe("an app's verbs over HTTP", () => {
  const ring = defineVerb({
    name: 'ring',
    summary: 'ring a bell',
    arguments: [{ name: 'bell', summary: 'which' }],
    input: t.strict({ bell: t.string }),
    handle: ({ input, by }) => Promise.resolve({ lines: [`${input.bell} rings`], data: { bell: input.bell, by } }),
  })
  const list = defineVerb({
    name: 'list',
    summary: 'list the bells',
    permission: ['bells:view', 'bells:manage'],
    input: t.strict({}),
    handle: () => Promise.resolve({ lines: ['Marie'], data: null }),
  })
  const polish = defineVerb({
    name: 'polish',
    summary: 'polish a bell, or only look how it shines',
    permission: 'any',
    input: t.strict({}),
    handle: ({ by, may }) => Promise.resolve({ lines: [by], data: may('bells:manage') }),
  })
  const verbs = [defineVerbs({ name: 'bells', summary: 'look after the bells', verbs: [ring, list, polish] })]

  it('are listed for all, and done for an admin, or whoever has the permission that a verb names', async () => {
    const node = await startNode({ app })
    const localToken = newTokenText().text
    const server = await serveHttp({ node, verbs }, { localToken })
    const ask = async (path: string, body?: unknown, token = localToken): Promise<Record<string, unknown>> => {
      const response = await fetch(`${server.url}/api/v1${path}`, {
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      })
      return (await response.json()) as Record<string, unknown>
    }
    try {
      const { items } = await ask('/verbs')
      expect(items).to.deep.equal(verbs.map(({ description }) => description))
      const rung = await ask('/verbs/bells/ring', { words: { bell: 'Marie' } })
      expect(rung).to.deep.equal({ lines: ['Marie rings'], data: { bell: 'Marie', by: 'http:local@127.0.0.1' } })
      expect(await ask('/verbs/bells/ring', {})).to.have.property('code', 'usage')
      expect(await ask('/verbs/bells/melt', {})).to.have.property('code', 'usage')
      const ada = newTokenText()
      const issued = { token: ada.id, name: 'ada', hash: ada.hash, permissions: ['bells:view'] }
      await ask('/operate', { on: 'token', action: 'issue', token: issued })
      expect(await ask('/verbs/bells/list', {}, ada.text))
        .to.have.property('lines')
        .deep.equal(['Marie'])
      for (const verb of ['ring', 'melt'])
        expect(await ask(`/verbs/bells/${verb}`, {}, ada.text)).to.have.property('code', 'permission-missing')
      const looked = await ask('/verbs/bells/polish', {}, ada.text)
      expect(looked).to.deep.equal({ lines: ['http:ada@127.0.0.1'], data: false })
      expect(await ask('/verbs/bells/polish', {})).to.have.property('data', true)
      const ben = newTokenText()
      const manager = { token: ben.id, name: 'ben', hash: ben.hash, permissions: ['bells:manage'] }
      await ask('/operate', { on: 'token', action: 'issue', token: manager })
      expect(await ask('/verbs/bells/list', {}, ben.text), 'each of several permissions is enough').to.have.property(
        'lines',
      )
    } finally {
      await server.close()
      await node.stop()
    }
  })
})
