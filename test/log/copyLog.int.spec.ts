import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { startNode, CarillonError } from '../../src/index.js'
import {
  copyLog,
  exportLog,
  importInto,
  MemoryLog,
  SqliteLog,
  type EncodedTick,
  type EventLog,
} from '../../src/entries/logs.js'
import { headAfter } from '../../src/log/Tick.js'
import { makeStore } from '../../src/history/importLog.js'
import { offeredByLog } from '../../src/history/copyLog.js'
import { PostgresLog } from '../../src/logs/postgres/PostgresLog.js'
import { VirtualNode } from '../../src/testing/index.js'
import { dropSchema, freshSchema, postgresUrl } from '../postgres/testDatabase.js'
import { bank, Coin, MintCoin } from '../store/bank.js'

const failureOf = async (work: Promise<unknown>): Promise<CarillonError> => {
  try {
    await work
  } catch (error) {
    return error as CarillonError
  }
  throw new Error('expected a failure')
}

const linesOf = async (log: Pick<EventLog, 'read'>): Promise<readonly string[]> => {
  const lines: string[] = []
  await exportLog(log.read(0), (line) => void lines.push(line))
  return lines
}

async function* each<A>(items: readonly A[]): AsyncGenerator<A> {
  for (const item of items) yield await Promise.resolve(item)
}

const filled = async (ticks: readonly EncodedTick[]): Promise<MemoryLog> => {
  const log = new MemoryLog()
  for (const tick of ticks) await log.append(log.headNow, tick)
  return log
}

describe('copying a log', () => {
  let scratch: string
  let virtual: VirtualNode
  let ticks: readonly EncodedTick[]
  let source: MemoryLog
  let lines: readonly string[]

  before(async () => {
    virtual = await VirtualNode.start({ app: bank })
    for (const value of [10, 20, 30]) await virtual.node.run(MintCoin, { value })
    await virtual.stop()
    const found: EncodedTick[] = []
    for await (const tick of virtual.store.read(0)) found.push(tick)
    ticks = found
    source = await filled(ticks)
    lines = await linesOf(source)
  })
  after(() => virtual.store.close())
  beforeEach(() => {
    scratch = mkdtempSync(join(tmpdir(), 'carillon-copy-'))
  })
  afterEach(() => {
    rmSync(scratch, { recursive: true })
  })

  it('gives the same bytes and the same head on every adapter, there and back, copied or imported', async function () {
    const url = await postgresUrl()
    const [copied, filledSchema] = [freshSchema(), freshSchema()]
    const sqlite = SqliteLog.open(join(scratch, 'log.db'))
    const postgres = await PostgresLog.open({ url, schema: copied })
    const back = new MemoryLog()
    expect(await copyLog(source, sqlite)).to.deep.equal(source.headNow)
    expect(await copyLog(sqlite, postgres)).to.deep.equal(source.headNow)
    expect(await copyLog(postgres, back)).to.deep.equal(source.headNow)
    for (const log of [sqlite, postgres, back]) expect(await linesOf(log)).to.deep.equal(lines)
    const imported = await PostgresLog.open({ url, schema: filledSchema })
    expect(await importInto(each(lines), imported)).to.deep.equal(source.headNow)
    expect(await linesOf(imported)).to.deep.equal(lines)
    await Promise.all([sqlite.close(), postgres.close(), imported.close()])
    for (const schema of [copied, filledSchema]) await dropSchema(url, schema)
  })

  it('moves a node: from its store onto a server, and back into a store', async function () {
    const url = await postgresUrl()
    const schema = freshSchema()
    const folder = join(scratch, 'node')
    const { key } = virtual
    const first = await startNode({ app: bank, store: folder, key })
    await first.run(MintCoin, { value: 1 })
    await first.stop()
    const embedded = SqliteLog.openReadOnly(join(folder, 'carillon.db'))
    const postgres = await PostgresLog.open({ url, schema })
    await copyLog(embedded, postgres)
    await embedded.close()

    const second = await startNode({ app: bank, store: folder, log: postgres, key })
    await second.run(MintCoin, { value: 2 })
    await second.stop()

    const restored = join(scratch, 'restored')
    expect((await makeStore(offeredByLog(postgres), restored)).revision).to.equal(second.head.revision)
    await postgres.close()
    const third = await startNode({ app: bank, store: restored, key })
    expect((await third.states(Coin)).map(({ data }) => data.value)).to.deep.equal([1, 2])
    await third.stop()
    await dropSchema(url, schema)
  })

  it('goes on with a copy that was interrupted', async () => {
    const half = await filled(ticks.slice(0, 3))
    const seen: number[] = []
    expect(await copyLog(source, half, { onCopied: (events) => void seen.push(events) })).to.deep.equal(source.headNow)
    expect(await linesOf(half)).to.deep.equal(lines)
    expect(seen.at(-1)).to.equal(source.headNow.revision + 1)
    expect(await copyLog(source, half), 'once more').to.deep.equal(source.headNow)
    expect(await importInto(each(lines), half)).to.deep.equal(source.headNow)
  })

  it('refuses a log that holds something else, or more', async () => {
    const other = await VirtualNode.start({ app: bank, seed: 'another' })
    await other.stop()
    const foreign: EncodedTick[] = []
    for await (const tick of other.store.read(0)) foreign.push(tick)
    await other.store.close()
    expect((await failureOf(copyLog(source, await filled(foreign)))).code).to.equal('log-not-empty')
    expect((await failureOf(copyLog(await filled(ticks.slice(0, 2)), await filled(ticks)))).code).to.equal(
      'log-not-empty',
    )
  })

  it('takes nothing from where the log is not sound', async () => {
    const altered = ticks.with(2, { ...ticks[2]!, events: ticks[2]!.events.toReversed() })
    const to = new MemoryLog()
    const failure = await failureOf(copyLog(await filled(altered), to))
    expect(failure.code).to.equal('log-altered')
    expect(failure.details['revision']).to.equal(ticks[2]!.firstRevision)
    expect(to.headNow).to.deep.equal(headAfter(ticks[1]!))
  })

  it('finds out when a node goes on writing to the log meanwhile', async () => {
    const moving: Pick<EventLog, 'head' | 'read'> = {
      head: () => Promise.resolve(source.headNow),
      read: () => each(ticks.slice(0, -1)),
    }
    const failure = await failureOf(copyLog(moving, new MemoryLog()))
    expect(failure.code).to.equal('log-revision-conflict')
    expect(failure.message).to.include('Stop the node')
  })

  it('reads back whether a lost acknowledgement meant yes', async () => {
    const target = new MemoryLog()
    const forgetful: EventLog = {
      head: target.head,
      read: (from) => target.read(from),
      follow: (from, signal) => target.follow(from, signal),
      close: target.close,
      append: async (expected, tick) => {
        await target.append(expected, tick)
        return { kind: 'unknown', error: new CarillonError('log-unreachable', 'the line went dead') }
      },
    }
    expect(await copyLog(source, forgetful)).to.deep.equal(source.headNow)
    const deaf: EventLog = {
      ...forgetful,
      head: () => new MemoryLog().head(),
      append: () =>
        Promise.resolve({ kind: 'unknown', error: new CarillonError('log-unreachable', 'the line went dead') }),
    }
    expect((await failureOf(copyLog(source, deaf))).message).to.equal('the line went dead')
  })
})
