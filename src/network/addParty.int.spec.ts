/** What joining a network promises: a party that all will know, and a network left as it was when something is wrong. */
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { CarillonError } from '../errors/CarillonError.js'
import { addParty, type AddedMember } from './addParty.js'
import { makeNetwork } from './makeNetwork.js'
import { networkFiles, openNetworkFolder } from './NetworkFolder.js'

const codeOf = async (action: () => unknown): Promise<string | undefined> => {
  try {
    await action()
    return undefined
  } catch (error) {
    return error instanceof CarillonError ? error.code : String(error)
  }
}

describe('A party that joins a network', () => {
  let scratch: string
  let local: string
  const mapIn = (...names: readonly string[]): string => readFileSync(networkFiles(join(local, ...names)).map, 'utf8')
  const add = (name: string, more: Omit<AddedMember, 'name'> = {}) => addParty(local, { name, ...more })

  beforeEach(async () => {
    scratch = mkdtempSync(join(tmpdir(), 'carillon-add-'))
    local = join(scratch, 'local')
    await makeNetwork(local, { members: [{ name: 'Alice' }, { name: 'Notary', notary: 'validating' }] })
  })
  afterEach(() => rmSync(scratch, { recursive: true, force: true }))

  it('has a folder that opens, and everyone here has the map that lists it, with a higher serial', async () => {
    const added = await add('Carol')
    const second = await add('Fast', { notary: 'nonValidating', port: 20_009 })
    expect([added.serial, second.serial]).to.deep.equal([2, 3])
    expect(second.told).to.deep.equal(['Alice', 'Notary', 'Carol', 'Fast'])
    const names = ['Alice', 'Notary', 'Carol', 'Fast']
    for (const name of names) {
      const { party, map } = openNetworkFolder(join(local, name))
      expect(party.name).to.equal(name)
      expect(map.terms.serial).to.equal(3)
      expect(map.network.members.map((member) => member.party.name)).to.deep.equal(names)
    }
    expect(openNetworkFolder(join(local, 'Alice')).map.network.member(second.member.party.key)).to.deep.include({
      address: '127.0.0.1:20009',
      notary: 'nonValidating',
    })
    expect(
      new Set(openNetworkFolder(join(local, 'Alice')).map.network.members.map(({ address }) => address)).size,
    ).to.equal(4)
    for (const file of ['node.key', 'node.secret'])
      expect(statSync(join(added.folder, file)).mode & 0o777, file).to.equal(0o600)
  })

  it('is refused with a name or an address that is taken, or without the key of the root, and nothing changes', async () => {
    const before = mapIn()
    const { network } = openNetworkFolder(join(local, 'Alice')).map
    const port = Number(network.members[0]?.address?.split(':')[1])
    for (const name of ['alice', 'network.json', '../Carol', ''])
      expect(await codeOf(() => add(name)), name).to.equal('usage')
    for (const wrong of [port, 65_536]) expect(await codeOf(() => add('Carol', { port: wrong }))).to.equal('usage')
    expect(await codeOf(() => addParty(join(local, 'Alice'), { name: 'Carol' }))).to.equal('network-not-found')
    expect(await codeOf(() => addParty(join(scratch, 'nowhere'), { name: 'Carol' }))).to.equal('network-not-found')
    writeFileSync(join(local, 'Dora'), 'a file that is in the way')
    expect(await codeOf(() => add('Dora'))).to.equal('folder-not-empty')
    renameSync(join(local, 'root.key'), join(scratch, 'root.key'))
    expect(await codeOf(() => add('Carol'))).to.equal('root-key-missing')
    await makeNetwork(join(scratch, 'other'), { members: [{ name: 'Alice' }] })
    for (const file of ['root.key', 'root.secret'])
      writeFileSync(join(local, file), readFileSync(join(scratch, 'other', file)))
    expect(await codeOf(() => add('Carol'))).to.equal('root-key-missing')
    expect(mapIn()).to.equal(before)
    expect(existsSync(join(local, 'Carol'))).to.equal(false)
  })

  it('joins one by one with others that join at the same moment, and nobody is lost', async () => {
    const names = ['Carol', 'Dave', 'Erin', 'Frank']
    const added = await Promise.all(names.map((name) => add(name)))
    expect(added.map(({ serial }) => serial)).to.have.members([2, 3, 4, 5])
    const { members } = openNetworkFolder(join(local, 'Alice')).map.network
    expect(members.map(({ party }) => party.name)).to.have.members(['Alice', 'Notary', ...names])
    for (const name of names) expect(mapIn(name), name).to.equal(mapIn())
    expect(await codeOf(() => add('lock.db'))).to.equal('usage')
  })

  it('names who is not here to be given the map, and catches up on copies that were left behind', async () => {
    const old = mapIn('Alice')
    renameSync(join(local, 'Notary'), join(scratch, 'Notary'))
    expect(await add('Carol')).to.deep.include({ told: ['Alice', 'Carol'], elsewhere: ['Notary'] })
    // As after a crash between the network's map and a copy of it.
    writeFileSync(networkFiles(join(local, 'Alice')).map, old)
    expect(await codeOf(() => add('Carol'))).to.equal('usage')
    expect(mapIn('Alice')).to.equal(mapIn())
  })
})
