import { spawn } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { holderOf } from '../../src/folder/folderHolder.js'
import { readStore } from '../../src/folder/readStore.js'
import { queryVault } from '../../src/storage/queries/readVault.js'
import { eventually } from '../network/LoopbackNetwork.js'
import { commandStart } from '../../samples/shared/test/builtPackage.js'
import { cleanEnvironment, iouApp } from '../network/NetworkOfProcesses.js'
import { carillon, documents, scratchFolder } from './spawnCarillon.js'

describe('carillon network', function () {
  const { folder, remove } = scratchFolder()
  const local = join(folder, 'local')
  after(remove)

  before(async () => {
    const { code, stdout, stderr } = await carillon([
      ...['network', 'new', local, '--parties', 'Alice,Bob', '--notary', 'Notary', '--notary', 'Fast:nonValidating'],
    ])
    expect(code, stderr).to.equal(0)
    expect(stdout).to.match(/^The network local is ready\.\nPARTY +ADDRESS +NOTARY +KEY\nAlice +127\.0\.0\.1:\d+ /)
    expect(stdout).to.match(/Fast +127\.0\.0\.1:\d+ +nonValidating +ed25519:/)
  })

  it('makes a folder for each party, with a sealed key for its owner alone', () => {
    for (const name of ['Alice', 'Bob', 'Notary', 'Fast'])
      for (const file of ['node.key', 'node.secret', 'certificate.pem', 'root.pem', 'network.json'])
        expect(existsSync(join(local, name, file)), `${name}/${file}`).to.equal(true)
    for (const file of ['root.key', 'root.secret', 'Alice/node.key', 'Alice/node.secret']) {
      expect(statSync(join(local, file)).mode & 0o777, file).to.equal(0o600)
      expect(readFileSync(join(local, file), 'utf8')).not.to.contain('PRIVATE KEY')
    }
  })

  it('shows a map that verifies, and refuses one that was altered', async () => {
    const shown = await carillon(['network', 'show', join(local, 'Bob'), '--json'])
    expect(documents(shown.stdout)[0]).to.deep.include({ name: 'local', serial: 1 })
    const file = join(local, 'Fast', 'network.json')
    writeFileSync(file, readFileSync(file, 'utf8').replace('"name": "Alice"', '"name": "Alicia"'))
    const [altered, run] = await Promise.all([
      carillon(['network', 'show', join(local, 'Fast')]),
      carillon(['run', iouApp, '--network', join(local, 'Fast')]),
    ])
    for (const { code, stderr } of [altered, run]) {
      expect(code).to.equal(1)
      expect(stderr).to.match(/^error\[network-map-untrusted\]: .* was altered/)
    }
  })

  it('refuses folders and options it cannot use', async () => {
    const on = (...args: readonly string[]) => carillon(['network', ...args])
    const [taken, kind, missing] = await Promise.all([
      on('new', local, '--parties', 'Alice'),
      on('new', join(folder, 'kind'), '--parties', 'Alice', '--notary', 'N:quick'),
      on('run', join(folder, 'missing'), '--app', iouApp),
    ])
    expect(taken.stderr).to.match(/^error\[folder-not-empty\]/)
    expect(missing.stderr).to.match(/^error\[network-not-found\]/)
    expect(kind.stderr).to.match(/^error\[usage\]: .*validating or nonValidating/)
    expect([taken.code, kind.code, missing.code]).to.deep.equal([1, 2, 1])
  })

  it('runs the nodes as processes, shows their lines by party, and stops them in good order', async () => {
    const child = spawn(
      process.execPath,
      [...commandStart, 'network', 'run', local, '--app', iouApp, '--only', 'Alice,Bob,Notary'],
      // A store that is only named in the environment must not become everyone's.
      { env: { ...cleanEnvironment(), CARILLON_STORE: join(folder, 'foreign') } },
    )
    let out = ''
    let err = ''
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString('utf8')))
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString('utf8')))
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
    try {
      for (const name of ['Alice ', 'Bob   ', 'Notary'])
        await eventually(() => out.includes(`${name} | iou 0.0.0, run by ${name.trim()}`), `${name} greets`, 60_000)
      const { members } = documents((await carillon(['network', 'show', local, '--json'])).stdout)[0] as {
        readonly members: readonly { readonly party: { readonly name: string } }[]
      }
      const borrower = members.find(({ party }) => party.name === 'Bob')?.party
      const terms = { borrower, amount: 5, dueAt: '2099-01-01T00:00:00.000Z' }
      const lent = await carillon(['start', 'iou/Lend', JSON.stringify(terms), '--store', join(local, 'Alice')])
      expect(lent.code, lent.stderr).to.equal(0)
      const held = () => readStore(join(local, 'Bob'), (db) => queryVault(db)).items
      await eventually(() => held().length === 1, 'Bob holds the debt')
      const added = await Promise.all(['Dave', 'Erin'].map((name) => carillon(['network', 'add', local, name])))
      for (const { code, stdout, stderr } of added) {
        expect(code, stderr).to.equal(0)
        expect(stdout).to.contain('Nodes that run take it up within seconds.')
      }
      for (const name of ['Alice ', 'Bob   ', 'Notary'])
        await eventually(
          () => err.includes(`${name} | The node goes by map 3 of the network local. `),
          `${name} takes up the map that lists both`,
        )
    } finally {
      child.kill('SIGINT')
    }
    expect(await ended, err).to.equal(0)
    expect(err).to.contain('SIGINT: stopping 3 nodes')
    for (const name of ['Alice ', 'Bob   ', 'Notary'])
      expect(err).to.match(new RegExp(`${name} \\| Stopped in good order at revision \\d+\\.`))
    expect(err.indexOf('Notary | Stopped')).to.be.greaterThan(err.indexOf('Alice  | Stopped'))
  })

  it('lets a party join, and gives everyone the map that lists it', async () => {
    const added = await carillon(['network', 'add', local, 'Carol'])
    expect(added.code, added.stderr).to.equal(0)
    expect(added.stdout).to.match(
      /^Carol has joined at 127\.0\.0\.1:\d+, by map 4\.\nAlice, Bob, Notary, Fast, (Dave, Erin|Erin, Dave) have the map/,
    )
    const again = await carillon(['network', 'add', local, 'Carol'])
    expect(again.stderr).to.match(/^error\[usage\]: The name Carol is taken/)
    const shown = await carillon(['network', 'show', join(local, 'Bob'), '--json'])
    const { serial, members } = documents(shown.stdout)[0] as {
      readonly serial: number
      readonly members: readonly { readonly party: { readonly name: string } }[]
    }
    expect(serial).to.equal(4)
    expect(members.map(({ party }) => party.name)).to.have.members([
      ...['Alice', 'Bob', 'Notary', 'Fast'],
      ...['Carol', 'Dave', 'Erin'],
    ])
  })

  it('leaves no node behind when it is killed itself', async () => {
    const child = spawn(
      process.execPath,
      [...commandStart, 'network', 'run', local, '--app', iouApp, '--only', 'Notary'],
      {
        env: cleanEnvironment(),
      },
    )
    let out = ''
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString('utf8')))
    await eventually(() => out.includes('run by Notary'), 'Notary greets', 60_000)
    expect(holderOf(join(local, 'Notary'))).not.to.equal(undefined)
    child.kill('SIGKILL')
    await eventually(() => holderOf(join(local, 'Notary')) === undefined, 'the node has stopped', 30_000)
  })
})
