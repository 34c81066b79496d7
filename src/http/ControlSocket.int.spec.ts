import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import * as t from 'io-ts'
import { defineApp } from '../app/App.js'
import { defineFlow, type FlowBody } from '../app/FlowDefinition.js'
import { httpLimits } from './limits.js'
import { controlPath } from '../folder/controlAddress.js'
import type { Node } from '../node/Node.js'
import { startNode } from '../node/startNode.js'
import { openControlSocket, type ControlSocket } from './ControlSocket.js'
import { serveHttp } from './serveHttp.js'
import { newTokenText } from './TokenText.js'

const Echo = defineFlow({
  name: 'control/Echo',
  input: t.strict({ text: t.string }),
  *run(_, { text }): FlowBody<string> {
    return text
  },
})
const Sleep = defineFlow({
  name: 'control/Sleep',
  input: t.strict({}),
  *run(io): FlowBody<void> {
    yield* io.sleep({ days: 1 })
  },
})
const app = defineApp({ name: 'control', states: [], flows: [Echo, Sleep] })

/** Sends text as it stands and gives what comes back, once it matches or the node hangs up. */
const say = (path: string, text: string, until: RegExp): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(path)
    let heard = ''
    const done = () => {
      socket.destroy()
      resolve(heard)
    }
    socket.on('data', (chunk) => {
      heard += chunk.toString('utf8')
      if (until.test(heard)) done()
    })
    socket.on('error', () => undefined)
    socket.on('close', done)
    socket.write(text)
  })

type Said = { readonly method?: string; readonly headers?: Record<string, string>; readonly body?: string }

/** One request as any HTTP client sends it, and its answer. */
const ask = (
  socketPath: string,
  path: string,
  { method = 'GET', headers = {}, body }: Said = {},
): Promise<{ readonly status: number; readonly answer: Record<string, unknown> }> =>
  new Promise((resolve, reject) => {
    const asked = request({ socketPath, path: `/api/v1${path}`, method, headers, agent: false }, (response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')))
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, answer: JSON.parse(text) as Record<string, unknown> })
      })
    })
    asked.on('error', reject)
    asked.end(body)
  })

const json = { 'content-type': 'application/json' }

