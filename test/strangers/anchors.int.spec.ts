/** What a node holds on to when the files of its network are changed: its root, and the map it goes by. */
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { CarillonError, defineApp, instant, startNode } from 'carillon'
import { operateOffline } from '../../src/folder/OfflineOperator.js'
import { generateKeyPair, type KeyPair } from '../../src/identity/KeyPair.js'
import { signNetworkMap, type NetworkTerms } from '../../src/identity/SignedNetworkMap.js'
import { readKeyFile } from '../../src/keys/KeyFile.js'
import { networkLimits } from '../../src/network/limits.js'
import { fingerprintOf, makeCertificate } from '../../src/network/certificate.js'
import { expiryWarning, mapSerialOf } from '../../src/network/followMap.js'
import { makeNetwork } from '../../src/network/makeNetwork.js'
import { networkFiles, openNetworkFolder } from '../../src/network/NetworkFolder.js'
import { renewMap } from '../../src/network/renewMap.js'
import { toMillis } from '../../src/time/Instant.js'

const app = defineApp({ name: 'spec', states: [], flows: [] })

describe('The anchors of a node', () => {
  let scratch: string
  let folder: string
  let alice: string
  let root: KeyPair

  beforeEach(async () => {
    scratch = mkdtempSync(join(tmpdir(), 'carillon-anchors-'))
    folder = join(scratch, 'local')
    alice = join(folder, 'Alice')
    await makeNetwork(folder, { members: [{ name: 'Alice' }, { name: 'Notary', notary: 'validating' }] })
    root = readKeyFile(join(folder, 'root.key'))
  })
  afterEach(() => rmSync(scratch, { recursive: true, force: true }))

  const terms = (): NetworkTerms => openNetworkFolder(alice).map.terms
  const write = (changed: NetworkTerms, by = root): void =>
    writeFileSync(networkFiles(alice).map, JSON.stringify(signNetworkMap(changed, by)))
  const start = async (): Promise<string> => {
    try {
      await (await startNode({ app, networkFolder: alice })).stop()
      return 'started'
    } catch (error) {
      return error instanceof CarillonError ? error.code : String(error)
    }
  }
  const accept = (changed: NetworkTerms): Promise<void> => {
    const map = mapSerialOf(changed)
    return operateOffline(alice, { on: 'network', action: 'accept', map, note: 'as agreed' }, { by: 'cli:test' })
  }
  const typesIn = async (): Promise<readonly string[]> => {
    const node = await startNode({ app, networkFolder: alice })
    const types: string[] = []
    for await (const { events } of node.readLog())
      for (const line of events) types.push((JSON.parse(line) as { type: string }).type)
    await node.stop()
    return types
  }

  it('refuse another map with the same number, until an operator has accepted it', async () => {
    expect(await start()).to.equal('started')
    const first = terms()
    const other = { ...first, name: 'quite another' }
    write(other)
    expect(await start()).to.equal('network-anchor-changed')
    await accept(other)
    expect(await start()).to.equal('started')
    expect(await start()).to.equal('started')
    expect(await typesIn()).to.include('NetworkMapAccepted')
    // It goes by that one now, and does not come back to the first without another decision.
    write(first)
    expect(await start()).to.equal('network-anchor-changed')
    await renewMap(folder)
    write({ ...terms(), serial: 7 })
    expect(await start()).to.equal('started')
    write(other)
    expect(await start()).to.equal('network-map-outdated')
  })

  it('refuse another root, whose map and certificates are in order, until an operator has accepted it', async () => {
    expect(await start()).to.equal('started')
    const before = terms()
    const theirs = generateKeyPair()
    const at = instant('2026-01-01T00:00:00Z')
    const name = { name: 'local root', key: theirs.publicKey }
    const { party } = openNetworkFolder(alice)
    const certificate = makeCertificate({ subject: party, issuer: name, issuerKey: theirs, at })
    const files = networkFiles(alice)
    writeFileSync(files.root, makeCertificate({ subject: name, issuer: name, issuerKey: theirs, at }))
    writeFileSync(files.certificate, certificate)
    const fingerprint = fingerprintOf(new X509Certificate(certificate))
    const members = before.members.map((member) =>
      member.party.key === party.key ? { ...member, certificate: fingerprint } : member,
    )
    write({ ...before, serial: before.serial + 1, members }, theirs)
    expect(await start()).to.equal('network-anchor-changed')
    await accept(terms())
    expect(await start()).to.equal('started')
    expect(await start()).to.equal('started')
  })

  it('warn before a map expires, and are not raised by one that has', async () => {
    expect(await start()).to.equal('started')
    const valid = openNetworkFolder(alice).map
    const endMs = toMillis(valid.terms.expiresAt ?? valid.terms.madeAt)
    expect(expiryWarning(valid, endMs - networkLimits.networkMapWarningMs - 1)).to.equal(undefined)
    expect(expiryWarning(valid, endMs - 86_400_000)).to.contain('in 1 days')
    expect(expiryWarning(valid, endMs)).to.contain('has expired')
    const expired = { ...terms(), serial: 2, expiresAt: instant('2026-01-02T00:00:00Z') }
    write(expired)
    const warnings: string[] = []
    const logger = { info: () => undefined, error: () => undefined, warn: (text: string) => void warnings.push(text) }
    expect(await start()).to.equal('network-map-expired')
    await accept(expired)
    const node = await startNode({ app, networkFolder: alice, logger: logger })
    await node.stop()
    expect(warnings.some((text) => text.includes('has expired'))).to.equal(true)
    const { serial, expiresAt } = await renewMap(folder)
    expect(serial).to.equal(2)
    expect(toMillis(expiresAt)).to.be.greaterThan(Date.now())
    expect(readFileSync(networkFiles(alice).map, 'utf8')).to.contain(expiresAt)
  })
})
