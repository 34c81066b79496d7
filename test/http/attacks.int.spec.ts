import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { isLeft } from 'fp-ts/lib/Either.js'
import { decodeWith } from '../../src/encoding/decode.js'
import { builtInRoutes } from '../../src/http/builtInRoutes.js'
import { CarillonError, instantFromMillis } from '../../src/index.js'
import { serveHttp } from '../../src/entries/http.js'
import { generateKeyPair } from '../../src/entries/keys.js'
import { makeCertificate } from '../../src/entries/network.js'
import { httpLimits } from '../../src/http/limits.js'
import { newTokenText } from '../../src/http/TokenText.js'
import { Belfry } from './belfry.js'
import { operationsOf, type Operation } from './operations.js'

/** Sends bytes as they stand and gives what comes back until the server hangs up or it has been quiet. */
const sendRaw = (url: string, text: string | Buffer, patienceMs = 300): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    let heard = ''
    const done = (): void => {
      socket.destroy()
      resolve(heard)
    }
    let timer = setTimeout(done, patienceMs + 1_000)
    socket.on('data', (chunk) => {
      heard += chunk.toString('latin1')
      clearTimeout(timer)
      timer = setTimeout(done, patienceMs)
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearTimeout(timer)
      done()
    })
    socket.write(text)
  })

const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1])

