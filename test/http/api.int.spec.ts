import { expect } from 'chai'
import { decodeEvent, type DomainEvent } from '../../src/entries/logs.js'
import { Belfry, type Answered } from './belfry.js'

const events = async (belfry: Belfry): Promise<readonly DomainEvent[]> => {
  const all: DomainEvent[] = []
  for await (const tick of belfry.node.readLog())
    all.push(...tick.events.map((line, index) => decodeEvent(line, tick.firstRevision + index)))
  return all
}

/** Reads server-sent events until there are so many. */
const listen = async (
  belfry: Belfry,
  path: string,
  count: number,
  headers: Readonly<Record<string, string>> = {},
): Promise<readonly { readonly id: string; readonly data: Record<string, unknown> }[]> => {
  const stop = new AbortController()
  const response = await fetch(`${belfry.server.url}${path}`, {
    headers: { authorization: `Bearer ${belfry.adminToken}`, ...headers },
    signal: stop.signal,
  })
  expect(response.status).to.equal(200)
  const heard: { readonly id: string; readonly data: Record<string, unknown> }[] = []
  let text = ''
  const decoder = new TextDecoder()
  try {
    for await (const chunk of response.body!) {
      text += decoder.decode(chunk as Uint8Array, { stream: true })
      const parts = text.split('\n\n')
      text = parts.pop() ?? ''
      for (const part of parts) {
        const fields = new Map(part.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]))
        const data = fields.get('data')
        if (data !== undefined)
          heard.push({ id: fields.get('id') ?? '', data: JSON.parse(data) as Record<string, unknown> })
      }
      if (heard.length >= count) return heard.slice(0, count)
    }
    return heard
  } finally {
    stop.abort()
  }
}

