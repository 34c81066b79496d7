/** What a new network promises: folders that open, and nothing made when something is wrong. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { defineApp } from '../app/App.js'
import { CarillonError } from '../errors/CarillonError.js'
import { signNetworkMap } from '../identity/SignedNetworkMap.js'
import { instant } from '../time/Instant.js'
import { readKeyFile } from '../keys/KeyFile.js'
import { startNode } from '../node/startNode.js'
import { makeNetwork, type NewNetworkOptions } from './makeNetwork.js'
import { networkFiles, openNetworkFolder } from './NetworkFolder.js'

const codeOf = async (action: () => unknown): Promise<string | undefined> => {
  try {
    await action()
    return undefined
  } catch (error) {
    return error instanceof CarillonError ? error.code : String(error)
  }
}

describe('A new network', () => {
  let scratch: string
  const make = (options: Partial<NewNetworkOptions> = {}, name = 'local') =>
    makeNetwork(join(scratch, name), {
      members: [{ name: 'Alice' }, { name: 'Notary', notary: 'nonValidating' }],
      ...options,
    })
  const alice = () => join(scratch, 'local', 'Alice')

  beforeEach(() => {
    scratch = mkdtempSync(join(tmpdir(), 'carillon-make-'))
  })
  afterEach(() => rmSync(scratch, { recursive: true, force: true }))

  it('has a folder for each party that opens with what the map says', async () => {
    const { members } = await make({ firstPort: 20_001 })
    expect(members.map(({ address, notary }) => ({ address, notary }))).to.deep.equal([
      { address: '127.0.0.1:20001', notary: undefined },
      { address: '127.0.0.1:20002', notary: 'nonValidating' },
    ])
    const { party, map, key } = openNetworkFolder(alice())
    expect(party).to.deep.equal(members[0]?.party)
    expect(key.publicKey).to.equal(party.key)
    expect(map.network.members).to.deep.equal(members)
    expect(map.network.firstNotary()?.name).to.equal('Notary')
  })

  it('has ports of its own for every party when none are given', async () => {
    const { members } = await make({ members: Array.from({ length: 20 }, (_, index) => ({ name: `P${index}` })) })
    expect(new Set(members.map(({ address }) => address)).size).to.equal(20)
  })

  it('refuses names that could not be folders or be told apart, and makes nothing', async () => {
    for (const names of [
      [],
      ['Alice', 'alice'],
      ['../Alice'],
      ['a/b'],
      [''],
      ['network.json'],
      ['.'],
      ['x'.repeat(65)],
    ]) {
      const code = await codeOf(() => make({ members: names.map((name) => ({ name })) }))
      expect(code, names.join()).to.equal('usage')
    }
    expect(await codeOf(() => make({ firstPort: 65_535 }))).to.equal('usage')
    expect(existsSync(join(scratch, 'local'))).to.equal(false)
    await make()
    expect(await codeOf(() => make())).to.equal('folder-not-empty')
  })

  it("does not open when a party's files do not belong together", async () => {
    await make()
    await make({}, 'other')
    const files = networkFiles(alice())
    const theirs = networkFiles(join(scratch, 'other', 'Alice'))
    const expected = { root: 'network-map-untrusted', map: 'network-map-untrusted' } as const
    for (const [member, code] of Object.entries(expected)) {
      const file = member === 'root' ? files.root : files.map
      const own = readFileSync(file, 'utf8')
      writeFileSync(file, readFileSync(member === 'root' ? theirs.root : theirs.map, 'utf8'))
      expect(await codeOf(() => openNetworkFolder(alice())), member).to.equal(code)
      writeFileSync(file, own)
    }
    writeFileSync(files.root, readFileSync(files.certificate, 'utf8'))
    expect(await codeOf(() => openNetworkFolder(alice()))).to.equal('certificate-invalid')
    rmSync(files.root)
    expect(await codeOf(() => openNetworkFolder(alice()))).to.equal('network-not-found')
  })

  it('runs a node that is the party of its folder and no other, and frees its address when it stops', async () => {
    await make()
    const app = defineApp({ name: 'empty', states: [], flows: [] })
    const node = await startNode({ app, networkFolder: alice() })
    expect(node.party.name).to.equal('Alice')
    const second = { app, networkFolder: alice(), store: join(scratch, 'elsewhere') }
    expect(await codeOf(() => startNode(second))).to.equal('address-unavailable')
    await node.stop()
    expect(await codeOf(() => startNode({ ...second, party: 'Bob' }))).to.equal('store-foreign')
    await (await startNode({ app, networkFolder: alice() })).stop()
  })

  it('seals every key with the passphrase that is given', async () => {
    await make({ members: [{ name: 'Alice' }], passphrase: 'open sesame' })
    expect(existsSync(join(alice(), 'node.secret'))).to.equal(false)
    expect(await codeOf(() => openNetworkFolder(alice()))).to.equal('key-locked')
    expect(openNetworkFolder(alice(), { passphrase: 'open sesame' }).party.name).to.equal('Alice')
  })

  it('has a map that is not taken again once a newer one was used', async () => {
    await make()
    const { map: file } = networkFiles(alice())
    const first = readFileSync(file, 'utf8')
    const root = readKeyFile(join(scratch, 'local', 'root.key'))
    const { terms: made } = openNetworkFolder(alice()).map
    const terms = { ...made, serial: 2, madeAt: instant('2026-01-01T00:00:00Z') }
    writeFileSync(file, JSON.stringify(signNetworkMap(terms, root)))
    const app = defineApp({ name: 'spec', states: [], flows: [] })
    await (await startNode({ app, networkFolder: alice() })).stop()
    await (await startNode({ app, networkFolder: alice() })).stop()
    writeFileSync(file, first)
    expect(await codeOf(() => startNode({ app, networkFolder: alice() }))).to.equal('network-map-outdated')
  })
})
