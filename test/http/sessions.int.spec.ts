/** Sessions of the dashboard: where they are valid, and when they end. */
import { expect } from 'chai'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { request as requestTls } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { instantFromMillis } from 'carillon'
import { readLocalToken, serveHttp, type HttpOptions, type HttpServer, type LocalToken } from 'carillon/http'
import { generateKeyPair } from 'carillon/keys'
import { makeCertificate } from 'carillon/network'
import { EndedSessions } from '../../src/http/EndedSessions.js'
import { httpLimits } from '../../src/http/limits.js'
import { Belfry } from './belfry.js'

describe('A session of the dashboard', () => {
  let belfry: Belfry
  let folder: string
  let localToken: LocalToken
  const servers: HttpServer[] = []

  const serve = async (options: Partial<HttpOptions> = {}) => {
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

  describe('behind a proxy that ends TLS', () => {
    const host = 'library.example'
    const page = `https://${host}`
    type Asked = {
      readonly host?: string
      readonly origin?: string
      readonly session?: string
      readonly secret?: string
    }

    /** As a proxy passes it on, which the node cannot tell from a client without TLS. */
    const ask = (
      { url }: HttpServer,
      method: string,
      path: string,
      asked: Asked,
    ): Promise<{ readonly status: number | undefined; readonly session: string }> =>
      new Promise((resolve, reject) => {
        const { origin, session, secret } = asked
        const headers = {
          ...{ host: asked.host ?? host, connection: 'close' },
          ...(origin === undefined ? {} : { origin }),
          ...(session === undefined ? {} : { 'carillon-session': session }),
          ...(secret === undefined ? {} : { 'content-type': 'application/json' }),
        }
        const send = url.startsWith('https:') ? requestTls : request
        send(`${url}/api/v1${path}`, { method, headers, rejectUnauthorized: false }, (answer) => {
          let text = ''
          answer.setEncoding('utf8').on('data', (part: string) => (text += part))
          answer.on('end', () => {
            const body = JSON.parse(text) as { readonly session?: string }
            resolve({ status: answer.statusCode, session: body.session ?? '' })
          })
        })
          .on('error', reject)
          .end(secret === undefined ? undefined : JSON.stringify({ secret }))
      })
    const enter = (server: HttpServer, asked: Asked) =>
      ask(server, 'POST', '/session', { secret: localToken.text, ...asked })
    const see = async (server: HttpServer, asked: Asked) => (await ask(server, 'GET', '/me', asked)).status
    const end = async (server: HttpServer, asked: Asked) => (await ask(server, 'DELETE', '/session', asked)).status

    it('is begun, used and ended at the name that the server was told', async () => {
      const server = await serve({ names: [host] })
      const { status, session } = await enter(server, { origin: page })
      expect(status).to.equal(200)
      // To its own origin a browser sends no origin with what only reads.
      expect(await see(server, { session })).to.equal(200)
      expect(await end(server, { session, origin: page })).to.equal(200)
      expect(await see(server, { session })).to.equal(401)
      const withPort = { host: `${host}:8443`, origin: `${page}:8443` }
      expect((await enter(server, withPort)).status).to.equal(200)
    })

    it('is not begun at any other origin', async () => {
      const server = await serve({ names: [host] })
      const own = new URL(server.url).host
      const origins = ['https://other.example', `${page}:8443`, `https://${own}`, `https://evil.${host}`, 'null']
      for (const origin of origins) expect((await enter(server, { origin })).status, origin).to.equal(403)
      // Nobody has said that a proxy stands before the address itself.
      for (const name of [own, own.replace('127.0.0.1', 'localhost')])
        expect((await enter(server, { host: name, origin: `https://${name}` })).status, name).to.equal(403)
      const untold = await serve()
      expect((await enter(untold, { origin: page })).status).to.equal(403)
    })

    it('is valid at that origin only: not without TLS, nor at another server of the same node', async () => {
      const [server, other] = [await serve({ names: [host] }), await serve({ names: [host] })]
      const { session } = await enter(server, { origin: page })
      expect([await see(server, { session }), await see(other, { session })]).to.deep.equal([200, 401])
      const bare = `http://${host}`
      expect(await see(server, { session, origin: page })).to.equal(200)
      expect(await see(server, { session, origin: bare })).to.equal(401)
      expect(await end(server, { session, origin: bare })).to.equal(401)
      expect(await see(server, { session, host: `${host}:8443` })).to.equal(401)
      const ofBare = (await enter(server, { origin: bare })).session
      expect(await see(server, { session: ofBare })).to.equal(200)
      expect(await end(server, { session: ofBare, origin: page })).to.equal(401)
    })

    it('is not one of a server that has TLS itself', async () => {
      const key = generateKeyPair()
      const subject = { name: host, key: key.publicKey }
      const tls = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') }
      const at = instantFromMillis(Date.now())
      writeFileSync(tls.certFile, makeCertificate({ subject, issuer: subject, issuerKey: key, at }))
      writeFileSync(tls.keyFile, key.exportPrivate())
      const [server, plain] = [await serve({ names: [host], tls }), await serve({ names: [host] })]
      expect((await enter(server, { origin: `http://${host}` })).status).to.equal(403)
      const { status, session } = await enter(server, { origin: page })
      expect(status).to.equal(200)
      expect([await see(server, { session }), await see(plain, { session })]).to.deep.equal([200, 401])
      expect(await see(plain, { session, origin: page })).to.equal(401)
      const ofPlain = (await enter(plain, { origin: page })).session
      expect([await see(plain, { session: ofPlain }), await see(server, { session: ofPlain })]).to.deep.equal([
        200, 401,
      ])
    })
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

  it('are so many of one token, which ends none of another by ending its own again and again', () => {
    const folder = mkdtempSync(join(tmpdir(), 'carillon-ended-'))
    const file = join(folder, 'http.ended')
    const ended = new EndedSessions(file, 0)
    const many = httpLimits.sessionsEndedPerToken * 3
    ended.add('of-another', 5, 0, 'b')
    for (let place = 0; place < many; place++) ended.add(`session-${place}`, 1_000 + place, 0, 'a')
    for (const each of [ended, new EndedSessions(file, 0)]) {
      for (let place = 0; place < many; place++)
        expect(each.has(`session-${place}`, 1_000 + place, 'a'), String(place)).to.equal(true)
      expect(each.has('another', 6, 'b')).to.equal(false)
      expect(each.has('the owner’s', 6)).to.equal(false)
      expect(each.has('of-another', 5, 'b')).to.equal(true)
    }
    expect(readFileSync(file, 'utf8').split('\n').length).to.be.at.most(httpLimits.sessionsEndedPerToken + 3)
    rmSync(folder, { recursive: true })
  })
})
