import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import * as t from 'io-ts'
import { some } from 'fp-ts/lib/Option.js'
import {
  defineApp,
  defineCommand,
  defineFlow,
  defineState,
  instant,
  InstantC,
  IntegerC,
  PartyC,
  startNode,
  type CarillonError,
  type FlowBody,
  type Node,
} from '../../src/index.js'
import { backupStore, restoreStore } from '../../src/entries/backup.js'
import { rebuildViews, SqliteLog } from '../../src/entries/logs.js'
import type { NodeOptions } from '../../src/entries/types.js'
import { operateOffline } from '../../src/folder/OfflineOperator.js'
import { openStoreFolder, storeFiles } from '../../src/folder/StoreFolder.js'
import { storageLimits, type StorageLimits } from '../../src/storage/limits.js'
import { openDatabase } from '../../src/storage/sqlite/openDatabase.js'
import { notesHeaderBytes, pageNotesFile } from '../../src/storage/sqlite/pageNotes.js'
import { VirtualClock } from '../../src/testing/index.js'

const start = instant('2026-01-01T00:00:00.000Z')
const later = instant('2027-01-01T00:00:00.000Z')

/** States with a key, an indexed field and an activity, some consumed, and flows that sleep: rows in most tables. */
const Note = defineState({
  type: 'pages/Note',
  data: t.strict({ owner: PartyC, number: IntegerC, text: t.string, at: InstantC }),
  participants: ({ owner }) => [owner],
  key: ({ number }) => `note-${number}`,
  indexed: { number: ({ number }) => number },
  nextScheduledActivity: ({ at, number }) => some(Nap.at(at, { number })),
})
const Do = defineCommand({ type: 'pages/Do' })
const Nap = defineFlow({
  name: 'pages/Nap',
  schedulable: true,
  input: t.strict({ number: IntegerC }),
  *run(io): FlowBody<null> {
    yield* io.step('look', () => Promise.resolve('x'.repeat(50)))
    yield* io.sleep({ days: 400 })
    return null
  },
})
const Write = defineFlow({
  name: 'pages/Write',
  input: t.strict({ from: IntegerC, count: IntegerC, bytes: IntegerC }),
  *run(io, { from, count, bytes }): FlowBody<null> {
    for (let number = from; number < from + count; number++)
      yield* io.finalise((tx) =>
        tx.produce(Note, { owner: io.me, number, text: 'n'.repeat(bytes), at: later }).command(Do, [io.me]),
      )
    return null
  },
})
const app = defineApp({ name: 'pages', states: [Note], flows: [Nap, Write] })

/** Numbers that depend on nothing but a seed. */
const randomOf =
  (seed: number) =>
  (below: number): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((seed / 2 ** 32) * below)
  }

const failureOf = async (work: Promise<unknown>): Promise<CarillonError | undefined> => {
  try {
    await work
    return undefined
  } catch (error) {
    return error as CarillonError
  }
}

