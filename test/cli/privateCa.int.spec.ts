import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { instantFromMillis, startNode, type Node } from '../../src/index.js'
import { openControlSocket, serveHttp, type ControlSocket, type HttpServer } from '../../src/entries/http.js'
import { generateKeyPair } from '../../src/entries/keys.js'
import { makeCertificate } from '../../src/network/certificate.js'
import { newTokenText } from '../../src/http/TokenText.js'
import { belfry } from '../http/belfry.js'
import { carillon, scratchFolder } from './spawnCarillon.js'

describe('the command and a node whose certificate nobody else has signed', () => {
  const { folder, remove } = scratchFolder()
  const store = join(folder, 'data')
  const ca = join(folder, 'ca.pem')
  const tls = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') }
  const token = newTokenText().text
  let node: Node
  let server: HttpServer
  let socket: ControlSocket

  before(async () => {
    const at = instantFromMillis(Date.now())
    const issuerKey = generateKeyPair()
    const key = generateKeyPair()
    const issuer = { name: 'Our own authority', key: issuerKey.publicKey }
    const subject = { name: 'localhost', key: key.publicKey }
    writeFileSync(ca, makeCertificate({ subject: issuer, issuer, issuerKey, at }))
    writeFileSync(tls.certFile, makeCertificate({ subject, issuer, issuerKey, at }))
    writeFileSync(tls.keyFile, key.exportPrivate())
    node = await startNode({ app: belfry, store })
    server = await serveHttp({ node }, { host: 'localhost', tls, localToken: token })
    socket = await openControlSocket(node, store, { http: server })
  })
  after(async () => {
    await socket.close()
    await server.close()
    await node.stop()
    remove()
  })

  it('is refused by default, with what would help', async () => {
    const { code, stderr } = await carillon(['ready', '--url', server.url], { env: { CARILLON_TOKEN: token } })
    expect(code).to.equal(1)
    expect(stderr).to.match(/^error\[address-unavailable\]: https:\/\/localhost:.* --ca <file>/)
  })

  it('answers whoever names the authority, by an option or by the environment', async () => {
    const named = await carillon(['metrics', '--url', server.url, '--ca', ca], { env: { CARILLON_TOKEN: token } })
    expect(named.code, named.stderr).to.equal(0)
    expect(named.stdout).to.contain('carillon_up')
    const inherited = await carillon(['ready', '--json', '--url', server.url], {
      env: { CARILLON_CA: ca, CARILLON_TOKEN: token },
    })
    expect(inherited.stdout.trim()).to.equal('{"ready":true}')
    const flows = await carillon(['flow', 'definitions', '--url', server.url, '--ca', ca], {
      env: { CARILLON_TOKEN: token },
    })
    expect(flows.stdout).to.contain('belfry/Hang')
  })

  it('needs no authority on the socket of the store, and no token', async () => {
    const { code, stdout } = await carillon(['ready', '--store', store])
    expect([code, stdout.trim()]).to.deep.equal([0, 'The node takes work.'])
  })

  it('is told who asks by a token alone', async () => {
    const { code, stderr } = await carillon(['ready', '--url', server.url, '--ca', ca])
    expect(code).to.equal(1)
    expect(stderr).to.match(/^error\[token-refused\]/)
  })

  it('refuses a file that is not there, holds no certificate, or one that is none', async () => {
    const none = join(folder, 'none.pem')
    writeFileSync(none, 'nothing of the kind')
    const broken = join(folder, 'broken.pem')
    writeFileSync(broken, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n')
    for (const [file, why] of [
      [join(folder, 'gone.pem'), /cannot be read: ENOENT/],
      [none, /it holds no certificate/],
      [broken, /a certificate that cannot be read/],
    ] as const) {
      const { code, stdout, stderr } = await carillon(['clock', 'show', '--store', store, '--ca', file])
      expect([code, stdout]).to.deep.equal([1, ''])
      expect(stderr).to.match(/^error\[certificate-invalid\]: --ca /)
      expect(stderr).to.match(why)
    }
  })
})
