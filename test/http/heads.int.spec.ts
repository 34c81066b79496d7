import { expect } from 'chai'
import { instant } from '../../src/index.js'
import { serveHttp, type HttpServer } from '../../src/entries/http.js'
import { verifyCheckpoint, type Checkpoint } from '../../src/log/Checkpoint.js'
import { newTokenText } from '../../src/http/TokenText.js'
import { VirtualNetwork } from '../../src/testing/index.js'
import { app, Lend } from '../session/iou.js'

type Kept = { readonly party: { readonly name: string; readonly key: string }; readonly checkpoint: Checkpoint }
type Page = { readonly items: readonly Kept[]; readonly next?: string }

describe('the checkpoints that a node keeps, over HTTP', () => {
  let network: VirtualNetwork
  let server: HttpServer
  const localToken = newTokenText().text

  before(async () => {
    network = await VirtualNetwork.start({ parties: { Ann: { app }, Ben: { app }, Cleo: { app } } })
    for (const borrower of ['Ben', 'Cleo'])
      await network
        .node('Ann')
        .start(Lend, { borrower: network.party(borrower), amount: 5, dueAt: instant('2099-01-01T00:00:00Z') })
    await network.advanceBy({ minutes: 2 })
    server = await serveHttp({ node: network.node('Ann') }, { localToken })
  })
  after(async () => {
    await server.close()
    for (const name of network.names) await network.stop(name)
  })

  const ask = async (query: string): Promise<{ readonly status: number; readonly body: Page }> => {
    const response = await fetch(`${server.url}/api/v1/log/heads${query}`, {
      headers: { authorization: `Bearer ${localToken}` },
    })
    return { status: response.status, body: (await response.json()) as Page }
  }

  it('are the newest of each other party, whole enough to be held against its log', async () => {
    const { items } = (await ask('')).body
    expect(items.map(({ party }) => party.name)).to.deep.equal(['Ben', 'Cleo'])
    for (const { party, checkpoint } of items) {
      expect(verifyCheckpoint(checkpoint)).to.equal(true)
      expect(checkpoint).to.include({ by: party.key, network: network.map.id })
    }
  })

  it('come in pages', async () => {
    const first = (await ask('?limit=1')).body
    expect(first.items.map(({ party }) => party.name)).to.deep.equal(['Ben'])
    const second = (await ask(`?limit=1&after=${encodeURIComponent(first.next ?? '')}`)).body
    expect(second.items.map(({ party }) => party.name)).to.deep.equal(['Cleo'])
    expect(second.next).to.equal(undefined)
  })

  it('are not asked for after something that is no party', async () => {
    expect((await ask('?after=7')).status).to.equal(400)
  })
})