describe('an attacker of the HTTP API', () => {
  let belfry: Belfry
  let operations: readonly Operation[]

  before(async () => {
    belfry = await Belfry.open({ requestMs: 1_000 })
    operations = await operationsOf(belfry)
  })
  after(() => belfry.close())
  // Refusals are rationed by address; each test begins with a new server so that none pays for the one before.
  beforeEach(async () => {
    await belfry.close()
    belfry = await Belfry.open({ requestMs: 1_000 })
  })

  const guarded = (): readonly Operation[] => operations.filter(({ permission }) => permission !== 'none')
  const say = ({ method, template }: Operation): string => `${method} ${template}`
  const pathOf = (operation: Operation): string => {
    const path = operation.path.replace(/\/states\/[^/?]+/, `/states/${belfry.ref}`)
    return path
      .replace(/\/activities\/[^/?]+/, `/activities/${belfry.ref}`)
      .replace(/\/flows\/[0-9a-f]{32}/, `/flows/${belfry.flow}`)
  }

  it('meets at least forty operations, and all but one want a token', () => {
    expect(operations.length).to.be.greaterThan(35)
    expect(operations.filter(({ permission }) => permission === 'none').map(say)).to.deep.equal([
      'POST /api/v1/session',
    ])
  })

  const attempts: readonly (readonly [what: string, token: (belfry: Belfry) => Promise<string> | string])[] = [
    ['without a token', () => ''],
    ['with a token that was never issued', () => newTokenText().text],
    [
      'with a token whose secret is another',
      async (b) => (await b.token(['admin'])).replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
    ],
    ['with a token that has expired', (b) => b.token(['admin'], '2026-01-02T00:00:00.000Z')],
  ]
  for (const [what, tokenOf] of attempts)
    it(`gets nowhere ${what}`, async () => {
      for (const operation of guarded()) {
        const token = await tokenOf(belfry)
        const answer = await belfry.ask(pathOf(operation), { method: operation.method, token })
        // After many refusals the caller is told to wait, which is no way in either.
        expect(answer.status, say(operation)).to.be.oneOf([401, 429])
        expect(answer.body['code']).to.be.oneOf(['token-refused', 'rate-exceeded'])
      }
    })

  it('gets nowhere with a token that was revoked', async () => {
    const token = await belfry.token(['admin'])
    const [id] = (await belfry.node.tokens()).map((each) => each.id)
    await belfry.node.revokeToken(id!)
    for (const operation of guarded()) {
      const answer = await belfry.ask(pathOf(operation), { method: operation.method, token })
      expect(answer.status, say(operation)).to.be.oneOf([401, 429])
    }
  })

  it('gets no further than its permissions go', async () => {
    const others = ['view', 'operate', 'start:belfry/Sleep', 'bells:view', 'bells:manage']
    const covers: Readonly<Record<string, readonly string[]>> = {
      'start:{flow}': ['start:belfry/Sleep'],
      'signal:{signal}': ['operate'],
      'panel:view': ['bells:view', 'bells:manage'],
      'panel:act': ['bells:manage'],
      verb: [],
      any: others,
    }
    const bodies: Readonly<Record<string, unknown>> = {
      'start:{flow}': { flow: 'belfry/Sleep', input: {} },
      'signal:{signal}': { to: belfry.flow, signal: 'belfry/Wake', data: {} },
    }
    for (const permission of others) {
      const token = await belfry.token([permission])
      for (const operation of guarded()) {
        const allowed = (covers[operation.permission] ?? [operation.permission]).includes(permission)
        if (allowed) continue
        const body = bodies[operation.permission] ?? {}
        const answer = await belfry.ask(pathOf(operation), {
          method: operation.method,
          token,
          ...(operation.takesBody ? { body } : {}),
        })
        expect([answer.status, answer.body['code']], `${permission}: ${say(operation)}`).to.deep.equal([
          403,
          'permission-missing',
        ])
      }
    }
    const token = await belfry.token(['start:belfry/Sleep', 'view'])
    const other = { flow: 'belfry/Hang', input: { name: 'x', minutes: 1, manner: 'plain' } }
    expect((await belfry.ask('/api/v1/flows', { method: 'POST', token, body: other })).status).to.equal(403)
    const named = { flow: 'belfry/Sleep', input: {} }
    expect((await belfry.ask('/api/v1/flows', { method: 'POST', token, body: named })).status).to.equal(201)
  })

  it('cannot use a browser of someone who is logged in', async () => {
    const [, secret = ''] = belfry.server.newLink().split('#link=')
    const origin = belfry.server.url
    const entered = await belfry.ask('/api/v1/session', {
      method: 'POST',
      body: { secret },
      token: '',
      headers: { origin },
    })
    const own = { 'carillon-session': String(entered.body['session']) }
    const drain = async (headers: Readonly<Record<string, string>>): Promise<number> =>
      (await belfry.ask('/api/v1/drain/start', { method: 'POST', token: '', headers: { ...own, ...headers } })).status
    expect(await drain({ origin: 'https://evil.example' })).to.equal(403)
    expect(await drain({ origin: 'null' })).to.equal(403)
    expect(await drain({ 'sec-fetch-site': 'cross-site' })).to.equal(403)
    expect(await drain({ 'sec-fetch-site': 'same-site', origin })).to.equal(403)
    expect(await drain({}), 'no origin at all').to.equal(403)
    expect(belfry.node.isDraining).to.equal(false)
    expect(await drain({ origin })).to.equal(200)
  })

  it('cannot rebind a name to the address', async () => {
    const request = (host: string): string =>
      `GET /api/v1/status HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${belfry.adminToken}\r\nConnection: close\r\n\r\n`
    for (const host of ['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example:80', '', '0.0.0.0', '@'])
      expect(statusOf(await sendRaw(belfry.server.url, request(host))), host).to.be.oneOf([400, 403])
    expect(statusOf(await sendRaw(belfry.server.url, request('localhost:1')))).to.equal(200)
  })

  it('cannot name two hosts, nor one in its first line and another in its head', async () => {
    const authorization = `Authorization: Bearer ${belfry.adminToken}\r\nConnection: close\r\n\r\n`
    const own = new URL(belfry.server.url).host
    const send = async (target: string, ...hosts: readonly string[]): Promise<number> =>
      statusOf(
        await sendRaw(
          belfry.server.url,
          `GET ${target} HTTP/1.1\r\n${hosts.map((host) => `Host: ${host}\r\n`).join('')}${authorization}`,
        ),
      )
    expect(await send('/api/v1/status', own, 'evil.example')).to.equal(403)
    expect(await send('/api/v1/status', 'evil.example', own)).to.equal(403)
    expect(await send('http://evil.example/api/v1/status', own)).to.equal(403)
    expect(await send(`http://${own}/api/v1/status`, own)).to.equal(200)
  })

  it('is met by the same door at an address that is no address', async () => {
    const send = (path: string, host = '127.0.0.1'): Promise<string> =>
      sendRaw(
        belfry.server.url,
        `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${belfry.adminToken}\r\nConnection: close\r\n\r\n`,
      )
    for (const path of ['/api/v1/states/%zz', `/api/v1/flows/${'a'.repeat(300)}`]) {
      const answer = await send(path)
      expect(statusOf(answer), path).to.be.oneOf([400, 414])
      expect(answer).to.contain('application/problem+json').and.to.contain('"code":"request-invalid"')
      expect(answer).to.contain('x-content-type-options: nosniff').and.not.to.contain('FST_')
      expect(statusOf(await send(path, 'evil.example')), path).to.equal(403)
    }
  })

  it('cannot go on after an event that the log does not hold', async () => {
    const answer = await sendRaw(
      belfry.server.url,
      `GET /api/v1/log/follow HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${belfry.adminToken}\r\nLast-Event-ID: 999999\r\n\r\n`,
    )
    expect(statusOf(answer)).to.equal(400)
    expect(answer).to.contain('"code":"revision-unknown"')
    const next = belfry.node.head.revision + 1
    const from = await belfry.ask(`/api/v1/log/follow?from=${next + 1}`)
    expect([from.status, from.body['code']]).to.deep.equal([400, 'revision-unknown'])
  })

  it('starts nothing by a client id that is empty or has no end', async () => {
    for (const clientId of ['', 'x'.repeat(100_000)]) {
      const body = { flow: 'belfry/Sleep', input: {}, clientId }
      const answer = await belfry.ask('/api/v1/flows', { method: 'POST', body })
      expect([answer.status, answer.body['code']]).to.deep.equal([400, 'request-invalid'])
      expect(JSON.stringify(answer.body).length).to.be.lessThan(1_000)
    }
  })

  it('reads no file but those of the dashboard', async () => {
    const tricks = [
      '/../package.json',
      '/..%2f..%2fpackage.json',
      '/%2e%2e/%2e%2e/etc/passwd',
      '/assets/../../package.json',
      '/assets/..%5c..%5cpackage.json',
      '//etc/passwd',
      '/index.html%00.js',
      '/.git/config',
      '/http.token',
      '/api/v1/../../http.token',
      '/api/v1/states/..%2f..%2fetc%2fpasswd',
      '/api/v1/%2e%2e/status',
      '/API/V1/STATUS',
      '/api/v1/status/',
      '/api/v1//status',
    ]
    for (const path of tricks) {
      const answer = await sendRaw(
        belfry.server.url,
        `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${belfry.adminToken}\r\nConnection: close\r\n\r\n`,
      )
      expect(statusOf(answer), path).to.be.oneOf([400, 404])
      expect(answer, path).not.to.match(/root:|"name": "carillon"|crl_/)
    }
  })

  it('is told briefly what is wrong with a body, and changes nothing by it', async () => {
    const post = (body: string, type = 'application/json'): ReturnType<Belfry['ask']> =>
      belfry.ask('/api/v1/flows', { method: 'POST', body, headers: { 'content-type': type } })
    const before = belfry.node.head.revision
    for (const body of [
      '{',
      '[]',
      'null',
      '"text"',
      '{"flow":7}',
      '{"flow":"belfry/Sleep"}',
      '{"__proto__":{"admin":true},"flow":"belfry/Sleep","input":{}}',
      '{"constructor":{"prototype":{}},"flow":"belfry/Sleep","input":{}}',
      '['.repeat(100_000),
      '',
    ]) {
      const answer = await post(body)
      expect(answer.status, body.slice(0, 40)).to.equal(400)
      expect(JSON.stringify(answer.body).length).to.be.lessThan(1_000)
    }
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/html',
    ])
      expect((await post('{"flow":"belfry/Sleep","input":{}}', type)).status, type).to.equal(415)
    const huge = await post(`{"flow":"belfry/Sleep","input":"${'x'.repeat(httpLimits.httpBodyBytes)}"}`)
    expect(huge.status).to.equal(413)
    expect(belfry.node.head.revision).to.equal(before)
  })

  it('cannot hold a connection with a head or a body that never comes', async () => {
    const head = `POST /api/v1/flows HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${belfry.adminToken}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n`
    const [slowBody, slowHead] = await Promise.all([
      sendRaw(belfry.server.url, `${head}\r\n{"flow":`, 4_000),
      sendRaw(belfry.server.url, 'GET /api/v1/status HTTP/1.1\r\nHost: 127', 4_000),
    ])
    for (const answer of [slowBody, slowHead]) expect(statusOf(answer)).to.be.oneOf([400, 408])
    expect((await belfry.ask('/api/v1/health')).status).to.equal(200)
  })

  it('cannot make the node stumble with what is no HTTP', async () => {
    const garbage = [
      Buffer.from([0x16, 0x03, 0x01, 0x00, 0xa5, 0x01]),
      'GET / HTTP/9.9\r\n\r\n',
      'GET /api/v1/status HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
      'POST /api/v1/flows HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`,
      `GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ${'a'.repeat(100_000)}\r\n\r\n`,
      'TRACE / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',
      'CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n',
    ]
    for (const text of garbage) expect(statusOf(await sendRaw(belfry.server.url, text)) || 400).to.be.within(400, 499)
    expect((await belfry.ask('/api/v1/health')).status).to.equal(200)
  })

  it('is slowed down when it floods', async () => {
    const tower = await Belfry.open({ requestsPerSecond: 10 })
    const answers = await Promise.all(Array.from({ length: 60 }, () => tower.ask('/api/v1/health')))
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200, 429]))
    const waits = answers
      .filter(({ status }) => status === 429)
      .map(({ headers }) => Number(headers.get('retry-after')))
    expect(Math.min(...waits)).to.be.greaterThan(0)
    await tower.close()
  })

  it('keeps nobody else of its address out by a flood', async () => {
    const tower = await Belfry.open({ requestsPerSecond: 10 })
    const token = await tower.token(['view'])
    const flood = await Promise.all([
      ...Array.from({ length: 40 }, () => tower.ask('/', { token: '', headers: { authorization: 'Bearer x' } })),
      tower.ask('/api/v1/me', { token: newTokenText().text }),
    ])
    expect(flood.slice(-2).map(({ status }) => status)).to.deep.equal([429, 429])
    // Everyone behind a proxy, and everyone on this machine, has the same address.
    expect((await tower.ask('/api/v1/me', { token })).status).to.equal(200)
    expect((await tower.ask('/api/v1/me')).status).to.equal(200)
    // A token has no more than its own rate beyond.
    const own = await Promise.all(Array.from({ length: 60 }, () => tower.ask('/api/v1/me', { token })))
    expect(own.filter(({ status }) => status === 429).length).to.be.greaterThan(20)
    expect((await tower.ask('/api/v1/me')).status).to.equal(200)
    await tower.close()
  })

  it('is not let try tokens at will, and keeps nobody else out by it', async () => {
    for (let tried = 0; tried < httpLimits.httpRefusalBurst; tried += 1)
      expect((await belfry.ask('/api/v1/me', { token: newTokenText().text })).status).to.equal(401)
    // Some more, where the machine is slow.
    let status: number
    do ({ status } = await belfry.ask('/api/v1/me', { token: newTokenText().text }))
    while (status === 401)
    expect(status).to.equal(429)
    // Everyone behind a proxy, and everyone on this machine, has the same address.
    expect((await belfry.ask('/api/v1/me')).status).to.equal(200)
    const enter = (secret: string) => belfry.ask('/api/v1/session', { method: 'POST', body: { secret }, token: '' })
    const [, code = ''] = belfry.server.newLink().split('#link=')
    expect((await enter('no such code')).status).to.equal(429)
    expect((await enter(code)).status).to.equal(200)
  })

  it('is not listened to at length before it has said who it is', async () => {
    const body = { secret: 'x'.repeat(httpLimits.httpSecretBytes) }
    expect((await belfry.ask('/api/v1/session', { method: 'POST', body, token: '' })).status).to.equal(413)
  })

  it('opens only so many live streams', async () => {
    const stop = new AbortController()
    const open = () =>
      fetch(`${belfry.server.url}/api/v1/live`, {
        headers: { authorization: `Bearer ${belfry.adminToken}` },
        signal: stop.signal,
      })
    const opened = await Promise.all(Array.from({ length: httpLimits.httpStreamsPerCaller + 3 }, open))
    expect(opened.filter(({ status }) => status === 200)).to.have.length(httpLimits.httpStreamsPerCaller)
    expect(opened.filter(({ status }) => status === 429)).to.have.length(3)
    stop.abort()
  })

  it('finds strict headers on every answer, and no trace of what runs inside', async () => {
    for (const path of ['/', '/api/v1/status', '/api/v1/nothing', '/nothing']) {
      const { headers } = await belfry.ask(path)
      expect(headers.get('content-security-policy'), path).to.contain("default-src 'none'")
      expect(headers.get('x-content-type-options')).to.equal('nosniff')
      expect(headers.get('referrer-policy')).to.equal('no-referrer')
      expect(headers.get('access-control-allow-origin')).to.equal(null)
      expect(headers.get('x-powered-by')).to.equal(null)
      expect(headers.get('server')).to.equal(null)
    }
  })

  it('finds no secret in any answer', async () => {
    const token = await belfry.token(['view'])
    const { hash } = (await belfry.node.readViews((db) => db.prepare('SELECT hash FROM tokens').get())) as {
      hash: string
    }
    for (const operation of operations.filter(({ method, isStream }) => method === 'GET' && !isStream)) {
      if (operation.template.endsWith('/result')) continue
      const text = JSON.stringify((await belfry.ask(pathOf(operation))).body)
      expect(text, say(operation)).not.to.contain(token)
      expect(text, say(operation)).not.to.contain(belfry.adminToken)
      expect(text, say(operation)).not.to.match(/PRIVATE KEY|"(privateKey|secretKey|seed)"/)
      // The log itself is public to whoever may view it, hashes of tokens included: they open nothing.
      if (!operation.template.startsWith('/api/v1/log')) expect(text, say(operation)).not.to.contain(hash)
    }
  })
})

