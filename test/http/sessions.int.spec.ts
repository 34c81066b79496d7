/** Sessions of the dashboard: where they are valid, and when they end. */
import { expect } from 'chai'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readLocalToken, serveHttp, type HttpServer, type LocalToken } from 'carillon/http'
import { EndedSessions } from '../../src/http/EndedSessions.js'
import { httpLimits } from '../../src/http/limits.js'
import { Belfry } from './belfry.js'

describe('A session of the dashboard', () => {
  let belfry: Belfry
  let folder: string
  let localToken: LocalToken
  const servers: HttpServer[] = []

  const serve = async (options: { readonly port?: number; readonly localToken?: LocalToken | string } = {}) => {
    const server = await serveHttp({ node: belfry.node }, { localToken, ...options })
    servers.push(server)
    return server
  }
  const begin = async ({ url }: HttpServer, secret: string): Promise<string> => {
    const response = await fetch(`${url}/api/v1/session`, {
      method: 'POST',
      headers: { origin: url, 'content-type': 'application/json', connection: 'close' },
      body: JSON.stringify({ secret }),
    })
    return ((await response.json()) as { readonly session: string }).session
  }
  const me = async ({ url }: HttpServer, session: string): Promise<number> =>
    (await fetch(`${url}/api/v1/me`, { headers: { 'carillon-session': session, connection: 'close' } })).status
  const leave = async ({ url }: HttpServer, session: string): Promise<number> =>
    (
      await fetch(`${url}/api/v1/session`, {
        method: 'DELETE',
        headers: { 'carillon-session': session, origin: url, connection: 'close' },
      })
    ).status
  const portOf = ({ url }: HttpServer): number => Number(new URL(url).port)

  before(async () => {
    belfry = await Belfry.open()
  })
  after(() => belfry.close())
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'carillon-sessions-'))
    localToken = readLocalToken(folder)
  })
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('is valid at the origin where it began, port included, and at no other of the same node', async () => {
    const [one, other] = [await serve(), await serve()]
    const session = await begin(one, localToken.text)
    expect([await me(one, session), await me(other, session)]).to.deep.equal([200, 401])
    // The same server by another of its names is another origin, too.
    const byName = { url: one.url.replace('127.0.0.1', 'localhost') } as HttpServer
    expect(await me(byName, session)).to.equal(401)
  })

  it('is nothing that a cookie could carry', async () => {
    const server = await serve()
    const session = await begin(server, localToken.text)
    const cookie = `carillon-session=${session}; carillon-${portOf(server)}=${session}`
    expect((await fetch(`${server.url}/api/v1/me`, { headers: { cookie } })).status).to.equal(401)
  })

  it('goes on over a restart, unless it was ended before', async () => {
    const first = await serve()
    const ended = await begin(first, localToken.text)
    const kept = await begin(first, localToken.text)
    expect(await leave(first, ended)).to.equal(200)
    expect([await me(first, ended), await me(first, kept)]).to.deep.equal([401, 200])
    const port = portOf(first)
    for (let restart = 0; restart < 2; restart++) {
      await servers.pop()?.close()
      const next = await serve({ port, localToken: readLocalToken(folder) })
      expect([await me(next, ended), await me(next, kept)]).to.deep.equal([401, 200])
    }
    expect(statSync(localToken.endedFile).mode & 0o777).to.equal(0o600)
  })

  it('ends with the start of the server where nothing could remember that it was ended', async () => {
    const first = await serve({ localToken: localToken.text })
    const session = await begin(first, localToken.text)
    const port = portOf(first)
    expect(await me(first, session)).to.equal(200)
    await servers.pop()?.close()
    expect(await me(await serve({ port, localToken: localToken.text }), session)).to.equal(401)
  })

  it('ends with the token it was begun with, revoked or expired', async () => {
    const server = await serve()
    const token = await belfry.token(['view'])
    const session = await begin(server, token)
    expect(await me(server, session)).to.equal(200)
    const { id } = (await belfry.node.tokens()).at(-1)!
    await belfry.node.revokeToken(id)
    expect(await me(server, session)).to.equal(401)
    const soon = new Date(Date.now() + 400).toISOString()
    const brief = await begin(server, await belfry.token(['view'], soon))
    expect(await me(server, brief)).to.equal(200)
    while (Date.now() <= Date.parse(soon)) await new Promise((resolve) => setTimeout(resolve, 50))
    expect(await me(server, brief)).to.equal(401)
  })

  it('ends with the local token, when that is replaced', async () => {
    const first = await serve()
    const session = await begin(first, localToken.text)
    const port = portOf(first)
    await servers.pop()?.close()
    rmSync(join(folder, 'http.token'))
    expect(await me(await serve({ port, localToken: readLocalToken(folder) }), session)).to.equal(401)
  })
})

describe('The sessions that were ended', () => {
  it('are never let in again, however many more are ended', () => {
    const ended = new EndedSessions(undefined, 0)
    const lapsesMs = (place: number): number => 1_000 + place
    const many = httpLimits.sessionsEnded * 2 + 10
    for (let place = 0; place < many; place++) ended.add(`session-${place}`, lapsesMs(place), 0)
    for (let place = 0; place < many; place++)
      expect(ended.has(`session-${place}`, lapsesMs(place)), String(place)).to.equal(true)
    expect(ended.has('another', lapsesMs(many))).to.equal(false)
  })
})
