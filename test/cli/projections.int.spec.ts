/** What `carillon projections` and `carillon log follow` say of what is folded from the log, and of what there is none. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { CarillonError, startNode, type Node } from '../../src/index.js'
import { openControlSocket, serveHttp, type ControlSocket, type HttpServer } from '../../src/entries/http.js'
import { defineProjection } from '../../src/entries/projections.js'
import { PlaceOrder, shop, totals } from '../subscription/orders.js'
import { ask } from './inProcess.js'

const Broken = defineProjection({
  ...{ name: 'shop/Broken', types: ['TransactionRecorded'], store: 'memory' },
  init: () => 0,
  evolve: () => {
    throw new Error('not this one')
  },
})

describe('carillon', function () {
  this.timeout(60_000)
  let store = ''
  let node: Node
  let server: HttpServer
  let socket: ControlSocket
  beforeEach(async () => {
    store = mkdtempSync(join(tmpdir(), 'carillon-cli-'))
    node = await startNode({ app: shop(totals({}), Broken), store })
    server = await serveHttp({ node })
    socket = await openControlSocket(node, store, { http: server })
  })
  afterEach(async () => {
    await socket.close()
    await server.close()
    await node.stop()
    rmSync(store, { recursive: true, force: true })
  })

  it('projections lists them, with how far each has come and why one stands still', async () => {
    await node.run(PlaceOrder, { article: 'bell', pieces: 1 })
    while (node.projections[0]?.lag !== 0 || node.projections[1]?.state !== 'stopped') await turn()
    const { out } = await ask(['projections', '--store', store])
    expect(out[0]).to.match(/^PROJECTION +VERSION +STATUS +REVISION +BEHIND +ERROR$/)
    expect(out[1]).to.match(new RegExp(`^shop/Totals +1 +live +${node.head.revision} +0$`))
    expect(out[2]).to.match(/^shop\/Broken +1 +stopped .* threw at event \d+ \(TransactionRecorded\): not this one/)
    const { out: json } = await ask(['projections', '--json', '--store', store])
    expect(json.map((line) => JSON.parse(line) as unknown)).to.deep.equal(node.projections)
  })

  it('log follow refuses an event that does not exist, instead of waiting for it', async () => {
    const refusalOf = (args: readonly string[]): Promise<string> =>
      ask(['log', 'follow', ...args, '--store', store]).then(
        () => 'none',
        (error: unknown) => (error instanceof CarillonError ? `${error.code}: ${error.message}` : String(error)),
      )
    expect(await refusalOf(['--type', 'FlowEndet'])).to.match(/^usage: There is no event FlowEndet\. .*FlowEnded/)
    expect(await refusalOf(['--public', '--type', 'FlowEndet'])).to.match(
      /^request-invalid: There is no public event FlowEndet/,
    )
    expect(await refusalOf(['--public', '--from', '1000000'])).to.match(/^revision-unknown/)
  })
})