describe('a server that others could reach', () => {
  it('does not start without TLS', async () => {
    const belfry = await Belfry.open()
    for (const host of ['0.0.0.0', '::', '192.0.2.1', 'carillon.example']) {
      const refused: unknown = await serveHttp({ node: belfry.node }, { host }).catch((error: unknown) => error)
      expect(refused).to.be.instanceOf(CarillonError).and.to.have.property('code', 'tls-required')
    }
    await belfry.close()
  })

  it('says which file is at fault when its certificate or key cannot be used', async () => {
    const belfry = await Belfry.open()
    const folder = mkdtempSync(join(tmpdir(), 'carillon-tls-'))
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text)
      return join(folder, name)
    }
    const pem = (key = generateKeyPair()) => {
      const subject = { name: 'carillon.example', key: key.publicKey }
      const at = instantFromMillis(Date.now())
      return { cert: makeCertificate({ subject, issuer: subject, issuerKey: key, at }), key: key.exportPrivate() }
    }
    const [good, other] = [pem(), pem()]
    const certFile = file('cert.pem', good.cert)
    const keyFile = file('key.pem', good.key)
    const faulty = [
      [{ certFile: join(folder, 'nothing.pem'), keyFile }, /nothing\.pem/],
      [{ certFile, keyFile: folder }, /carillon-tls-/],
      [{ certFile: file('words.pem', 'words'), keyFile }, /words\.pem/],
      [{ certFile, keyFile: file('words.key', 'words') }, /words\.key/],
      [{ certFile, keyFile: file('other.key', other.key) }, /cert\.pem.*other\.key/],
    ] as const
    for (const [tls, says] of faulty) {
      const refused: unknown = await serveHttp({ node: belfry.node }, { host: '0.0.0.0', tls }).catch(
        (error: unknown) => error,
      )
      expect(refused).to.be.instanceOf(CarillonError).and.to.have.property('code', 'certificate-invalid')
      expect(refused).to.have.property('message').that.matches(says)
    }
    await belfry.close()
    rmSync(folder, { recursive: true })
  })

  it('serves with TLS, tells browsers to stay with it, and still wants a token', async () => {
    const belfry = await Belfry.open()
    const folder = mkdtempSync(join(tmpdir(), 'carillon-tls-'))
    const issuerKey = generateKeyPair()
    const subject = { name: 'carillon.example', key: issuerKey.publicKey }
    const tls = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') }
    const at = instantFromMillis(Date.now())
    writeFileSync(tls.certFile, makeCertificate({ subject, issuer: subject, issuerKey, at }))
    writeFileSync(tls.keyFile, issuerKey.exportPrivate())
    const { text: localToken } = newTokenText()
    const server = await serveHttp(
      { node: belfry.node },
      { host: '0.0.0.0', names: ['carillon.example'], tls, localToken },
    )
    const { port } = new URL(server.url)
    const ask = (headers: Readonly<Record<string, string>>): Promise<IncomingMessage> =>
      new Promise((resolve, reject) => {
        const path = '/api/v1/status'
        // The certificate is its own; what matters here is that nothing is served in the clear.
        get({ host: '127.0.0.1', port, path, rejectUnauthorized: false, headers }, (answer) => {
          answer.resume()
          resolve(answer)
        }).on('error', reject)
      })
    const host = `carillon.example:${port}`
    const authorization = `Bearer ${localToken}`
    const welcome = await ask({ host, authorization })
    expect(welcome.statusCode).to.equal(200)
    expect(welcome.headers['strict-transport-security']).to.match(/^max-age=\d+/)
    expect((await ask({ host })).statusCode).to.equal(401)
    expect((await ask({ host: 'elsewhere.example', authorization })).statusCode).to.equal(403)
    const inTheClear: unknown = await fetch(`http://127.0.0.1:${port}/`).catch((error: unknown) => error)
    expect(inTheClear).to.be.instanceOf(Error)
    await server.close()
    await belfry.close()
    rmSync(folder, { recursive: true })
  })
})

