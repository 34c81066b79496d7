/** What the command line says of a flow that refuses, and the exit code it ends with. */
import { expect } from 'chai'
import * as t from 'io-ts'
import { CarillonError, defineApp, defineFlow, NoInputC, refuseWith } from '../../src/index.js'
import { openControlSocket, type ControlSocket } from '../../src/entries/http.js'
import { runCommand } from '../../src/cli/runCommand.js'
import { NodeApi } from '../../src/cli/NodeApi.js'
import { keptInFolder, type Kept } from './inProcess.js'

const Order = defineFlow({
  name: 'shop/Order',
  input: t.strict({ amount: t.number }),
  refusals: t.strict({ reason: t.string }),
  *run(io, { amount }) {
    yield* io.now()
    if (amount < 0) throw new CarillonError('shop/negative', 'No.')
    return amount > 10 ? refuseWith({ reason: 'too much' }) : `ordered ${amount}`
  },
})
/** Fails, since its child refuses. */
const Careless = defineFlow({
  name: 'shop/Careless',
  input: NoInputC,
  *run(io) {
    return yield* io.join(yield* io.start(Order, { amount: 11 }))
  },
})
const Sweep = defineFlow({
  name: 'shop/Sweep',
  input: NoInputC,
  *run(io) {
    yield* io.now()
  },
})
const app = defineApp({ name: 'shop', states: [], flows: [Order, Careless, Sweep] })

describe('carillon start of a flow that refuses', function () {
  this.timeout(60_000)
  let kept: Kept
  let socket: ControlSocket

  const run = async (...words: readonly string[]) => {
    const out: string[] = []
    const err: string[] = []
    const code = await runCommand([...words, '--store', kept.folder], {
      out: (line) => out.push(line),
      err: (line) => err.push(line),
      status: () => undefined,
      redraw: () => undefined,
      fault: () => undefined,
      width: 200,
      tone: (_, text) => text,
    })
    return { code, out: out.join('\n'), err: err.join('\n') }
  }

  before(async () => {
    kept = await keptInFolder(app)
    socket = await openControlSocket(kept.virtual.node, kept.folder)
  })
  after(async () => {
    await socket.close()
    await kept.remove()
  })

  it('prints the refusal and ends with 3; with 0 for a result, with 1 for a failure', async () => {
    const refused = await run('start', 'shop/Order', '{"amount":11}')
    expect(refused.code, refused.err).to.equal(3)
    expect(JSON.parse(refused.out)).to.deep.equal({ reason: 'too much' })
    expect(refused.err).to.match(/shop\/Order refused\. See: carillon flow show/)
    expect((await run('start', 'shop/Order', '{"amount":1}')).code).to.equal(0)
    expect((await run('start', 'shop/Order', '{"amount":-1}')).code).to.equal(1)
    const json = await run('start', 'shop/Order', '{"amount":12}', '--json')
    expect([json.code, JSON.parse(json.out)]).to.have.deep.nested.property('1.refusal', { reason: 'too much' })
    expect(json.code).to.equal(3)
    expect((await run('start', 'shop/Order', '{"amount":12}', '--no-wait')).code, 'nobody waits').to.equal(0)
  })

  it('prints no result of a flow that returns none, and ends with 0', async () => {
    const swept = await run('start', 'shop/Sweep')
    expect([swept.code, swept.out], swept.err).to.deep.equal([0, ''])
    expect(swept.err).to.match(/shop\/Sweep completed\. See: carillon flow show/)
    const json = await run('start', 'shop/Sweep', '--json')
    expect([json.code, Object.keys(JSON.parse(json.out) as object)]).to.deep.equal([0, ['flow']])
  })

  it('ends with 1 when it is a child that has refused', async () => {
    const careless = await run('start', 'shop/Careless')
    expect(careless.code).to.equal(1)
    expect(careless.err).to.contain('flow-refused')
  })

  it('is listed and shown as refused, with a running node and without', async () => {
    const { id } = await kept.virtual.node.start(Order, { amount: 20 })
    const listed = await run('flow', 'list', '--status', 'refused')
    expect(listed.out).to.match(/shop\/Order +refused .*too much/)
    expect((await run('flow', 'show', id)).out).to.match(/refusal +.*too much/)
    expect((await run('flow', 'watch', id)).out).to.match(/^refused .*too much/)
    for (const words of [[], ['--json']]) {
      const result = await run('flow', 'result', id, ...words)
      expect([result.code, result.out.includes('too much')]).to.deep.equal([3, true])
    }
    expect((await run('log', 'show')).out).to.match(/FlowEnded.* refused .*too much/)
    expect(await NodeApi.at({ store: kept.folder }).client.outcomeOf(id)).to.deep.equal({
      kind: 'refused',
      refusal: { reason: 'too much' },
    })
  })
})