describe('the HTTP API', () => {
  let belfry: Belfry

  before(async () => {
    belfry = await Belfry.open()
  })
  after(() => belfry.close())

  const get = (path: string): Promise<Answered> => belfry.ask(`/api/v1${path}`)
  const post = (path: string, body?: unknown): Promise<Answered> =>
    belfry.ask(`/api/v1${path}`, { method: 'POST', body })
  const items = (answer: Answered): readonly Record<string, unknown>[] =>
    answer.body['items'] as readonly Record<string, unknown>[]

  it('tells how the node stands on one screen', async () => {
    const { status, body } = await get('/status')
    expect(status).to.equal(200)
    expect(body).to.deep.include({ node: 'Quasimodo', app: { name: 'belfry', version: '1.2.3' }, draining: false })
    expect(body['activities']).to.deep.equal({
      scheduled: 2,
      parked: 0,
      missed: 1,
      failed: 1,
      paused: 0,
      unconsumed: 0,
    })
    expect(body['flows']).to.deep.equal({ open: 2, parked: 1, paused: 0, superseded: 0 })
  })

  it('lists the agenda page by page, and what needs attention', async () => {
    const first = await get('/agenda?limit=1')
    expect(items(first)).to.have.length(1)
    const second = await get(`/agenda?limit=1&after=${String(first.body['next'])}`)
    expect(items(second)).to.have.length(1)
    expect(items(second)[0]!['ref']).not.to.deep.equal(items(first)[0]!['ref'])
    expect(second.body['next']).to.equal(undefined)
    expect(items(await get('/agenda?show=attention')).map(({ standing }) => standing)).to.have.members([
      'missed',
      'ended',
    ])
  })

  it('counts the agenda along time, past and to come', async () => {
    const { body } = await get('/agenda/timeline?from=2026-01-01T00:00:00.000Z&until=2026-01-01T12:00:00.000Z&bars=12')
    const bars = body['bars'] as readonly Record<string, number>[]
    expect(bars).to.have.length(12)
    expect(bars[0]).to.include({ late: 1, failed: 1, missed: 1 })
    expect(bars.reduce((sum, bar) => sum + bar['scheduled']!, 0)).to.equal(2)
  })

  it('finds states by type and text, and tells why, with what led to a state and what followed', async () => {
    expect(items(await get('/states?text=emmanuel&status=all'))).to.have.length(2)
    expect(items(await get('/states?type=belfry%2FBell'))).to.have.length(4)
    const [rung] = items(await get('/states?text=emmanuel&status=consumed'))
    const { transaction } = rung!['ref'] as { transaction: string }
    const why = await get(`/states/${transaction}:0/why`)
    expect(why.body['now']).to.contain('It is consumed')
    const graph = await get(`/states/${transaction.slice(0, 12)}/graph`)
    expect(graph.body['transactions']).to.have.length(2)
    expect(graph.body['states']).to.have.length(2)
  })

  it('names the activity of a state as the agenda shows it, to whoever acts on it', async () => {
    for (const entry of [...items(await get('/agenda')), ...items(await get('/agenda?show=attention'))]) {
      const { transaction, index } = entry['ref'] as { transaction: string; index: number }
      expect((await get(`/states/${transaction}:${index}/why`)).body['activity']).to.deep.equal(entry)
    }
  })

  it('finds states by a criterion, in an order, and as they were', async () => {
    const where = (criterion: unknown): string => `where=${encodeURIComponent(JSON.stringify(criterion))}`
    const names = async (query: string): Promise<readonly unknown[]> =>
      items(await get(`/states?${query}`)).map(({ data }) => (data as { name: string }).name)
    const all = await names('status=all')
    expect(await names('status=all&sort=recorded&descending=true')).to.deep.equal([...all].reverse())
    const { key } = belfry.node.party
    expect(await names(`status=all&${where({ party: key })}`)).to.deep.equal(all)
    expect(await names(`status=all&${where({ not: { party: key } })}`)).to.deep.equal([])
    const [first] = items(await get('/states?status=all&limit=1'))
    const revision = Number(first!['fromRevision'])
    expect(await names(`at=${revision}`)).to.deep.equal(all.slice(0, 1))
    expect(await names(`at=${revision - 1}`)).to.deep.equal([])
    expect(await names('at=2000-01-01T00:00:00.000Z')).to.deep.equal([])
    expect(await names(`at=${belfry.node.head.revision}`)).to.deep.equal(await names(''))
  })

  it('counts states, and says how many of each type are consumed when it is asked to', async () => {
    const count = items(await get('/states?status=all')).length
    expect(items(await get('/states/figures?status=all'))).to.deep.equal([{ count }])
    const unconsumed = items(await get('/states')).length
    expect((await get('/states/types')).body['types']).to.deep.equal([{ type: 'belfry/Bell', unconsumed }])
    expect((await get('/states/types?consumed=true')).body['types']).to.deep.equal([
      { type: 'belfry/Bell', unconsumed, consumed: count - unconsumed },
    ])
  })

  it('lists flows in trouble, and tells the story of one unless nobody asks for it', async () => {
    const troubled = items(await get('/flows?status=troubled'))
    expect(troubled.map(({ status }) => status)).to.include('parked')
    const id = String(troubled[0]!['id'])
    expect((await get(`/flows/${id}`)).body).to.include.keys('story', 'troubles', 'record')
    expect((await get(`/flows/${id}?story=false`)).body).not.to.have.property('story')
  })

  it('starts a flow by client id once, however often it is asked, and gives its result', async () => {
    const body = { flow: 'belfry/Hang', input: { name: 'Jacques', minutes: 700, manner: 'plain' }, clientId: 'j-1' }
    const first = await post('/flows', body)
    expect(first.status).to.equal(201)
    expect((await post('/flows', body)).body).to.deep.equal(first.body)
    const again = await post('/flows', { ...body, input: { ...body.input, minutes: 1 } })
    expect([again.status, again.body['code']]).to.deep.equal([409, 'client-id-conflict'])
    const flow = String(first.body['flow'])
    expect((await get(`/flows/${flow}/result`)).body).to.have.property('ended', true)
    const details = await get(`/flows/${flow}`)
    expect((details.body['story'] as { type: string }[]).map(({ type }) => type)).to.deep.equal([
      'FlowStarted',
      'TransactionRecorded',
      'FlowEnded',
    ])
  })

  it('records who acts and from where', async () => {
    const token = await belfry.token(['operate'])
    const acted = await belfry.ask(`/api/v1/flows/${belfry.flow}/pause`, { method: 'POST', token })
    expect(acted.status).to.equal(200)
    const paused = (await events(belfry)).find(({ type }) => type === 'FlowPaused')
    expect(paused).to.include({ by: 'http:operate@127.0.0.1' })
    expect((await post(`/flows/${belfry.flow}/resume`)).status).to.equal(200)
    for (const action of ['pause', 'resume']) {
      const done = await post(`/activities/${belfry.ref}/${action}`, { note: 'rest' })
      expect(done.body, action).to.deep.equal({ done: true })
    }
    await post('/drain/start')
    expect((await get('/ready')).status).to.equal(503)
    await post('/drain/end')
    expect((await get('/ready')).status).to.equal(200)
    const acts = (await events(belfry)).filter((event) => 'by' in event && event.by.startsWith('http:local@'))
    expect(acts.map(({ type }) => type)).to.include.members([
      'FlowResumed',
      'ActivityPaused',
      'ActivityResumed',
      'DrainingStarted',
      'DrainingEnded',
    ])
  })

  it('cancels a flow, and refuses to cancel one that has ended', async () => {
    const { flow } = (await post('/flows', { flow: 'belfry/Sleep', input: {} })).body as { flow: string }
    expect((await post(`/flows/${flow}/cancel`)).body).to.deep.equal({ done: true })
    await belfry.virtual.runUntilQuiet()
    expect((await get(`/flows/${flow}`)).body).to.deep.include({ status: 'killed' })
    expect((await post(`/flows/${flow}/cancel`)).body['code']).to.equal('flow-ended')
  })

  it('says what is wrong as problem+json with a code', async () => {
    const refused = async (path: string, status: number, code: string): Promise<void> => {
      const answer = await get(path)
      expect([answer.status, answer.body['code']], path).to.deep.equal([status, code])
      expect(answer.headers.get('content-type')).to.equal('application/problem+json; charset=utf-8')
      expect(answer.body['type']).to.equal(`urn:carillon:error:${code}`)
    }
    await refused('/nothing', 404, 'route-unknown')
    await refused('/states/ffffffff', 404, 'state-unknown')
    await refused('/states/not-hex', 400, 'request-invalid')
    await refused('/agenda?limit=0', 400, 'query-unbounded')
    await refused('/agenda?limit=-1', 400, 'request-invalid')
    await refused('/agenda?show=everything', 400, 'request-invalid')
    await refused('/agenda?page=2', 400, 'request-invalid')
    await refused('/states?where=currency', 400, 'request-invalid')
    await refused('/states?where=%7B%22field%22%3A7%7D', 400, 'request-invalid')
    await refused('/states?at=yesterday', 400, 'request-invalid')
    await refused('/states?at=999999', 400, 'revision-unknown')
    await refused('/states?at=1&sort=consumed', 400, 'query-invalid')
    await refused('/states?type=belfry%2FBell&sort=weight', 400, 'query-invalid')
    await refused('/states/figures?type=belfry%2FBell&of=weight', 400, 'query-invalid')
    await refused('/agenda?node=Nobody', 404, 'party-unknown')
    await refused('/panels/none', 404, 'panel-unknown')
    const invalid = await post('/flows', { flow: 'belfry/Hang', input: { name: 7 } })
    expect([invalid.status, invalid.body['code']]).to.deep.equal([422, 'flow-input-invalid'])
    expect((await post('/flows', { flow: 'belfry/Fly', input: {} })).body['code']).to.equal('flow-unknown')
  })

  it('says where a request does not fit, and what would', async () => {
    const detail = async (answer: Promise<Answered>): Promise<string> => String((await answer).body['detail'])
    expect(await detail(get('/states?limit=-1'))).to.contain('limit is "-1", expected a whole number from 0 on')
    expect(await detail(get('/states/abc'))).to.contain('expected a state ref, or at least 4 of its hex digits')
    expect(await detail(get('/agenda/timeline?from=2026-01-31'))).to.contain('such as 2026-01-31T09:00:00.000Z')
    expect(await detail(post('/tokens', { name: 'x', permissions: ['view', 'root'] }))).to.match(
      /: permissions\.1 is "root", expected view, operate, admin, start:/,
    )
  })

  it('takes no body for none, whatever its type is called', async () => {
    const headers = { 'content-type': 'application/json' }
    const begun = await belfry.ask('/api/v1/log/verification', { method: 'POST', headers })
    expect(begun.status).to.equal(202)
  })

  it('follows the log from the last event a client saw, each event once and in order', async () => {
    const path = '/api/v1/log/follow'
    const first = await listen(belfry, `${path}?lastEventId=2`, 4)
    expect(first.map(({ id }) => Number(id))).to.deep.equal([3, 4, 5, 6])
    const head = belfry.node.head.revision
    const resumed = listen(belfry, path, head - 6 + 3, { 'last-event-id': '6' })
    await post('/flows', { flow: 'belfry/Hang', input: { name: 'Louis', minutes: 800, manner: 'plain' } })
    const heard = await resumed
    expect(heard.map(({ id }) => Number(id))).to.deep.equal(heard.map((_, index) => index + 7))
    expect(heard.at(-1)!.data).to.have.property('type')
  })

  it('tells of the node whenever something has happened', async () => {
    const heard = listen(belfry, '/api/v1/live', 2)
    await new Promise((resolve) => setTimeout(resolve, 100))
    await post('/flows', { flow: 'belfry/Hang', input: { name: 'Anne', minutes: 900, manner: 'plain' } })
    const [before, after] = await heard
    expect(Number(after!.id)).to.be.greaterThan(Number(before!.id))
  })

  it('watches a flow until it ends', async () => {
    const { flow } = (await post('/flows', { flow: 'belfry/Sleep', input: {} })).body as { flow: string }
    const heard = listen(belfry, `/api/v1/flows/${flow}/watch`, 9)
    await new Promise((resolve) => setTimeout(resolve, 50))
    await post(`/flows/${flow}/kill`)
    expect((await heard).map(({ data }) => data['status'])).to.deep.equal(['running', 'killed'])
  })

  it('verifies the log beside the running node', async () => {
    await post('/log/verification')
    let found = await get('/log/verification')
    while (found.body['state'] === 'running') found = await get('/log/verification')
    expect(found.body['state']).to.equal('sound')
    expect(found.body['problems']).to.deep.equal([])
  })

  it('shows what the app contributes, to those who may see it', async () => {
    const token = await belfry.token(['bells:view'])
    for (const each of [token, await belfry.token(['bells:manage'])]) {
      const panels = await belfry.ask('/api/v1/panels', { token: each })
      expect(items(panels).map(({ name }) => name)).to.deep.equal(['bells'])
    }
    expect(items(await belfry.ask('/api/v1/panels', { token: await belfry.token(['tasks:view']) }))).to.deep.equal([])
    const shown = await belfry.ask('/api/v1/panels/bells', { token })
    expect((shown.body['blocks'] as { kind: string }[])[0]).to.have.property('kind', 'table')
    const refused = await belfry.ask('/api/v1/panels/bells/actions/hang', { method: 'POST', body: {}, token })
    expect(refused.body['code']).to.equal('permission-missing')
    const hung = await belfry.ask('/api/v1/panels/bells/actions/hang', {
      method: 'POST',
      body: { input: { name: 'Thérèse' } },
      token: await belfry.token(['bells:manage']),
    })
    expect(hung.body).to.deep.equal({ done: true, message: 'Thérèse hangs.' })
    const count = await get('/app/bells/count')
    expect(count.body['bells']).to.be.greaterThan(4)
  })

  it('issues a token that is shown once and kept as a hash, and revokes it', async () => {
    const made = await post('/tokens', { name: 'wall', permissions: ['view'], expiresAt: '2099-01-01T00:00:00.000Z' })
    const { id, token } = made.body as { id: string; token: string }
    expect((await belfry.ask('/api/v1/me', { token })).body).to.deep.include({ name: 'wall', permissions: ['view'] })
    const log = JSON.stringify(await events(belfry))
    expect(log).to.contain(id)
    expect(log).not.to.contain(token)
    expect(JSON.stringify(items(await get('/tokens')))).not.to.contain('hash')
    await belfry.ask(`/api/v1/tokens/${id}`, { method: 'DELETE' })
    const refused = await belfry.ask('/api/v1/me', { token })
    expect([refused.status, refused.body['code']]).to.deep.equal([401, 'token-refused'])
  })

  it('opens a session with a link, once, and ends it', async () => {
    const [, secret = ''] = belfry.server.newLink().split('#link=')
    const origin = belfry.server.url
    const enter = () =>
      belfry.ask('/api/v1/session', { method: 'POST', body: { secret }, token: '', headers: { origin } })
    const entered = await enter()
    expect(entered.status).to.equal(200)
    expect(entered.headers.get('set-cookie'), 'cookies go to every port of a host').to.equal(null)
    const session = String(entered.body['session'])
    const by = (text: string) => belfry.ask('/api/v1/me', { token: '', headers: { 'carillon-session': text } })
    const me = await by(session)
    expect(me.body).to.include({ name: 'local' })
    expect((await enter()).status).to.equal(401)
    const forged = session.replace(/\.(\d+)\./, (_, until: string) => `.${Number(until) + 1}.`)
    expect((await by(forged)).status).to.equal(401)
  })

  it('counts for Prometheus', async () => {
    await belfry.virtual.advanceBy({ hours: 2 })
    const { body } = await get('/metrics')
    const text = String(body['text'])
    for (const name of [
      'carillon_ticks_total',
      'carillon_events_total',
      'carillon_commit_seconds_bucket',
      'carillon_lateness_seconds_bucket',
      'carillon_activities',
      'carillon_flows',
      'carillon_log_revision',
      'carillon_term',
      'carillon_last_tick_timestamp_seconds',
    ])
      expect(text).to.match(new RegExp(`^${name}\\{.*node="Quasimodo".*\\} \\d`, 'm'))
    expect(text).to.contain('carillon_activities{node="Quasimodo",standing="missed"} 1')
  })
})
