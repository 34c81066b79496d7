import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, type AddressInfo } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { expect } from 'chai'
import { parseEventStoreDbAddress } from '../../src/logs/eventstoredb/EventStoreDbAddress.js'
import { tlsProblemOf } from '../../src/logs/eventstoredb/tlsProblem.js'
import { EventStoreDbLog } from '../../src/logs/eventstoredb/EventStoreDbLog.js'
import { startNode, type CarillonError } from '../../src/index.js'
import { bank as app } from '../store/bank.js'
import { Cluster } from './Cluster.js'
import { itNeedsFaults } from './serverUnderTest.js'
import { certificateFor } from './certificateFor.js'

describe('TLS to EventStoreDB', () => {
  let cluster: Cluster | undefined
  let folder: string

  /** With two hosts the client asks the cluster first, and then tells even less. */
  const addresses = (options: string): readonly string[] => {
    const [first, second] = cluster!.servers.map(({ port }) => `localhost:${port}`)
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
    await cluster?.close()
    cluster = undefined
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

  itNeedsFaults('is not blamed for a server that speaks it and refuses this client', async () => {
    // A fatal alert, as from a server that wants another cipher or a certificate of the client.
    const refusing = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => socket.end(Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28])))
    })
    await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve))
    const { port } = refusing.address() as AddressInfo
    const address = (options: string) => parseEventStoreDbAddress(`esdb://127.0.0.1:${port}?${options}`)
    expect(await tlsProblemOf(address('tls=true'), 1_000)).to.equal(undefined)
    expect(await tlsProblemOf(address('tls=false'), 1_000)).to.contain('speaks TLS only')
    refusing.close()
  })

  itNeedsFaults('is not blamed for a server that asks for a certificate of the client', async () => {
    const { key, certificate, authority } = certificateFor('localhost')
    const asking = createTlsServer({ key, cert: certificate, ca: authority, requestCert: true, maxVersion: 'TLSv1.2' })
    asking.on('tlsClientError', () => undefined)
    await new Promise<void>((resolve) => asking.listen(0, '127.0.0.1', resolve))
    const { port } = asking.address() as AddressInfo
    const file = join(folder, 'ca.pem')
    writeFileSync(file, authority)
    const address = parseEventStoreDbAddress(`esdb://localhost:${port}?tlsCAFile=${file}`)
    expect(await tlsProblemOf(address, 1_000)).to.equal(undefined)
    asking.close()
  })

  itNeedsFaults('with a file that is not there is a typed error, whether or not TLS is used', async () => {
    cluster = await Cluster.start(2)
    for (const server of cluster.servers) await server.stop()
    const file = join(folder, 'none.pem')
    for (const url of addresses(`tls=false&tlsCAFile=${file}`)) {
      const { code, name } = await problemOf(url)
      expect([name, code]).to.deep.equal(['CarillonError', 'log-unreachable'])
    }
    const gone = parseEventStoreDbAddress(`esdb://localhost:1?tlsCAFile=${file}`)
    expect(await tlsProblemOf(gone, 1_000))
      .to.contain('tlsCAFile')
      .and.to.contain('none.pem')
  })

  itNeedsFaults('is not blamed for a server that is down', async () => {
    cluster = await Cluster.start(2)
    for (const server of cluster.servers) await server.stop()
    for (const options of ['tls=true', 'tls=false'])
      for (const url of addresses(options)) expect((await problemOf(url)).code).to.equal('log-unreachable')
  })
})
