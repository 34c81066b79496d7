/** What other users of the machine can do to a store: read nothing of it, and keep no node from starting. */
import { expect } from 'chai'
import {
  chmodSync,
  chownSync,
  constants,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import * as t from 'io-ts'
import { defineApp, defineFlow, startNode, type FlowBody } from 'carillon'
import { backupStore, restoreStore } from 'carillon/backup'
import { openControlSocket, readLocalToken } from 'carillon/http'
import { makeNetwork } from 'carillon/network'
import { EndedSessions } from '../../src/http/EndedSessions.js'
import { engineLimits } from '../../src/engine/limits.js'
import { silentLogger } from '../../src/engine/Logger.js'
import { writeLogPlace } from '../../src/folder/logPlace.js'
import { noteClock } from '../../src/folder/storeClock.js'
import { Watchdog } from '../../src/node/Watchdog.js'
import { SqliteProjections } from '../../src/storage/SqliteProjections.js'
import { snapshot } from '../../src/storage/sqlite/snapshot.js'
import { foreignRefused, foreignRemoved } from '../../src/folder/removeForeign.js'
import { storeFiles } from '../../src/folder/StoreFolder.js'
import { openOutput } from '../../src/cli/openOutput.js'

const Note = defineFlow({
  name: 'private/Note',
  input: t.strict({}),
  *run(): FlowBody<string> {
    return 'noted'
  },
})
const app = defineApp({ name: 'private', states: [], flows: [Note] })

/** Somebody else: files are given to others by an administrator alone. */
const nobody = 65_534
const isAdministrator = process.getuid?.() === 0

describe('The files of a store', () => {
  let above: string
  let folder: string
  let umask: number

  const openToOthers = (place: string): readonly string[] =>
    readdirSync(place).filter((file) => (statSync(join(place, file)).mode & 0o077) !== 0)

  beforeEach(() => {
    above = mkdtempSync(join(tmpdir(), 'carillon-private-'))
    folder = join(above, 'store')
    // As careless as it can be.
    umask = process.umask(0)
  })
  afterEach(() => {
    process.umask(umask)
    rmSync(above, { recursive: true, force: true })
  })

  it('are for their owner alone: those of a node that runs, of one that stopped, of backups and exports', async () => {
    const node = await startNode({ app, store: folder })
    const socket = await openControlSocket(node, folder)
    readLocalToken(folder)
    await node.run(Note, {})
    expect(readdirSync(folder)).to.include.members(['carillon.db', 'carillon.db-wal', 'lock.db', 'holder.json'])
    expect(openToOthers(folder), 'while it runs').to.deep.equal([])
    const backup = join(above, 'backup')
    await backupStore(folder, backup)
    await socket.close()
    await node.stop()
    expect(openToOthers(folder), 'when it has stopped').to.deep.equal([])
    expect(openToOthers(backup), 'a backup').to.deep.equal([])
    const restored = join(above, 'restored')
    await restoreStore(backup, restored)
    expect(openToOthers(restored), 'a restored store').to.deep.equal([])
    const output = await openOutput(join(above, 'export.ndjson'))
    await output.close()
    expect(statSync(join(above, 'export.ndjson')).mode & 0o777).to.equal(0o600)
    for (const place of [folder, backup, restored]) expect(statSync(place).mode & 0o077).to.equal(0)
  })

  it('are so from their first byte on: a copy that is made, and whatever lies beside a store', async () => {
    await (await startNode({ app, store: folder })).stop()
    const open = join(above, 'open')
    mkdirSync(open)
    snapshot(join(folder, 'carillon.db'), join(open, 'copy.db'))
    writeLogPlace(join(open, 'log.json'), 'postgresql://carillon:secret@db.example/carillon')
    noteClock(open, true)
    new EndedSessions(join(open, 'http.ended'), 0).add('a session', Date.now() + 60_000, Date.now())
    await new SqliteProjections(join(open, 'projections.db')).load('totals')
    const watchdog = new Watchdog({ logger: silentLogger, limits: engineLimits, file: join(open, 'not-returned.json') })
    watchdog.forget('a flow')
    watchdog.stop()
    expect(readdirSync(open)).to.include.members([
      ...['copy.db', 'log.json', 'virtual-time', 'http.ended', 'projections.db', 'not-returned.json'],
    ])
    expect(openToOthers(open)).to.deep.equal([])
    // Written anew, as at the next start.
    rmSync(join(open, 'http.ended'))
    writeFileSync(join(open, 'http.ended'), `a session ${Date.now() + 60_000}\n`, { mode: 0o600 })
    new EndedSessions(join(open, 'http.ended'), 0)
    expect(openToOthers(open)).to.deep.equal([])
  })

  it('of a network are so, too: the keys of the root and of the parties, and their folders', async () => {
    const network = join(above, 'network')
    await makeNetwork(network, { members: [{ name: 'Alice' }] })
    expect(statSync(network).mode & 0o777).to.equal(0o700)
    expect(statSync(join(network, 'Alice')).mode & 0o777).to.equal(0o700)
    for (const file of ['root.key', 'root.secret', 'Alice/node.key', 'Alice/node.secret'])
      expect(statSync(join(network, file)).mode & 0o777, file).to.equal(0o600)
  })

  it('are all known by name, so that none of another user is taken for one of them', async () => {
    const node = await startNode({ app, store: folder })
    const socket = await openControlSocket(node, folder)
    readLocalToken(folder)
    await node.run(Note, {})
    const known = new Set([...foreignRemoved, ...foreignRefused])
    const own = Object.values(storeFiles(folder)).map((file) => basename(file))
    try {
      expect([...own, ...readdirSync(folder)].filter((file) => !known.has(file))).to.deep.equal([])
    } finally {
      await socket.close()
      await node.stop()
    }
  })

  it('are taken back where an earlier version let others open them', async () => {
    await (await startNode({ app, store: folder })).stop()
    readLocalToken(folder)
    for (const file of readdirSync(folder))
      if (file.includes('.db') || file === 'http.token') chmodSync(join(folder, file), 0o644)
    const node = await startNode({ app, store: folder })
    readLocalToken(folder)
    try {
      expect(openToOthers(folder)).to.deep.equal([])
    } finally {
      await node.stop()
    }
  })

  const asAdministrator = isAdministrator ? it : it.skip

  asAdministrator(
    'that another user has laid into a folder everyone may write to keep no node from starting',
    async () => {
      await (await startNode({ app, store: folder })).stop()
      chmodSync(folder, 0o1777)
      const precious = join(above, 'precious')
      writeFileSync(precious, 'of the administrator')
      for (const file of foreignRemoved) {
        rmSync(join(folder, file), { force: true })
        // Every second one is a link to what the node may write to, and its maker may not.
        if (foreignRemoved.indexOf(file) % 2 === 0) writeFileSync(join(folder, file), 'mine', { mode: 0o666 })
        else symlinkSync(precious, join(folder, file))
        lchownSync(join(folder, file), nobody, nobody)
      }
      const node = await startNode({ app, store: folder })
      const socket = await openControlSocket(node, folder)
      try {
        expect(readLocalToken(folder).text).not.to.equal('mine')
        for (const file of readdirSync(folder)) {
          const { uid, mode } = lstatSync(join(folder, file))
          expect(uid, file).to.equal(0)
          expect(mode & constants.S_IFMT, file).not.to.equal(constants.S_IFLNK)
        }
        expect(readFileSync(precious, 'utf8')).to.equal('of the administrator')
        expect(statSync(folder).mode & 0o002, 'nobody else writes here any more').to.equal(0)
      } finally {
        await socket.close()
        await node.stop()
      }
    },
  )

  asAdministrator('are not written through links that another user has laid there before the first start', async () => {
    mkdirSync(folder, { mode: 0o777 })
    const caught = join(above, 'caught')
    const names = [...foreignRemoved, ...foreignRefused].flatMap((file) => [`${file}.draft`, `${file}.unfinished`])
    for (const file of names) {
      symlinkSync(caught, join(folder, file))
      lchownSync(join(folder, file), nobody, nobody)
    }
    const node = await startNode({ app, store: folder })
    const socket = await openControlSocket(node, folder)
    readLocalToken(folder)
    new EndedSessions(join(folder, 'http.ended'), 0).add('a session', 1, 0)
    await socket.close()
    await node.stop()
    expect(existsSync(caught)).to.equal(false)
    for (const file of ['node.key', 'node.secret'])
      expect(lstatSync(join(folder, file)).mode & constants.S_IFMT, file).to.equal(constants.S_IFREG)
  })

  asAdministrator('that hold the store are neither used nor removed when they are of another user', async () => {
    for (const file of foreignRefused) {
      const store = join(above, file)
      await (await startNode({ app, store })).stop()
      rmSync(join(store, file), { force: true })
      writeFileSync(join(store, file), '{}')
      chownSync(join(store, file), nobody, nobody)
      const error: unknown = await startNode({ app, store }).catch((thrown: unknown) => thrown)
      expect(error, file).to.have.property('code', 'store-not-writable')
      expect(existsSync(join(store, file))).to.equal(true)
    }
  })

  asAdministrator('of the owner of the folder are its own, whoever looks at them', async () => {
    await (await startNode({ app, store: folder })).stop()
    for (const place of [folder, ...readdirSync(folder).map((file) => join(folder, file))])
      chownSync(place, nobody, nobody)
    const node = await startNode({ app, store: folder })
    await node.stop()
  })
})