describe('the control socket', () => {
  let root: string
  let folder: string
  let node: Node
  let socket: ControlSocket

  const open = async (at: string) => {
    folder = at
    node = await startNode({ app, store: folder })
    socket = await openControlSocket(node, folder)
  }
  beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'carillon-control-'))))
  afterEach(async () => {
    await socket.close()
    await node.stop()
    rmSync(root, { recursive: true, force: true })
  })

  const start = (flow: string, input: object, headers: Record<string, string> = {}) =>
    ask(socket.path, '/flows', {
      method: 'POST',
      headers: { ...json, ...headers },
      body: JSON.stringify({ flow, input }),
    })

  const stillWorks = async () => {
    const { answer } = await start('control/Echo', { text: 'still here' })
    const ended = await ask(socket.path, `/flows/${String(answer['flow'])}/result`)
    expect(ended.answer).to.deep.equal({ ended: true, result: 'still here' })
  }

  it('speaks the API to its owner, who needs no token and is recorded by his own name', async () => {
    await open(join(root, 'data'))
    const { status, answer } = await start('control/Sleep', {}, { 'carillon-operator': encodeURIComponent('cli:Zoë') })
    expect(status).to.equal(201)
    const flow = await ask(socket.path, `/flows/${String(answer['flow'])}`)
    expect(flow.answer['startedBy']).to.deep.equal({ kind: 'client', by: 'cli:Zoë' })
    const killed = { on: 'flow', action: 'kill', flow: answer['flow'] }
    const done = await ask(socket.path, '/operate', { method: 'POST', headers: json, body: JSON.stringify(killed) })
    expect(done).to.deep.equal({ status: 200, answer: { done: true } })
    expect((await ask(socket.path, '/me')).answer).to.deep.include({ permissions: ['admin'], from: 'socket' })
  })

  it('takes a token that comes along for what it is', async () => {
    await open(join(root, 'data'))
    const body = JSON.stringify({ name: 'wall', permissions: ['view'] })
    const made = await ask(socket.path, '/tokens', { method: 'POST', headers: json, body })
    const headers = { authorization: `Bearer ${String(made.answer['token'])}` }
    expect((await ask(socket.path, '/me', { headers })).answer).to.deep.include({ name: 'wall', permissions: ['view'] })
    expect((await ask(socket.path, '/tokens', { headers })).answer).to.have.property('code', 'permission-missing')
    const unknown = await ask(socket.path, '/me', { headers: { authorization: 'Bearer nobody' } })
    expect(unknown.answer).to.have.property('code', 'token-refused')
  })

  it('answers what it does not understand with a typed error, and goes on', async () => {
    await open(join(root, 'data'))
    const post = (path: string, body: string, headers: Record<string, string> = json) =>
      ask(socket.path, path, { method: 'POST', headers, body })
    for (const { status, answer } of [
      await post('/flows', '{'),
      await post('/flows', '[]'),
      await post('/flows', '{"flow":7}'),
      await post('/operate', '{"on":"node","action":"shutdown"}'),
      await post('/drain/start', '{}', { 'carillon-operator': 'cli:a%0Ab' }),
      await post('/drain/start', '{}', { 'carillon-operator': '%' }),
    ]) {
      expect(status).to.equal(400)
      expect(answer).to.have.property('code', 'request-invalid')
    }
    expect((await ask(socket.path, '/shutdown')).answer).to.have.property('code', 'route-unknown')
    expect(await say(socket.path, '\u0000\ufffd\n\n', /400/)).to.match(/^HTTP\/1.1 400 /)
    expect(node.isDraining).to.be.false
    await stillWorks()
  })

  it('refuses a request without end before it fills the memory, and goes on', async () => {
    await open(join(root, 'data'))
    expect(await say(socket.path, `GET /${'x'.repeat(1024 * 1024)}`, /\r\n\r\n/)).to.match(/^HTTP\/1.1 4\d\d /)
    const large = JSON.stringify({ flow: 'control/Echo', input: { text: 'x'.repeat(httpLimits.httpBodyBytes) } })
    const { status, answer } = await ask(socket.path, '/flows', { method: 'POST', headers: json, body: large })
    expect(status).to.equal(413)
    expect(answer).to.have.property('code', 'request-invalid')
    await stillWorks()
  })

  it('answers no page of a browser, also when its owner has forwarded it to a port', async () => {
    await open(join(root, 'data'))
    for (const headers of [
      { host: 'localhost:7411', origin: 'https://evil.example' },
      { host: 'localhost:7411', 'sec-fetch-site': 'cross-site' },
      { host: 'evil.example' },
      { host: '127.0.0.1.evil.example:7411' },
    ]) {
      const { status, answer } = await ask(socket.path, '/drain/start', { method: 'POST', headers })
      expect(status, JSON.stringify(headers)).to.equal(403)
      expect(answer).to.have.property('code', 'origin-refused')
    }
    expect(node.isDraining).to.be.false
    await stillWorks()
  })

  it('asks its own node of several on one server, whose tokens are kept by the first', async () => {
    const first = await startNode({ app, store: join(root, 'first'), party: 'First' })
    folder = join(root, 'second')
    node = await startNode({ app, store: folder, party: 'Second' })
    const http = await serveHttp([{ node: first }, { node }])
    socket = await openControlSocket(node, folder, { http })
    try {
      expect((await ask(socket.path, '/status')).answer['party']).to.have.property('name', 'Second')
      const { id, text, hash } = newTokenText()
      const token = { token: id, name: 'reader', hash, permissions: ['view'] }
      const body = JSON.stringify({ on: 'token', action: 'issue', token })
      const issued = await ask(socket.path, '/operate', { method: 'POST', headers: json, body })
      expect(issued.answer).to.deep.equal({ done: true })
      const bearer = { authorization: `Bearer ${text}` }
      expect((await fetch(`${http.url}/api/v1/me`, { headers: bearer })).status).to.equal(200)
      expect((await ask(socket.path, '/me', { headers: bearer })).answer).to.have.property('name', 'reader')
      expect((await first.tokens()).map(({ name }) => name)).to.deep.equal(['reader'])
    } finally {
      await http.close()
      await first.stop()
    }
  })

  it('hangs up on a client that has too many requests under way', async () => {
    await open(join(root, 'data'))
    const { id } = await node.start(Sleep, {})
    const line = `GET /api/v1/flows/${id}/result HTTP/1.1\r\nHost: node\r\n\r\n`
    expect(await say(socket.path, line.repeat(httpLimits.controlRequests + 50), /never/)).to.equal('')
    await stillWorks()
    expect(node.waitingCallers).to.equal(0)
  })

  it('can be opened by its owner alone, also in a folder others may enter', async () => {
    const shared = join(root, 'shared')
    mkdirSync(shared, { mode: 0o755 })
    await open(shared)
    expect(statSync(socket.path).mode & 0o777).to.equal(0o600)
  })

  it('hangs up on a client that waits when the node goes away', async () => {
    await open(join(root, 'data'))
    const { answer } = await start('control/Sleep', {})
    const waiting = ask(socket.path, `/flows/${String(answer['flow'])}/result`).then(
      () => 'ended',
      (error: unknown) => error,
    )
    await ask(socket.path, '/health')
    await socket.close()
    expect(await waiting).to.have.property('code', 'ECONNRESET')
    expect(existsSync(socket.path)).to.be.false
  })

  it('takes the place of what a killed node left there', async () => {
    const data = join(root, 'data')
    mkdirSync(data, { mode: 0o700 })
    writeFileSync(join(data, 'control.sock'), '')
    await open(data)
    await stillWorks()
  })

  it('finds another place when the path of the store is too long for a socket', async () => {
    const deep = join(root, 'd'.repeat(60), 'e'.repeat(60))
    await open(deep)
    expect(Buffer.byteLength(socket.path)).to.be.at.most(103)
    expect(controlPath(deep)).to.equal(socket.path)
    expect(statSync(dirname(socket.path)).mode & 0o777).to.equal(0o700)
    await stillWorks()
    // As after a kill: the next node removes what the one before left.
    const left = socket.path
    expect(readFileSync(join(deep, 'control.path'), 'utf8').trim()).to.equal(left)
    const next = await openControlSocket(node, deep)
    expect(existsSync(dirname(left))).to.be.false
    await next.close()
    expect(existsSync(join(deep, 'control.path'))).to.be.false
    expect(existsSync(dirname(next.path))).to.be.false
  })
})