describe('the OpenAPI document', () => {
  it('shows how a flow of the app is started, and values of the type they have', async () => {
    const belfry = await Belfry.open()
    const operations = await operationsOf(belfry)
    const start = operations.find(({ method, template }) => method === 'POST' && template === '/api/v1/flows')
    expect(start?.example).to.deep.equal({
      flow: 'belfry/Hang',
      input: { name: '…', minutes: 0, manner: '…' },
      clientId: 'an-example',
    })
    const { body } = await belfry.ask('/api/v1/openapi.json')
    const text = JSON.stringify(body)
    expect(text).to.match(/"type":"integer","minimum":0\},"example":\d+/)
    expect(text).not.to.match(/"type":"integer","minimum":0\},"example":"/)
    expect(operations.find(({ template }) => template === '/api/v1/app/bells/count')?.path).to.match(/\?name=Emmanuel$/)
    await belfry.close()
  })

  it('has examples that run, and answers that are what it says', async () => {
    const belfry = await Belfry.open()
    for (const { method, path, example, takesBody, template, isStream } of await operationsOf(belfry)) {
      if (isStream || template.endsWith('/result') || (takesBody && example === undefined)) continue
      const answer = await belfry.ask(path, { method, ...(takesBody ? { body: example } : {}) })
      // The clock of this node is not offered for turning, the token of the example is none, and no action is called so.
      const expected =
        template.endsWith('/clock') && method === 'POST' ? 400 : template.includes('{token}') ? 404 : undefined
      if (expected === undefined)
        expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).to.be.within(200, 202)
      else expect(answer.status, `${method} ${path}`).to.equal(expected)
      const route = builtInRoutes.find((each) => each.method === method && `/api/v1${each.path}` === template)
      if (route?.form !== 'json' || expected !== undefined) continue
      const decoded = decodeWith(route.answer, answer.body)
      expect(isLeft(decoded) ? decoded.left : [], `${method} ${path}`).to.deep.equal([])
    }
    await belfry.close()
  })
})
