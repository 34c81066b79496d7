/** What a look at a changed map promises: a newer one of the same root counts, and nothing else does. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { generateKeyPair } from '../identity/KeyPair.js'
import type { Member } from '../identity/NetworkMap.js'
import { signNetworkMap } from '../identity/SignedNetworkMap.js'
import { instant } from '../time/Instant.js'
import { readKeyFile } from '../keys/KeyFile.js'
import type { Logger } from '../engine/Logger.js'
import { addParty } from './addParty.js'
import { makeNetwork } from './makeNetwork.js'
import { MapFile } from './MapFile.js'
import { networkFiles, openNetworkFolder } from './NetworkFolder.js'

const madeAt = instant('2026-01-01T00:00:00Z')

describe('The map in the folder of a party whose node runs', () => {
  let scratch: string
  let local: string
  let alice: string
  let warnings: string[]
  let file: MapFile
  const logger: Logger = {
    info: () => undefined,
    warn: (message, { code }) => warnings.push(`${String(code)}: ${message}`),
    error: () => undefined,
  }
  const members = (): readonly Member[] => file.newest.terms.members
  const write = (text: string): void => writeFileSync(networkFiles(alice).map, text)
  const signed = (
    serial: number,
    listed: readonly Member[],
    { root = readKeyFile(join(local, 'root.key')), salt = file.newest.terms.salt } = {},
  ): string => JSON.stringify(signNetworkMap({ name: 'local', salt, serial, madeAt, members: listed }, root))

  beforeEach(async () => {
    scratch = mkdtempSync(join(tmpdir(), 'carillon-map-'))
    local = join(scratch, 'local')
    alice = join(local, 'Alice')
    warnings = []
    await makeNetwork(local, { members: [{ name: 'Alice' }, { name: 'Bob' }] })
    file = new MapFile(openNetworkFolder(alice), logger)
  })
  afterEach(() => rmSync(scratch, { recursive: true, force: true }))

  it('is taken when the root has signed it with a higher number', async () => {
    file.look()
    expect(file.newest.terms.serial).to.equal(1)
    await addParty(local, { name: 'Carol' })
    file.look()
    expect(file.newest.terms.serial).to.equal(2)
    expect(file.newest.network.party('Carol')?.name).to.equal('Carol')
    expect(warnings).to.deep.equal([])
  })

  it('is refused when it was altered, another root signed it, it is of another network, it leads back, or this party is not who it was', async () => {
    await addParty(local, { name: 'Carol' })
    const newest = readFileSync(networkFiles(alice).map, 'utf8')
    file.look()
    const taken = file.newest
    const [own, ...others] = members()
    const calledOtherwise = { ...own, party: { name: 'Alicia', key: own?.party.key } } as Member
    const wrong: readonly (readonly [string, string])[] = [
      ['network-map-invalid', '{'],
      ['network-map-untrusted', newest.replace('"name": "Bob"', '"name": "Bert"')],
      ['network-map-untrusted', signed(3, members(), { root: generateKeyPair() })],
      ['network-mismatch', signed(3, members(), { salt: 'another network of this root' })],
      ['network-map-outdated', signed(1, members())],
      ['network-map-invalid', signed(2, others)],
      ['party-unknown', signed(3, others)],
      ['store-foreign', signed(3, [calledOtherwise, ...others])],
      ['network-map-invalid', ' '.repeat(8 * 1024 * 1024 + 1)],
    ]
    for (const [code, text] of wrong) {
      warnings = []
      write(text)
      for (let look = 0; look < 4; look++) file.look()
      expect(warnings, code).to.have.length(1)
      expect(warnings[0]).to.match(
        new RegExp(`^${code}: A changed network map was refused, and map 2 stays in use\\. `),
      )
      expect(file.newest).to.equal(taken)
    }
    write(signed(3, members()))
    file.look()
    expect(file.newest.terms.serial).to.equal(3)
  })

  it('is not judged while it is being written, nor missed when it comes back', () => {
    const whole = signed(2, members())
    write(whole.slice(0, 100))
    file.look()
    write(whole)
    file.look()
    expect([file.newest.terms.serial, warnings]).to.deep.equal([2, []])
    rmSync(networkFiles(alice).map)
    for (let look = 0; look < 3; look++) file.look()
    expect(warnings).to.have.length(1)
    expect(warnings[0]).to.contain('ENOENT')
    write(signed(3, members()))
    file.look()
    expect(file.newest.terms.serial).to.equal(3)
  })

  it('is verified against the root the node was started with, whatever lies in its folder now', async () => {
    const other = join(scratch, 'other')
    await makeNetwork(other, { members: [{ name: 'Alice' }] })
    writeFileSync(networkFiles(alice).root, readFileSync(join(other, 'root.pem')))
    write(signed(2, members(), { root: readKeyFile(join(other, 'root.key')) }))
    for (let look = 0; look < 2; look++) file.look()
    expect(warnings[0]).to.match(/^network-map-untrusted/)
    expect(file.newest.terms.serial).to.equal(1)
  })
})
