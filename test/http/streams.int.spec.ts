import { expect } from 'chai'
import { builtInRoutes } from '../../src/http/builtInRoutes.js'
import { Authenticator } from '../../src/http/Authenticator.js'
import { listenHttp } from '../../src/http/listenHttp.js'
import { hostNode } from '../../src/http/ServedApi.js'
import { Streams } from '../../src/http/Streams.js'
import { instantFromMillis } from '../../src/index.js'
import type { HttpServer } from '../../src/entries/http.js'
import { Belfry, Hang } from './belfry.js'

/** What is heard of a live stream: `ended` resolves with all of it once the node has hung up. */
type Heard = { readonly status: number; readonly ended: Promise<string> }

const listen = async (url: string, headers: Readonly<Record<string, string>>): Promise<Heard> => {
  const response = await fetch(`${url}/api/v1/log/follow?from=0`, { headers })
  const reader = response.body!.getReader() as ReadableStreamDefaultReader<Uint8Array>
  const decoder = new TextDecoder()
  // The first words prove that the stream is open before anything is done to it.
  let text = decoder.decode((await reader.read()).value)
  const rest = async (): Promise<string> => {
    try {
      for (let part = await reader.read(); !part.done; part = await reader.read()) text += decoder.decode(part.value)
    } catch {
      // Hung up in the middle of a sentence, which is an end as good as any.
    }
    return text
  }
  return { status: response.status, ended: rest() }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

describe('a live stream', () => {
  let belfry: Belfry

  beforeEach(async () => {
    belfry = await Belfry.open()
  })
  afterEach(() => belfry.close())

  const hang = (name: string): Promise<string> => belfry.node.run(Hang, { name, minutes: 900, manner: 'plain' })
  const idOf = (token: string): string => token.split('_')[1] ?? ''
  const enter = async (secret: string): Promise<string> => {
    const headers = { origin: belfry.server.url }
    const entered = await belfry.ask('/api/v1/session', { method: 'POST', body: { secret }, token: '', headers })
    return String(entered.body['session'])
  }

  it('ends when the token it was opened with is revoked, and others go on', async () => {
    const token = await belfry.token(['view'])
    const other = await belfry.token(['view'])
    const stream = await listen(belfry.server.url, bearer(token))
    const ofOther = await listen(belfry.server.url, bearer(other))
    expect([stream.status, ofOther.status]).to.deep.equal([200, 200])
    await belfry.ask(`/api/v1/tokens/${idOf(token)}`, { method: 'DELETE' })
    await stream.ended
    await hang('Unheard')
    await belfry.ask(`/api/v1/tokens/${idOf(other)}`, { method: 'DELETE' })
    expect(await stream.ended).not.to.contain('Unheard')
    expect(await ofOther.ended).to.contain('Unheard')
  })

  it('ends its reading of the log, too, when it ends in the middle of that', async () => {
    const token = await belfry.token(['view'])
    const { node } = belfry
    const readLog = node.readLog.bind(node)
    let [begun, ended] = [0, 0]
    let goOn: () => void = () => undefined
    const gone = new Promise<void>((resolve) => (goOn = resolve))
    node.readLog = async function* (from) {
      begun += 1
      try {
        for await (const tick of readLog(from)) {
          yield tick
          await gone
        }
      } finally {
        ended += 1
      }
    }
    const stream = await listen(belfry.server.url, bearer(token))
    await belfry.ask(`/api/v1/tokens/${idOf(token)}`, { method: 'DELETE' })
    await stream.ended
    goOn()
    for (let turn = 0; turn < 1_000 && ended < begun; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    expect([begun, ended]).to.deep.equal([1, 1])
  })

  it('ends with the session of a token that is revoked by another way in', async () => {
    const token = await belfry.token(['view'])
    const stream = await listen(belfry.server.url, { 'carillon-session': await enter(token) })
    const { id } = (await belfry.node.tokens()).at(-1)!
    await belfry.node.revokeToken(id, { by: 'cli:someone' })
    await stream.ended
    await hang('Unheard')
    expect(await stream.ended).not.to.contain('Unheard')
  })

  it('ends with the session it was opened in, which nobody can use any more', async () => {
    const own = await enter(belfry.adminToken)
    const ofOther = await enter(belfry.adminToken)
    const stream = await listen(belfry.server.url, { 'carillon-session': own })
    const leave = (session: string) =>
      belfry.ask('/api/v1/session', {
        method: 'DELETE',
        token: '',
        headers: { 'carillon-session': session, origin: belfry.server.url },
      })
    expect((await leave(own)).status).to.equal(200)
    await stream.ended
    const me = (session: string) => belfry.ask('/api/v1/me', { token: '', headers: { 'carillon-session': session } })
    expect([(await me(own)).status, (await me(ofOther)).status]).to.deep.equal([401, 200])
    expect((await leave(own)).status).to.equal(401)
  })

  it('says nothing more once its token has expired', async () => {
    let nowMs = Date.now()
    const token = await belfry.token(['view'], instantFromMillis(nowMs + 60_000))
    const server: HttpServer = await listenHttp({
      routes: builtInRoutes,
      hostedNodes: () => [hostNode({ node: belfry.node }, undefined)],
      authenticator: new Authenticator(belfry.node, belfry.adminToken, () => nowMs),
      streams: new Streams(() => nowMs),
      metrics: () => Promise.resolve(''),
    })
    const stream = await listen(server.url, bearer(token))
    await hang('Heard')
    nowMs += 60_000
    await hang('Unheard')
    const text = await stream.ended
    expect(text).to.contain('Heard').and.not.to.contain('Unheard')
    await server.close()
  })
})
