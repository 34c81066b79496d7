/** The client, against a node that is served over HTTP, with the network between them cut, frozen and silent. */
import { expect } from 'chai'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CarillonError, connect, FlowRefused, Refusal, type Client, type ConnectOptions } from 'carillon/client'
import { newTokenText } from '../../src/http/TokenText.js'
import { startNode, type Node } from '../../src/index.js'
import type { PublicEvent } from '../../src/entries/events.js'
import { serveHttp, type HttpServer } from '../../src/entries/http.js'
import { Relay } from '../faults/Relay.js'
import { AwaitStamp, Letter, Lose, Nothing, post, Stamp, Weigh, Write } from './post.js'

const token = newTokenText().text

const refusalOf = async (asked: Promise<unknown>): Promise<CarillonError> => {
  try {
    await asked
  } catch (error) {
    if (error instanceof CarillonError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

describe('The client of a node', () => {
  let store: string
  let node: Node
  let server: HttpServer
  let relay: Relay
  let client: Client

  const serve = async (port = 0): Promise<void> => {
    node = await startNode({ app: post, store })
    server = await serveHttp({ node }, { localToken: token, port })
  }
  const portOf = ({ url }: HttpServer): number => Number(new URL(url).port)
  const through = (options: ConnectOptions = {}): Client => connect(`http://127.0.0.1:${relay.port}/`, token, options)
  const flowCount = async (): Promise<number> => (await node.flows()).items.length

  beforeEach(async () => {
    store = mkdtempSync(join(tmpdir(), 'carillon-client-'))
    await serve()
    relay = await Relay.listen(portOf(server))
    client = through()
  })
  afterEach(async () => {
    await relay.close()
    await server.close()
    await node.stop()
    rmSync(store, { recursive: true, force: true })
  })

  it('starts and runs flows of the app, encoded with their codecs, or by name with plain JSON', async () => {
    expect(await client.run(Write, { to: 'Ann', minutes: 2 })).to.equal('Ann')
    expect(await client.run('post/Write', { to: 'Ben', minutes: 120 })).to.equal('Ben')
    const { items } = await node.query(Letter)
    expect(items.map(({ data }) => [data.to, data.minutes])).to.deep.equal([
      ['Ann', 2],
      ['Ben', 2],
    ])
    const started = await client.start(Nothing, {})
    expect(await client.resultOf(started.id)).to.equal(undefined)
    expect((await node.flow(await node.flowId(started.id)))?.status).to.equal('completed')
  })

  it('finds the flow again that was started with the same client id', async () => {
    const first = await client.start(Write, { to: 'Ann', minutes: 1 }, { clientId: 'letter-1' })
    const again = await client.start(Write, { to: 'Ann', minutes: 1 }, { clientId: 'letter-1' })
    expect(again.id).to.equal(first.id)
    const other = await refusalOf(client.start(Write, { to: 'Eve', minutes: 1 }, { clientId: 'letter-1' }))
    expect(other.code).to.equal('client-id-conflict')
    expect(await flowCount()).to.equal(1)
  })

  it('gives the same typed errors: of the app, of the node, and of what is not even sent', async () => {
    const lost = await refusalOf(client.run(Lose, { pieces: 3 }))
    expect([lost.code, lost.message, lost.details]).to.deep.equal(['post/lost', '3 letters are lost.', { pieces: 3 }])
    expect((await refusalOf(client.run('post/Steal', {}))).code).to.equal('flow-unknown')
    expect((await refusalOf(client.run('post/Lose', { pieces: 'three' }))).code).to.equal('flow-input-invalid')
    expect((await refusalOf(client.resultOf('0'.repeat(32)))).code).to.equal('flow-not-found')
    const before = await flowCount()
    expect((await refusalOf(client.run(Lose, { pieces: 'three' } as never))).code).to.equal('flow-input-invalid')
    expect((await refusalOf(client.run('post/Lose', { pieces: NaN }))).code).to.equal('value-not-encodable')
    expect(await flowCount()).to.equal(before)
  })

  it('gives results and errors as values to those who ask for that', async () => {
    expect(await client.tryRun(Write, { to: 'Ann', minutes: 1 })()).to.deep.equal({ _tag: 'Right', right: 'Ann' })
    const lost = await client.tryRun(Lose, { pieces: 1 })()
    expect(lost._tag === 'Left' && lost.left.code).to.equal('post/lost')
  })

  it('gives the refusal of a flow as a value, decoded, or rejects with it', async () => {
    const outcome = await (await client.start(Weigh, { grams: 21 })).outcome()
    expect(outcome).to.deep.equal({ kind: 'refused', refusal: { reason: 'too heavy', minutes: 2 } })
    expect(await (await client.start(Weigh, { grams: 20 })).outcome()).to.deep.equal({ kind: 'returned', result: 20 })
    const named = await (await client.start('post/Weigh', { grams: 22 })).outcome()
    expect(named).to.deep.equal({ kind: 'refused', refusal: { reason: 'too heavy', minutes: 120 } })
    const tried = await client.tryRun(Weigh, { grams: 23 })()
    expect(tried._tag === 'Left' && tried.left instanceof Refusal && tried.left.refusal.minutes).to.equal(2)
    const thrown = await refusalOf(client.run(Weigh, { grams: 24 }))
    expect(thrown.code).to.equal('flow-refused')
    expect(thrown instanceof FlowRefused && thrown.refusal).to.deep.equal({ reason: 'too heavy', minutes: 120 })
  })

  it('asks the vault: by query, page by page, by key, and why', async () => {
    for (const [to, minutes] of [
      ['Ann', 3],
      ['Ben', 1],
      ['Cid', 2],
    ] as const)
      await client.run(Write, { to, minutes })
    const sort = { by: { field: 'minutes' }, descending: true } as const
    const first = await client.query(Letter, { sort, limit: 2 })
    const rest = await client.query(Letter, { sort, limit: 2, after: first.next! })
    expect([...first.items, ...rest.items].map(({ data }) => data.to)).to.deep.equal(['Ann', 'Cid', 'Ben'])
    expect(rest.next).to.equal(undefined)
    const quick = await client.query('post/Letter', { where: { field: 'minutes', until: 2 }, includeIrrelevant: true })
    expect(quick.items.map(({ data }) => (data as { minutes: number }).minutes)).to.deep.equal([60])
    const found = await client.find(Letter, 'Ben')
    expect(found).to.deep.equal(await node.find(Letter, 'Ben'))
    expect((await client.find('post/Letter', 'Ben'))?.key).to.equal('Ben')
    expect(await client.find(Letter, 'Zoe')).to.equal(undefined)
    const why = await client.why(found!.ref)
    expect(why.now).to.equal((await node.why(found!.ref)).now)
    expect((await client.why(`${found!.ref.transaction}:${found!.ref.index}`)).story).to.deep.equal(why.story)
    expect((await refusalOf(client.query(Letter, { limit: 1_000_000 }))).code).to.equal('query-unbounded')
  })

  it('signals a flow, acts as an operator, and asks whatever else there is', async () => {
    const waiting = await client.start(AwaitStamp, {}, { clientId: 'stamp-1' })
    await client.signal(waiting.id, Stamp, { cents: 80 })
    expect(await waiting.result()).to.equal(80)
    const byName = await client.start(AwaitStamp, {}, { clientId: 'stamp-2' })
    await client.signal({ clientId: 'stamp-2' }, 'post/Stamp', { cents: 95 })
    expect(await byName.result()).to.equal(95)
    expect((await refusalOf(client.signal(waiting.id, Stamp, { cents: 'x' } as never))).code).to.equal(
      'request-invalid',
    )
    await client.operate({ on: 'draining', action: 'start' })
    expect(node.isDraining).to.equal(true)
    const health = (await client.request('GET', '/health')) as { readonly draining: boolean }
    expect(health.draining).to.equal(true)
    expect((await refusalOf(client.request('GET', '/nowhere'))).code).to.equal('route-unknown')
  })

  it('refuses a wrong token, an address that is none, and what is not a node, at once', async () => {
    expect((await refusalOf(connect(server.url, newTokenText().text).why('abcd'))).code).to.equal('token-refused')
    expect((await refusalOf(connect(server.url).why('abcd'))).code).to.equal('token-refused')
    for (const url of ['node.example', 'ftp://node.example', 'http://'])
      expect(() => connect(url), url)
        .to.throw(CarillonError)
        .with.property('code', 'request-invalid')
    expect(() => connect(server.url, 'a\nb'))
      .to.throw(CarillonError)
      .with.property('code', 'token-refused')
    expect(() => connect(server.url, token, { retryForMs: NaN })).to.throw(CarillonError)
    const page = connect(server.url, token, { fetch: () => Promise.resolve(new Response('<html>', { status: 404 })) })
    expect((await refusalOf(page.why('abcd'))).code).to.equal('request-invalid')
    const html = connect(server.url, token, { fetch: () => Promise.resolve(new Response('<html>')) })
    expect((await refusalOf(html.why('abcd'))).code).to.equal('request-invalid')
  })

  it('asks again when an answer was lost, and has started one flow', async () => {
    relay.loseAnswers()
    const asked = through({ silenceMs: 300 }).run(Write, { to: 'Ann', minutes: 1 })
    while ((await flowCount()) === 0) await new Promise(setImmediate)
    relay.cut()
    relay.up()
    expect(await asked).to.equal('Ann')
    expect(await flowCount()).to.equal(1)
  })

  it('asks again when the node says nothing, and has started one flow', async () => {
    relay.freeze()
    const asked = through({ silenceMs: 100 }).start(Write, { to: 'Ann', minutes: 1 })
    await new Promise((resolve) => setTimeout(resolve, 250))
    relay.thaw()
    await (await asked).result()
    expect(await flowCount()).to.equal(1)
  })

  it('never repeats what an operator asks, and says that it is not known whether it was done', async () => {
    let sent = 0
    const broken = connect(server.url, token, {
      fetch: () => {
        sent += 1
        return Promise.reject(new TypeError('fetch failed'))
      },
    })
    const error = await refusalOf(broken.operate({ on: 'draining', action: 'end' }))
    expect([error.code, sent]).to.deep.equal(['address-unavailable', 1])
    expect(error.message).to.include('not known')
  })

  it('repeats even that when the node has not read it', async () => {
    let sent = 0
    const busy = connect(server.url, token, {
      fetch: (address, request) => {
        sent += 1
        const problem = { code: 'rate-exceeded', detail: 'Too many.', details: { retryAfterSeconds: 0 } }
        return sent === 1 ? Promise.resolve(Response.json(problem, { status: 429 })) : fetch(address, request)
      },
    })
    await busy.operate({ on: 'draining', action: 'start' })
    expect([node.isDraining, sent]).to.deep.equal([true, 2])
  })

  it('gives up after as long as it was told, with the error of the last attempt', async () => {
    relay.down()
    const impatient = await refusalOf(through({ retryForMs: 150 }).run(Nothing, {}))
    expect(impatient.code).to.equal('address-unavailable')
    await node.stop()
    const stopped = await refusalOf(connect(server.url, token, { retryForMs: 150 }).run(Nothing, {}))
    expect(stopped.code).to.equal('node-stopped')
  })

  it('waits for a result over a restart of the node', async () => {
    const { id } = await client.start(AwaitStamp, {})
    const result = client.resultOf(id)
    await server.close()
    await node.stop()
    await serve(portOf(server))
    await client.signal(id, Stamp, { cents: 95 })
    expect(await result).to.equal(95)
  })

  it('ends what is aborted with a typed error whose cause is the reason of the signal', async () => {
    const { id } = await client.start(AwaitStamp, {})
    const reason = new Error('no longer wanted')
    const over = new AbortController()
    const asked = client.resultOf(id, { signal: over.signal })
    setTimeout(() => over.abort(reason), 50)
    const first = await refusalOf(asked)
    expect([first.code, first.cause]).to.deep.equal(['wait-aborted', reason])
    const before = await flowCount()
    expect((await refusalOf(client.run(Nothing, {}, { signal: over.signal }))).code).to.equal('wait-aborted')
    const value = await client.tryRun(Nothing, {}, { signal: over.signal })()
    expect(value._tag === 'Left' && value.left.code).to.equal('wait-aborted')
    expect(await flowCount()).to.equal(before)
    relay.down()
    const between = new AbortController()
    const retried = client.resultOf(id, { signal: between.signal })
    setTimeout(() => between.abort(reason), 50)
    expect((await refusalOf(retried)).code).to.equal('wait-aborted')
  })

  describe('as a subscriber', () => {
    /** What a subscription has given, up to a revision of a node that may have been started anew. */
    const until = async (events: AsyncGenerator<PublicEvent>, revision: () => number): Promise<readonly number[]> => {
      const seen: number[] = []
      for await (const event of events) {
        seen.push(event.revision)
        if (event.revision >= revision()) break
      }
      return seen
    }
    const recorded = async (types?: readonly 'FlowEnded'[]): Promise<readonly number[]> =>
      until(node.subscribe({ from: 'start', ...(types === undefined ? {} : { types }) }), () => node.head.revision)

    it('misses and repeats nothing while the node restarts and the connection breaks', async () => {
      const over = new AbortController()
      const seen: number[] = []
      const subscription = client.subscribe({
        from: 'start',
        signal: over.signal,
        on: ({ revision }) => {
          seen.push(revision)
        },
      })
      const port = portOf(server)
      for (const what of ['cut', 'restart', 'cut'] as const) {
        await node.run(Write, { to: `${what} ${node.head.revision}`, minutes: 1 })
        if (what === 'cut') relay.cut()
        else {
          await server.close()
          await node.stop()
          await serve(port)
        }
        await node.run(Nothing, {})
      }
      const whole = await recorded()
      while (seen.length < whole.length) await new Promise((resolve) => setTimeout(resolve, 10))
      expect(seen).to.deep.equal(whole)
      expect(subscription.revision).to.equal(whole.at(-1))
      subscription.close()
      await subscription.ended
      over.abort()
    })

    it('from the present misses nothing, although the first connection breaks before it has sent anything', async () => {
      const events = client.subscribe({ from: 'present', types: ['FlowEnded'] })
      const first = events.next()
      await new Promise((resolve) => setTimeout(resolve, 100))
      relay.down()
      await node.run(Write, { to: 'Ann', minutes: 1 })
      relay.up()
      const { value } = await first
      expect(value?.type).to.equal('FlowEnded')
      await events.return()
    })

    it('waits for a revision that is to come, or is refused when asked not to wait', async () => {
      const from = node.head.revision + 5
      const events = client.subscribe({ from })
      const first = events.next()
      for (let count = 0; count < 4; count += 1) await node.run(Nothing, {})
      expect((await first).value?.revision).to.be.at.least(from)
      await events.return()
      const refused = client.subscribe({ from: node.head.revision + 100, wait: false })
      expect((await refusalOf(refused.next())).code).to.equal('revision-unknown')
    })

    it('takes only the types it asks for, and is told of a wrong one, a wrong place and a wrong token', async () => {
      await node.run(Nothing, {})
      const [ended] = await recorded(['FlowEnded'])
      const { value } = await client.subscribe({ from: 'start', types: ['FlowEnded'] }).next()
      expect(value?.revision).to.equal(ended)
      const wrong = [
        client.subscribe({ from: 'start', types: ['FlowExploded' as never] }),
        client.subscribe({ from: -1 }),
      ]
      for (const events of wrong) expect((await refusalOf(events.next())).code).to.equal('request-invalid')
      const stranger = connect(server.url, newTokenText().text).subscribe({ from: 'start' })
      expect((await refusalOf(stranger.next())).code).to.equal('token-refused')
    })

    it('ends by its signal, before it has begun and while it waits', async () => {
      const over = new AbortController()
      const events = client.subscribe({ from: 'present', signal: over.signal })
      const next = events.next()
      setTimeout(() => over.abort(), 50)
      expect((await next).done).to.equal(true)
      expect((await client.subscribe({ from: 'start', signal: over.signal }).next()).done).to.equal(true)
    })

    it('gives up a node that was never there, and tells what its callback threw', async () => {
      const away = connect('http://127.0.0.1:9', token, { retryForMs: 100 }).subscribe({ from: 'start' })
      expect((await refusalOf(away.next())).code).to.equal('address-unavailable')
      const thrown = client.subscribe({
        from: 'start',
        on: () => {
          throw new Error('no room')
        },
      })
      expect((await refusalOf(thrown.ended)).code).to.equal('subscriber-threw')
    })

    it('goes on after an event that was taken, and ends when the node comes back with another history', async () => {
      await client.run(Write, { to: 'Ann', minutes: 1 })
      const [first, ...more] = await recorded()
      const { value: taken } = await client.subscribe({ from: 'start' }).next()
      expect(taken?.revision).to.equal(first)
      const events = client.subscribe({ from: { after: taken! } })
      for (const revision of more) expect((await events.next()).value?.revision).to.equal(revision)
      // The store is lost, and what takes its place soon has as many events.
      const port = portOf(server)
      const next = refusalOf(events.next())
      await server.close()
      await node.stop()
      rmSync(store, { recursive: true, force: true })
      node = await startNode({ app: post, store })
      for (let count = 0; count < 5; count += 1) await node.run(Nothing, {})
      server = await serveHttp({ node }, { localToken: token, port })
      expect((await next).code).to.equal('subscription-ahead')
      const after = { revision: taken!.revision, hash: 'f'.repeat(64) }
      expect((await refusalOf(client.subscribe({ from: { after } }).next())).code).to.equal('subscription-ahead')
    })

    it('opens a new connection when the old one is silent', async () => {
      const events = through({ silenceMs: 150 }).subscribe({ from: 'start' })
      const seen = [(await events.next()).value?.revision]
      relay.loseAnswers()
      await node.run(Nothing, {})
      setTimeout(() => relay.up(), 200)
      for (const whole = await recorded(); seen.length < whole.length;) seen.push((await events.next()).value?.revision)
      expect(seen).to.deep.equal(await recorded())
      await events.return()
    })
  })
})
