import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { startNode } from '../../src/index.js'
import { bank as app, Coin, MintCoin } from '../store/bank.js'
import { ReplicatedPostgres } from './ReplicatedPostgres.js'

describe('A node on PostgreSQL with a synchronous replica', function () {
  it('goes on by its connection settings when the primary is killed, and has lost nothing it acknowledged', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'carillon-failover-'))
    const servers = await ReplicatedPostgres.start()
    const failures: Error[] = []
    const node = await startNode({
      app,
      store: folder,
      log: servers.url('bank'),
      onFailure: (error) => void failures.push(error),
    })
    const acknowledged: number[] = []
    const mint = async (value: number): Promise<void> => {
      // A caller who is told that the log is away asks again; whoever waits for an unknown answer waits.
      for (;;) {
        try {
          acknowledged.push(await node.run(MintCoin, { value }, { clientId: `coin ${value}` }))
          return
        } catch {
          await new Promise((resolve) => setTimeout(resolve, 50))
        }
      }
    }
    for (let value = 1; value <= 30; value++) {
      const minting = mint(value)
      if (value === 15) await servers.failOver()
      await minting
    }
    expect(failures).to.deep.equal([])
    expect(acknowledged).to.have.length(30)
    expect((await node.states(Coin)).map(({ data }) => data.value)).to.deep.equal(acknowledged)
    await node.stop()
    const again = await startNode({ app, log: servers.url('bank'), store: folder })
    expect((await again.states(Coin)).map(({ data }) => data.value)).to.deep.equal(acknowledged)
    await again.stop()
    await servers.remove()
    rmSync(folder, { recursive: true })
  })
})
