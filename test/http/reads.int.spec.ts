/** What questions may take from the node that answers them. */
import { expect } from 'chai'
import { httpLimits } from '../../src/http/limits.js'
import { ReadBudget } from '../../src/http/ReadBudget.js'
import { UnreadAnswers } from '../../src/http/UnreadAnswers.js'
import { Belfry, Sleep } from './belfry.js'

const search = '/api/v1/states?text=nothing-of-the-kind'

describe('Questions over HTTP', () => {
  it('of one token take no more than its share, and others are not refused for it', async () => {
    const belfry = await Belfry.open({ readMsPerSecond: 1 })
    try {
      const [greedy, other] = [await belfry.token(['view']), await belfry.token(['view'])]
      let refused: Awaited<ReturnType<Belfry['ask']>> | undefined
      for (let asked = 0; asked < 2_000 && refused === undefined; asked += 1) {
        const answer = await belfry.ask(search, { token: greedy })
        if (answer.status !== 200) refused = answer
      }
      expect([refused?.status, refused?.body['code']]).to.deep.equal([429, 'rate-exceeded'])
      expect(refused?.body['detail']).to.contain('more time than it has')
      expect(Number(refused?.headers.get('retry-after'))).to.be.at.least(1)
      expect((await belfry.ask(search, { token: other })).status).to.equal(200)
      // The owner of the store is not counted.
      expect((await belfry.ask(search)).status).to.equal(200)
    } finally {
      await belfry.close()
    }
  })

  it('cost what they take, so that a single one may use up the share', async () => {
    const belfry = await Belfry.open()
    try {
      const reads = new ReadBudget(10)
      const nodeOf = (token: string) =>
        reads.nodeFor(belfry.node, { name: 'a client', permissions: ['view'], from: '127.0.0.1', token })
      const work = (forMs: number) => (): string => {
        for (const endMs = performance.now() + forMs; performance.now() < endMs;);
        return 'read'
      }
      const codeOf = (asked: Promise<string>): Promise<unknown> =>
        asked.catch((error: unknown) => (error as { readonly code?: unknown }).code)
      expect(await codeOf(nodeOf('one').readViews(work(300)))).to.equal('read')
      expect(await codeOf(nodeOf('one').readViews(work(0)))).to.equal('rate-exceeded')
      expect(await codeOf(nodeOf('other').readViews(work(0)))).to.equal('read')
    } finally {
      await belfry.close()
    }
  })

  for (const path of ['/log/follow?from=0', '/events?from=start', '/events?from=start&types=NodeStarted'])
    it(`cost what they take, as a stream of what was recorded does: ${path}`, async () => {
      const belfry = await Belfry.open({ readMsPerSecond: 1 })
      try {
        await belfry.virtual.advanceBy({ hours: 300 })
        const [greedy, other] = [await belfry.token(['view']), await belfry.token(['view'])]
        const listen = async (token: string): Promise<Response> => {
          const response = await fetch(`${belfry.server.url}/api/v1${path}`, {
            headers: { authorization: `Bearer ${token}` },
          })
          // The first words say that it is open; a stream is read for until it is hung up on.
          await response.body?.getReader().read()
          return response
        }
        // To open one takes one of the twenty milliseconds that it has at once; to read for it is the rest.
        const statuses: number[] = []
        for (let asked = 0; asked < 15 && !statuses.includes(429); asked += 1) {
          statuses.push((await listen(greedy)).status)
          for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve))
        }
        expect(statuses).to.include(429)
        expect((await belfry.ask(search, { token: other })).status).to.equal(200)
        expect((await listen(other)).status).to.equal(200)
      } finally {
        await belfry.close()
      }
    })

  for (const [what, path, body] of [
    ['an answer that the loop makes', '/openapi.json', undefined],
    ['the beginning of a stream', '/live', undefined],
    ['the figures of a chart', '/charts?points=900', undefined],
    [
      'a body that is read and refused',
      '/flows',
      { flow: 'belfry/Hang', input: Array.from({ length: 50_000 }, () => 1) },
    ],
  ] as const)
    it(`cost what they take, as any request does: ${what}`, async () => {
      const belfry = await Belfry.open({ readMsPerSecond: 1, requestsPerSecond: 100_000 })
      try {
        const [greedy, other] = [await belfry.token(['view']), await belfry.token(['view'])]
        const ask = async (token: string): Promise<{ readonly status: number; readonly text: string }> => {
          const response = await fetch(`${belfry.server.url}/api/v1${path}`, {
            headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
            ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
          })
          if (path !== '/live') return { status: response.status, text: await response.text() }
          const text = response.status === 200 ? '' : await response.text()
          if (response.status === 200) await response.body?.cancel()
          return { status: response.status, text }
        }
        let refused: string | undefined
        for (let asked = 0; asked < 3_000 && refused === undefined; asked += 1) {
          const { status, text } = await ask(greedy)
          if (status === 429) refused = text
        }
        expect(refused).to.contain('more time than it has')
        expect((await ask(other)).status).not.to.equal(429)
        expect((await belfry.ask('/api/v1/openapi.json')).status).to.equal(200)
      } finally {
        await belfry.close()
      }
    })

  it('are answered in so many bytes that wait to be read, and no more', async () => {
    const belfry = await Belfry.open()
    const { hold } = UnreadAnswers.prototype
    try {
      const token = await belfry.token(['view'])
      const held: (readonly [string | undefined, number])[] = []
      UnreadAnswers.prototype.hold = function (principal, raw, bytes) {
        held.push([principal.token, bytes])
        // As if so much had been left unread before.
        hold.call(this, principal, raw, bytes + httpLimits.httpUnreadBytes / 2)
      }
      const asked = ['/openapi.json', '/metrics', '/states', '/status'].map((path) => `/api/v1${path}`)
      for (const path of asked) expect((await belfry.ask(path, { token })).status).to.equal(200)
      expect(held.map(([of]) => of)).to.deep.equal(asked.map(() => token.split('_')[1]))
      expect(Math.min(...held.map(([, bytes]) => bytes))).to.be.greaterThan(0)
    } finally {
      UnreadAnswers.prototype.hold = hold
      await belfry.close()
    }
  })

  it('cost what they take, as a watched flow and a check of the log do', async () => {
    const belfry = await Belfry.open({ readMsPerSecond: 1 })
    try {
      const { id } = await belfry.node.start(Sleep, {})
      const greedy = await belfry.token(['view'])
      const watch = async (): Promise<number> => {
        const headers = { authorization: `Bearer ${greedy}` }
        const response = await fetch(`${belfry.server.url}/api/v1/flows/${id}/watch`, { headers })
        await response.body?.cancel()
        return response.status
      }
      let status = 200
      for (let asked = 0; asked < 2_000 && status === 200; asked += 1) status = await watch()
      expect(status).to.equal(429)
      const other = await belfry.token(['view'])
      const check = async (token?: string): Promise<unknown> =>
        (await belfry.ask('/api/v1/log/verification', { method: 'POST', ...(token === undefined ? {} : { token }) }))
          .status
      const checked = async (): Promise<void> => {
        while ((await belfry.ask('/api/v1/log/verification')).body['state'] === 'running');
      }
      expect(await check(other)).to.equal(202)
      await checked()
      expect(await check(other)).to.equal(429)
      expect(await check()).to.equal(202)
      await checked()
    } finally {
      await belfry.close()
    }
  })

  it('let ticks come between, however many are asked at once', async () => {
    const belfry = await Belfry.open()
    try {
      const reads = new ReadBudget()
      const principal = { name: 'many', permissions: ['view'], from: '127.0.0.1', token: '0'.repeat(12) }
      const node = reads.nodeFor(belfry.node, principal)
      let turn = 0
      let isOver = false
      const count = (): void => {
        turn += 1
        if (!isOver) setImmediate(count)
      }
      setImmediate(count)
      const turns = await Promise.all(Array.from({ length: 20 }, () => node.readViews(() => turn)))
      isOver = true
      expect(new Set(turns).size, 'a turn of the loop for each').to.equal(20)
    } finally {
      await belfry.close()
    }
  })
})
