/** Signals over HTTP and on the command line: what may be sent, who may send it, and what becomes of it. */
import { expect } from 'chai'
import * as t from 'io-ts'
import { defineApp, defineFlow, defineSignal, type FlowBody } from '../../src/index.js'
import { openControlSocket, serveHttp } from '../../src/entries/http.js'
import { newTokenText } from '../../src/http/TokenText.js'
import { NewTokenC } from '../../src/operator/operateTokens.js'
import { ask, keptInFolder, type Kept } from '../cli/inProcess.js'

const Ready = defineSignal({ name: 'tower/Ready', data: t.strict({ ropes: t.number, who: t.string }) })
const Stop = defineSignal({ name: 'tower/Stop', data: t.strict({}) })

const Practice = defineFlow({
  name: 'tower/Practice',
  input: t.strict({}),
  *run(io): FlowBody<string> {
    const { data, by } = yield* io.signal(Ready)
    return `${data.ropes} ropes of ${data.who}, says ${by}`
  },
})

const app = defineApp({ name: 'tower', states: [], flows: [Practice], signals: [Ready, Stop] })

describe('signals', function () {
  this.timeout(60_000)
  let kept: Kept
  let url: string
  let close: () => Promise<void>

  before(async () => {
    kept = await keptInFolder(app)
    const { node } = kept.virtual
    const server = await serveHttp({ node })
    const socket = await openControlSocket(node, kept.folder, { http: server })
    url = server.url
    close = async () => {
      await socket.close()
      await server.close()
      await kept.remove()
    }
  })
  after(() => close())

  const token = async (...permissions: readonly string[]): Promise<string> => {
    const { id, text, hash } = newTokenText()
    const made = NewTokenC.decode({ token: id, name: 'ringer', hash, permissions })
    if (made._tag === 'Left') throw new Error('no such permission')
    await kept.virtual.node.issueToken(made.right)
    return text
  }

  const send = async (
    as: string,
    body: object,
  ): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> => {
    const response = await fetch(`${url}/api/v1/signals`, {
      method: 'POST',
      headers: { authorization: `Bearer ${as}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }

  const data = { ropes: 6, who: 'Ann' }

  it('are sent by whoever may send them, and recorded with the name of the token', async () => {
    const { node } = kept.virtual
    const { id } = await node.start(Practice, {})
    const ringer = await token('signal:tower/Ready')
    expect((await send(ringer, { to: id, signal: 'tower/Stop', data: {} })).body).to.include({
      code: 'permission-missing',
    })
    expect(await send(ringer, { to: id, signal: 'tower/Ready', data })).to.deep.equal({
      status: 200,
      body: { done: true },
    })
    expect(await node.resultOf(id)).to.match(/^6 ropes of Ann, says http:ringer@/)
    expect((await send(ringer, { to: id, signal: 'tower/Ready', data })).body).to.include({ code: 'flow-ended' })
  })

  it('may be sent by an operator, and by whoever may send all of a name', async () => {
    const { node } = kept.virtual
    const { id } = await node.start(Practice, {}, { clientId: 'sunday' })
    expect((await send(await token('view'), { to: id, signal: 'tower/Stop', data: {} })).status).to.equal(403)
    expect((await send(await token('start:*'), { to: id, signal: 'tower/Stop', data: {} })).status).to.equal(403)
    expect((await send(await token('signal:tower/*'), { to: id, signal: 'tower/Stop', data: {} })).status).to.equal(200)
    expect(
      (
        await send(await token('operate'), {
          to: { clientId: 'sunday', caller: 'local' },
          signal: 'tower/Ready',
          data,
          id: 'one',
        })
      ).status,
    ).to.equal(200)
    expect(await node.resultOf(id)).to.match(/^6 ropes of Ann/)
  })

  it('that do not fit are told where, and nothing is recorded', async () => {
    const { node } = kept.virtual
    const { id } = await node.start(Practice, {})
    const operator = await token('operate')
    const { revision } = node.head
    const code = async (body: object): Promise<unknown> => (await send(operator, body)).body['code']
    expect(await code({ to: id, signal: 'tower/Ready', data: { ropes: 'six' } })).to.equal('signal-data-invalid')
    expect(await code({ to: id, signal: 'tower/Redy', data })).to.equal('signal-unknown')
    expect(await code({ to: 'f'.repeat(32), signal: 'tower/Ready', data })).to.equal('flow-not-found')
    expect(await code({ to: id, signal: 'tower/Ready' })).to.equal('request-invalid')
    expect(await code({ to: id, signal: 'tower/Ready', data, id: '' })).to.equal('request-invalid')
    expect(node.head.revision).to.equal(revision)
    await node.killFlow(id)
  })

  it('are listed with an example, and sent on the command line', async () => {
    const { node } = kept.virtual
    const command = (...args: readonly string[]) => ask(['flow', ...args, '--store', kept.folder])
    const listed = (await command('signals', '--json')).out.map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(listed.map(({ name }) => name)).to.deep.equal(['tower/Ready', 'tower/Stop'])
    expect(listed[0]?.['example']).to.deep.equal({ ropes: 0, who: '…' })
    const { id } = await node.start(Practice, {}, { clientId: 'monday' })
    expect((await command('show', id)).out.join('\n')).to.match(/waits +for signal tower\/Ready/)
    await command('signal', id.slice(0, 12), 'tower/Stop')
    expect((await command('show', id)).out.join('\n')).to.include('tower/Stop by cli:')
    await command('signal', 'monday', 'tower/Ready', JSON.stringify(data), '--client', '--id', 'first')
    expect(await node.resultOf(id)).to.match(/^6 ropes of Ann, says cli:/)
  })
})
