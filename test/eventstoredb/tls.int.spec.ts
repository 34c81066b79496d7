import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { EventStoreDbLog } from '../../src/logs/eventstoredb/EventStoreDbLog.js'
import { startNode, type CarillonError } from '../../src/index.js'
import { bank as app } from '../store/bank.js'
import { Cluster } from './Cluster.js'
import { itNeedsFaults } from './serverUnderTest.js'
import { certificateFor } from './certificateFor.js'

describe('TLS to EventStoreDB', () => {
  let cluster: Cluster
  let folder: string

  /** With two hosts the client asks the cluster first, and then tells even less. */
  const addresses = (options: string): readonly string[] => {
    const [first, second] = cluster.servers.map(({ port }) => `localhost:${port}`)
    return [`esdb://${first!}?${options}`, `esdb://${first!},${second!}?${options}`]
  }

  const problemOf = async (url: string): Promise<CarillonError> => {
    const startedAt = performance.now()
    try {
      await (await EventStoreDbLog.open({ url })).close()
    } catch (error) {
      expect(performance.now() - startedAt, 'at once').to.be.lessThan(3_000)
      return error as CarillonError
    }
    throw new Error('it was opened')
  }

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'carillon-tls-'))
  })

  afterEach(async () => {
    await cluster.close()
    rmSync(folder, { recursive: true })
  })

  itNeedsFaults('is spoken with a certificate whose authority the address names', async () => {
    const tls = certificateFor('localhost')
    cluster = await Cluster.start(2, { tls })
    const file = join(folder, 'ca.pem')
    writeFileSync(file, tls.authority)
    const [single] = addresses(`tlsCAFile=${file}`)
    const log = await EventStoreDbLog.open({ url: single! })
    expect((await log.head()).revision).to.equal(-1)
    await log.close()
  })

  itNeedsFaults('with a certificate that is not trusted is told as such, and not waited for', async () => {
    cluster = await Cluster.start(2, { tls: certificateFor('localhost') })
    for (const url of addresses('tls=true')) {
      const { code, message } = await problemOf(url)
      expect(code).to.equal('log-address-invalid')
      expect(message).to.contain('is not trusted').and.to.contain('tlsCAFile')
    }
    const [url] = addresses('tls=true')
    const starting = startNode({ app, log: url! }).catch((error: unknown) => (error as CarillonError).code)
    expect(await starting).to.equal('log-address-invalid')
  })

  itNeedsFaults('on the side of the server only is told as such', async () => {
    cluster = await Cluster.start(2, { tls: certificateFor('localhost') })
    for (const url of addresses('tls=false')) {
      const { code, message } = await problemOf(url)
      expect(code).to.equal('log-address-invalid')
      expect(message).to.contain('speaks TLS only').and.to.contain('tls=true')
    }
  })

  itNeedsFaults('on the side of the node only is told as such', async () => {
    cluster = await Cluster.start(2)
    for (const url of addresses('tls=true')) {
      const { code, message } = await problemOf(url)
      expect(code).to.equal('log-address-invalid')
      expect(message).to.contain('does not speak TLS').and.to.contain('tls=false')
    }
  })

  itNeedsFaults('is not blamed for a server that is down', async () => {
    cluster = await Cluster.start(2)
    for (const server of cluster.servers) await server.stop()
    for (const options of ['tls=true', 'tls=false'])
      for (const url of addresses(options)) expect((await problemOf(url)).code).to.equal('log-unreachable')
  })
})
