import { expect } from 'chai'
import { instant, serveHttp, type HttpServer } from '../../src/index.js'
import { verifyCheckpoint, type Checkpoint } from '../../src/heads/Checkpoint.js'
import { newTokenText } from '../../src/http/TokenText.js'
import { VirtualNetwork } from '../../src/testing/index.js'
import { app, Lend } from '../session/iou.js'

type Kept = { readonly party: { readonly name: string }; readonly isMe: boolean; readonly head: Checkpoint }
type Page = { readonly items: readonly Kept[]; readonly next?: string }

describe('the heads that a node keeps, over HTTP', () => {
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

  it('are the newest of each party, its own among them, whole enough to be held against its log', async () => {
    const { items } = (await ask('')).body
    expect(items.map(({ party, isMe }) => [party.name, isMe])).to.deep.equal([
      ['Ann', true],
      ['Ben', false],
      ['Cleo', false],
    ])
    for (const { head } of items) expect(verifyCheckpoint(head)).to.equal(true)
  })

  it('come in pages', async () => {
    const first = (await ask('?limit=2')).body
    expect(first.items).to.have.lengthOf(2)
    const second = (await ask(`?limit=2&after=${encodeURIComponent(first.next ?? '')}`)).body
    expect(second.items.map(({ party }) => party.name)).to.deep.equal(['Cleo'])
    expect(second.next).to.equal(undefined)
  })

  it('are not asked for after something that is no party', async () => {
    expect((await ask('?after=7')).status).to.equal(400)
  })
})
