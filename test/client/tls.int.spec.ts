/** The client and a node that serves with TLS: whom to trust is said to fetch. */
import { expect } from 'chai'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request as requestHttps } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { CarillonError, connect, type Fetch } from 'carillon/client'
import { newTokenText } from '../../src/http/TokenText.js'
import { instantFromMillis, startNode, type Node } from '../../src/index.js'
import { serveHttp, type HttpServer } from '../../src/entries/http.js'
import { generateKeyPair } from '../../src/entries/keys.js'
import { makeCertificate } from '../../src/entries/network.js'
import { repository } from '../docs/pages.js'
import { post, Write } from './post.js'

describe('The client of a node with TLS', () => {
  const token = newTokenText().text
  const folder = mkdtempSync(join(tmpdir(), 'carillon-client-tls-'))
  const tls = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') }
  const [rootKey, key] = [generateKeyPair(), generateKeyPair()]
  const root = { name: 'authority', key: rootKey.publicKey }
  const certify = (subject: typeof root): string =>
    makeCertificate({ subject, issuer: root, issuerKey: rootKey, at: instantFromMillis(Date.now()) })
  const ca = certify(root)
  const caFile = join(folder, 'ca.pem')
  let node: Node
  let server: HttpServer
  const address = (): string => server.url.replace('127.0.0.1', 'localhost')
  before(async () => {
    writeFileSync(caFile, ca)
    writeFileSync(tls.certFile, certify({ name: 'localhost', key: key.publicKey }))
    writeFileSync(tls.keyFile, key.exportPrivate())
    node = await startNode({ app: post })
    server = await serveHttp({ node }, { tls, localToken: token })
  })
  after(async () => {
    await server.close()
    await node.stop()
    rmSync(folder, { recursive: true })
  })

  it('refuses a certificate that nobody it trusts has signed, at once', async () => {
    const refused: unknown = await connect(address(), token)
      .run(Write, { to: 'Ann', minutes: 1 })
      .catch((error: unknown) => error)
    expect(refused).to.be.instanceOf(CarillonError).with.property('code', 'certificate-invalid')
  })

  it('goes through a fetch of its own', async () => {
    const trusting: Fetch = (asks, { method, headers, body, signal }) =>
      new Promise((resolve, reject) => {
        const asked = requestHttps(asks, { method, headers, signal, ca, agent: false })
        asked.once('error', reject)
        asked.once('response', (answer) =>
          resolve(new Response(Readable.toWeb(answer) as never, { status: answer.statusCode ?? 0 })),
        )
        asked.end(body)
      })
    const client = connect(address(), token, { fetch: trusting })
    expect(await client.run(Write, { to: 'Ben', minutes: 1 })).to.equal('Ben')
    const { value } = await client.subscribe({ from: 'start' }).next()
    expect(value?.type).to.equal('NodeStarted')
  })

  it('trusts what the process was told to trust', async () => {
    const program = `import { connect } from 'carillon/client'
      console.log(await connect('${address()}', '${token}').run('post/Write', { to: 'Cid', minutes: 60 }).catch(String))`
    const args = ['--conditions=carillon-source', '--import', 'tsx', '--input-type=module', '--eval', program]
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: caFile }
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: repository, env })
    expect(stdout.trim()).to.equal('Cid')
  })
})
