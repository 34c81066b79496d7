import { chmodSync, cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { judgeOf, type Finding } from '../../src/cli/doctor/Finding.js'
import { checkClock, checkDisk, checkRuntime } from '../../src/cli/doctor/checkMachine.js'
import { checkCertificates, checkKeyFiles, checkPeers } from '../../src/cli/doctor/checkIdentity.js'
import { instant, startNode } from '../../src/index.js'
import { openControlSocket } from '../../src/entries/http.js'
import { makeNetwork } from '../../src/entries/network.js'
import { VirtualClock } from '../../src/testing/index.js'
import { belfry, Hang } from '../http/belfry.js'
import { carillon, documents, scratchFolder } from './spawnCarillon.js'

const nowMs = Date.parse('2030-01-01T00:00:00Z')

describe('carillon doctor', () => {
  const { folder, remove } = scratchFolder()
  const network = join(folder, 'local')
  const alice = join(network, 'Alice')
  let findings: readonly Finding[]

  const examined = async (...args: readonly string[]): Promise<{ readonly code: number | null }> => {
    const { code, stdout } = await carillon(['doctor', '--json', ...args])
    findings = documents(stdout)[0]?.['findings'] as readonly Finding[]
    return { code }
  }
  const of = (check: string): readonly Finding[] => findings.filter((finding) => finding.check === check)
  /** Something is wrong with it, and there is something to do. */
  const expectBad = (found: readonly Finding[] | Finding, text: RegExp, todo: RegExp): void => {
    const [first] = [found].flat().filter(({ state }) => state === 'bad')
    expect(first?.text).to.match(text)
    expect(first !== undefined && 'todo' in first ? first.todo : '').to.match(todo)
  }
  /** A copy of Alice's folder, to be spoilt. */
  const copy = (name: string): string => {
    const place = join(folder, name)
    cpSync(alice, place, { recursive: true, filter: (file) => !file.endsWith('.sock') })
    return place
  }

  before(async () => {
    await makeNetwork(network, {
      members: [{ name: 'Alice' }, { name: 'Bob' }, { name: 'Notary', notary: 'validating' }],
    })
    const node = await startNode({ app: belfry, store: alice, networkFolder: alice })
    await node.run(Hang, { name: 'Emmanuel', minutes: 10, manner: 'plain' })
    await node.stop()
  })
  after(remove)

  it('finds everything good, but for a notary that is away, and says in text what to do', async () => {
    const { code, stdout } = await carillon(['doctor', '--store', alice])
    expect(code).to.equal(1)
    const checks = ['runtime', 'store', 'node', 'disk', 'clock', 'keys', 'certificates', 'log', 'peers']
    for (const check of checks) expect(stdout).to.match(new RegExp(`^${check} +(good|notice|bad) `, 'm'))
    expect(stdout).to.match(/^peers +notice Bob does not answer at .*ECONNREFUSED\)\n +→ see whether its node runs/m)
    expect(stdout).to.match(/^peers +bad {4}Notary, a notary, does not answer.*\n +→ .*nothing that needs this notary/m)
    await examined('--store', alice)
    expect(findings.filter(({ check, state }) => check !== 'peers' && state === 'bad')).to.deep.equal([])
  })

  it('finds a runtime that is too old, a disk without room, and a clock that is behind', () => {
    expectBad(checkRuntime(judgeOf('runtime'), '18.20.1', 'node:sqlite'), /Node 18/, /install Node 20\.19/)
    expectBad(checkDisk(judgeOf('disk'), alice, 1_000_000), /1 MiB free/, /make room/)
    expect(checkDisk(judgeOf('disk'), alice, 1_000_000_000).state).to.equal('notice')
    expectBad(
      checkClock(judgeOf('clock'), alice, Date.now() - 3_600_000, false),
      /59 min .*future|1 h .*future/,
      /set the clock/,
    )
    expect(checkClock(judgeOf('clock'), alice, Date.now() - 3_600_000, true).state).to.equal('good')
  })

  it('says that a store runs on virtual time, also when no node runs on it, until one does on the clock of the machine', async () => {
    const store = join(folder, 'virtual')
    const clock = new VirtualClock(instant('2035-01-01T00:00:00Z'))
    const node = await startNode({ app: belfry, store, clock })
    await node.run(Hang, { name: 'Emmanuel', minutes: 10, manner: 'plain' })
    await node.stop()
    const { code } = await examined('--store', store)
    expect(code).to.equal(0)
    expect(of('clock')[0]).to.deep.include({ state: 'good' })
    expect(of('clock')[0]!.text).to.match(
      /^virtual time: the last tick was at 2035-01-01T00:00:00\.000Z, .* ahead of this machine$/,
    )
    const agenda = await carillon(['agenda', '--store', store])
    expect(agenda.stdout).to.contain('in 10 min')
    await (await startNode({ app: belfry, store })).stop()
    await examined('--store', store)
    expect(of('clock')[0]!.text).to.match(/after the last tick$/)
  })

  it('finds a store that is none, or was changed, and a log that ends before its views', async () => {
    await examined('--store', join(folder, 'nothing'))
    expect(of('store')[0]).to.deep.include({ state: 'notice' })
    const broken = copy('broken')
    writeFileSync(join(broken, 'carillon.db'), 'this is no database, it only has its name')
    expect((await examined('--store', broken)).code).to.equal(1)
    expectBad(of('store'), /store-(corrupt|foreign)/, /carillon explain store-/)
    const cut = copy('cut')
    const { openDatabase } = await import('../../src/storage/sqlite/openDatabase.js')
    const db = openDatabase(join(cut, 'carillon.db'))
    db.exec('UPDATE node_facts SET revision = revision + 5')
    db.close()
    await examined('--store', cut)
    expectBad(of('log'), /the log ends at revision \d+, but the views stand at/, /carillon log verify/)
  })

  it('finds a key that is gone, that others can read, that is another, or that nobody can open', async () => {
    const gone = copy('gone')
    rmSync(join(gone, 'node.key'))
    expectBad(checkKeyFiles(judgeOf('keys'), gone, undefined), /missing/, /put node\.key and node\.secret back/)
    const open = copy('open')
    chmodSync(join(open, 'node.key'), 0o644)
    expectBad(checkKeyFiles(judgeOf('keys'), open, undefined), /can be read by other users/, /chmod 600/)
    const other = copy('other')
    for (const file of ['node.key', 'node.secret']) cpSync(join(network, 'Bob', file), join(other, file))
    expectBad(
      checkKeyFiles(judgeOf('keys'), other, undefined),
      /but the log of this store is signed with/,
      /put the key that signs the log back/,
    )
    const locked = copy('locked')
    rmSync(join(locked, 'node.secret'))
    await examined('--store', locked)
    expectBad(of('keys'), /key-locked/, /carillon explain key-locked/)
  })

  it('finds a certificate of another party, one that has expired, and one that is none', async () => {
    const other = copy('certificate')
    cpSync(join(network, 'Bob', 'certificate.pem'), join(other, 'certificate.pem'))
    await examined('--store', other)
    expectBad(of('certificates'), /is that of Bob, not of this node/, /carillon network add/)
    const foreign = join(folder, 'foreign')
    await makeNetwork(foreign, { members: [{ name: 'Alice' }] })
    cpSync(join(foreign, 'Alice', 'certificate.pem'), join(other, 'certificate.pem'))
    expectBad(
      checkCertificates(judgeOf('certificates'), other, null, undefined, nowMs),
      /not signed by the root/,
      /carillon network add/,
    )
    const file = join(network, 'Alice', 'certificate.pem')
    expectBad(
      checkCertificates(judgeOf('certificates'), undefined, null, file, Date.parse('2001-01-01')),
      /not valid before/,
      /set the clock/,
    )
    expectBad(
      checkCertificates(judgeOf('certificates'), undefined, null, file, Date.parse('+010000-01-01')),
      /has expired/,
      /renew it/,
    )
    writeFileSync(join(other, 'certificate.pem'), 'no certificate')
    await examined('--store', other)
    expect(of('certificates')[0]?.state).to.equal('bad')
  })

  it('finds a peer at whose address somebody else answers', async () => {
    const impostor = createServer((socket) => socket.end('hello'))
    const address = (
      JSON.parse(readFileSync(join(alice, 'network.json'), 'utf8')) as {
        map: { members: { party: { name: string }; address: string }[] }
      }
    ).map.members.find(({ party }) => party.name === 'Notary')?.address
    await new Promise<void>((resolve) => impostor.listen(Number(address?.split(':')[1]), '127.0.0.1', resolve))
    try {
      const found = await checkPeers(judgeOf('peers'), alice, null)
      expectBad(found, /Notary, a notary, does not answer/, /see whether its node runs/)
    } finally {
      impostor.close()
    }
    const bob = await startNode({ app: belfry, store: join(network, 'Bob'), networkFolder: join(network, 'Bob') })
    try {
      expect((await checkPeers(judgeOf('peers'), alice, null)).map(({ text }) => text).join('\n')).to.match(
        /^Bob answers at/m,
      )
    } finally {
      await bob.stop()
    }
  })

  it('finds a node that drains', async () => {
    const bob = await startNode({ app: belfry, store: join(network, 'Bob'), networkFolder: join(network, 'Bob') })
    const socket = await openControlSocket(bob, join(network, 'Bob'))
    try {
      await bob.drain({ by: 'test' })
      await examined('--store', join(network, 'Bob'))
      expect(of('node')[0]).to.deep.include({ state: 'notice', text: 'runs and drains: nothing new is started' })
    } finally {
      await socket.close()
      await bob.stop()
    }
    expect(existsSync(join(network, 'Bob', 'control.sock'))).to.be.false
  })
})