describe('a store of which a bit was flipped while no node ran', () => {
  let scratch: string
  let folder: string
  let files: ReturnType<typeof storeFiles>

  let storage: Partial<StorageLimits>

  const begin = (options: Partial<NodeOptions> = {}): Promise<Node> =>
    startNode({ app, store: folder, clock: new VirtualClock(start), limits: { storage }, ...options })

  const write = async (node: Node, from: number, count: number, bytes = 100): Promise<void> => {
    await node.run(Write, { from, count, bytes })
    for (const number of [from, from + 1]) await node.start(Nap, { number })
  }

  const fill = async (): Promise<void> => {
    const node = await begin()
    await write(node, 0, 40)
    await write(node, 100, 5, 9_000)
    await node.stop()
  }

  const flip = (byte: number, bit: number): void => {
    const file = openSync(files.database, 'r+')
    const content = Buffer.alloc(1)
    readSync(file, content, 0, 1, byte)
    content[0] = content[0]! ^ (1 << bit)
    writeSync(file, content, 0, 1, byte)
    closeSync(file)
  }

  /** Where pages of views begin, by SQLite's own account. */
  const viewPages = (): readonly number[] => {
    const db = openDatabase(files.database, { readOnly: true })
    const rows = db
      .prepare("SELECT rootpage AS page FROM sqlite_schema WHERE rootpage > 0 AND tbl_name <> 'log_ticks'")
      .all()
    db.close()
    return rows.map(({ page }) => Number(page))
  }

  beforeEach(() => {
    scratch = mkdtempSync(join(tmpdir(), 'carillon-pages-'))
    folder = join(scratch, 'store')
    storage = {}
    files = storeFiles(folder)
  })
  afterEach(() => {
    rmSync(scratch, { recursive: true, force: true })
  })

  it('is refused, for each of 1,000 flips, and left as it is', async function () {
    this.timeout(120_000)
    await fill()
    const whole = readFileSync(files.database)
    const random = randomOf(20_261_118)
    const unnoticed: string[] = []
    const codes = new Set<string>()
    for (let round = 0; round < 1_000; round++) {
      const [byte, bit] = [random(whole.length), random(8)]
      flip(byte, bit)
      const failure = await failureOf(round % 40 === 0 ? begin() : openStoreFolder(folder))
      if (failure === undefined) unnoticed.push(`byte ${byte}, bit ${bit}`)
      codes.add(failure?.code ?? 'none')
      flip(byte, bit)
    }
    expect(unnoticed).to.deep.equal([])
    expect(
      [...codes].every((code) => /^(store-|log-too)/.test(code)),
      [...codes].join(),
    ).to.equal(true)
    expect(readFileSync(files.database).equals(whole)).to.equal(true)
    await (await begin()).stop()
  })

  it('is repaired by a rebuild where it was a page of the views', async function () {
    this.timeout(60_000)
    await fill()
    for (const [round, page] of viewPages().entries()) {
      flip((page - 1) * 4_096 + 30 + ((round * 997) % 4_000), round % 8)
      const failure = await failureOf(begin())
      expect(failure?.code, `page ${page}`).to.equal('store-corrupt')
      expect(failure?.message).to.include('carillon log rebuild')
      const { after } = await rebuildViews(folder)
      if (round % 8 === 0) expect((await rebuildViews(folder)).before, `page ${page}`).to.equal(after)
    }
    const node = await begin()
    expect((await node.states(Note)).length).to.equal(45)
    await node.stop()
  })

  it('decides nothing but its start when it is large, and stops with the reason', async () => {
    await fill()
    storage = { pagesCheckedAtOnceBytes: 1 }
    const log = async (): Promise<readonly string[]> => {
      const opened = SqliteLog.openReadOnly(files.database)
      const lines: string[] = []
      for await (const { events } of opened.read(0)) lines.push(...events)
      await opened.close()
      return lines
    }
    const before = (await log()).length
    const page = viewPages().find((each) => each > 10)!
    flip((page - 1) * 4_096 + 3_000, 1)
    const failure = await new Promise<Error>((resolve, reject) => {
      begin({ onFailure: resolve }).then((node) => {
        node.run(Write, { from: 500, count: 1, bytes: 10 }).then(
          () => reject(new Error('it has decided')),
          () => undefined,
        )
      }, reject)
    })
    expect((failure as CarillonError).code).to.equal('store-corrupt')
    const decided = (await log()).slice(before)
    expect(decided).to.have.length(1)
    expect(decided[0]).to.include('"type":"NodeStarted"')
  })

  it('does not even start when it is large and what its start depends on is damaged', async () => {
    await fill()
    storage = { pagesCheckedAtOnceBytes: 1 }
    const db = openDatabase(files.database, { readOnly: true })
    const page = Number(db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'node_facts'").get()?.['rootpage'])
    db.close()
    flip(page * 4_096 - 100, 3)
    expect((await failureOf(begin()))?.code).to.equal('store-corrupt')
  })

  it('is not acted on without a node either, when it is large', async () => {
    const node = await begin()
    for (let from = 0; from < 1_200; from += 20) await node.run(Write, { from, count: 20, bytes: 9_000 })
    await node.stop()
    expect(statSync(files.database).size).to.be.greaterThan(storageLimits.pagesCheckedAtOnceBytes)
    await operateOffline(folder, { on: 'draining', action: 'start' }, { by: 'an operator' })
    flip((viewPages().find((each) => each > 10)! - 1) * 4_096 + 3_000, 1)
    const failure = await failureOf(operateOffline(folder, { on: 'draining', action: 'end' }, { by: 'an operator' }))
    expect(failure?.code).to.equal('store-corrupt')
  })

  it('is opened when a kill has left the file of its checksums without a header', async () => {
    await fill()
    const notes = readFileSync(pageNotesFile(files.database))
    writeFileSync(pageNotesFile(files.database), notes.fill(0, 0, notesHeaderBytes))
    const node = await begin()
    expect((await node.states(Note)).length).to.equal(45)
    await node.stop()
  })

  it('is checked beside the work when it is large and nobody has written to its file', async () => {
    await fill()
    storage = { pagesCheckedAtOnceBytes: 1, pagesAlwaysAwaitedBytes: 1 }
    const node = await begin()
    await write(node, 200, 20)
    await node.stop()
    const again = await begin()
    await write(again, 300, 20)
    await again.stop()
  })

  it('is refused after a kill too, when the page is not in the write-ahead log', async () => {
    await fill()
    const node = await begin()
    await node.run(Write, { from: 900, count: 1, bytes: 10 })
    const live = readdirSync(folder).filter((name) => !name.endsWith('.sock'))
    const contents = live.map((name) => [name, readFileSync(join(folder, name))] as const)
    await node.stop()
    const killed = (): void => {
      for (const [name, content] of contents) writeFileSync(join(folder, name), content)
    }
    killed()
    await (await begin()).crash()
    let refused = 0
    const pages = Math.floor(statSync(files.database).size / 4_096)
    for (let page = 2; page <= pages; page++) {
      killed()
      if (page * 4_096 > statSync(files.database).size) continue
      flip(page * 4_096 - 50, 2)
      const failure = await failureOf(openStoreFolder(folder).then(({ releaseHold }) => releaseHold()))
      if (failure !== undefined) refused += 1
    }
    expect(refused).to.be.above(pages / 2)
  })

  it('has the views of the log when it comes out of a backup', async () => {
    await fill()
    const backup = join(scratch, 'backup')
    await backupStore(folder, backup)
    const db = openDatabase(join(backup, 'carillon.db'))
    db.exec("UPDATE states SET text = replace(text, 'n', 'm'), until_revision = NULL")
    db.close()
    const restored = join(scratch, 'restored')
    await restoreStore(backup, restored)
    const views = openDatabase(join(restored, 'carillon.db'), { readOnly: true })
    expect(views.prepare("SELECT count(*) AS n FROM states WHERE text LIKE '%mmm%'").get()?.['n']).to.equal(0)
    views.close()
  })
})

describe('the checksums of pages', () => {
  it('never accuse a sound store, however it was written and ended', async function () {
    this.timeout(120_000)
    const scratch = mkdtempSync(join(tmpdir(), 'carillon-pages-'))
    const folder = join(scratch, 'store')
    try {
      for (let round = 0; round < 9; round++) {
        const node = await startNode({ app, store: folder })
        // Enough for checkpoints of the thread, and for ticks that another thread commits.
        for (let part = 0; part < 14; part++)
          await Promise.all(
            Array.from({ length: 40 }, (_, one) =>
              node.run(Write, { from: round * 100_000 + part * 1_000 + one * 20, count: 4, bytes: 2_000 }),
            ),
          )
        // Without end only if it never comes, which the time every test has ends.
        while (!existsSync(storeFiles(folder).pageNotes)) await new Promise((resolve) => setTimeout(resolve, 5))
        await (round % 3 === 0 ? node.crash() : node.stop())
      }
      const node = await startNode({ app, store: folder })
      expect(node.head.tick).to.be.above(10)
      await node.stop()
    } finally {
      rmSync(scratch, { recursive: true, force: true })
    }
  })
})
