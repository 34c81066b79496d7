/**
 * Starting is one durable fact: a crash on either side of it neither loses the start nor doubles it, and of two
 * copies of a node only one can state it.
 */
import { expect } from 'chai'
import { CarillonError, instant, plus, startNode, type Node } from '../../src/index.js'
import { LogBackedStore, MemoryLog } from '../../src/entries/logs.js'
import { sha256 } from '../../src/encoding/hash.js'
import { digestViews } from '../../src/storage/digest.js'
import { keyPairFromSeed, seededRandom, VirtualClock } from '../../src/testing/index.js'
import { bell, bells } from './fixtures/bells.js'
import { FaultyStore, type Fault } from './fixtures/FaultyStore.js'
import { castInput, Tower } from './fixtures/Tower.js'

const mark = instant('2026-01-01T00:00:00.000Z')
const due = plus(mark, { days: 1 })

describe('a crash around the start of an activity', () => {
  const faults: readonly Fault[] = ['before the commit', 'after the commit']
  const manners = ['strike', 'swing', 'daily'] as const

  for (const fault of faults) {
    for (const manner of manners) {
      it(`[SCH-N12] ${fault} of the starting tick leaves exactly one start (${manner})`, async () => {
        const store = new FaultyStore()
        const tower = await Tower.build({ store })
        const ref = await tower.castOne(bell('rung', { at: due, manner }))
        store.failAt('FlowStarted', fault)
        await tower.virtual.advanceTo(due)
        expect(tower.virtual.failure).to.be.instanceOf(CarillonError)
        expect((await tower.rung()).length).to.equal(fault === 'before the commit' ? 0 : 1)

        await tower.startAgain()
        await tower.virtual.advanceBy({ hours: 2 })
        const starts = await tower.starts()
        expect(starts.map(({ name, attempt, due: at }) => ({ name, attempt, at }))).to.deep.equal([
          { name: 'rung', attempt: 1, at: due },
        ])
        expect(await tower.outcomes(ref)).to.deep.equal(['completed'])
        await tower.check()
      })
    }
  }

  it('[SCH-N12] gives the start that is made after the crash the id that the lost one would have had', async () => {
    const idOfStart = async (crashes: boolean): Promise<string> => {
      const store = new FaultyStore()
      const tower = await Tower.build({ store })
      await tower.castOne(bell('rung', { at: due }))
      if (crashes) {
        store.failAt('FlowStarted', 'before the commit')
        await tower.virtual.advanceTo(due)
        await tower.startAgain()
      }
      await tower.virtual.advanceTo(plus(due, { hours: 1 }))
      return (await tower.starts())[0]!.flow
    }
    expect(await idOfStart(true)).to.equal(await idOfStart(false))
  })

  it('[SCH-N12] while attempts are opened again after a restart opens each of them, once', async () => {
    const store = new FaultyStore()
    const tower = await Tower.build({ store })
    const refs = await tower.cast(
      bell('a', { at: due, manner: 'keep' }),
      bell('b', { at: due, manner: 'keep' }),
      bell('c', { at: due, manner: 'keep' }),
    )
    await tower.virtual.advanceTo(due)
    await tower.virtual.stop()
    store.failAt('FlowStarted', 'before the commit')
    await tower.startAgain()
    await tower.virtual.runUntilQuiet()
    expect(tower.virtual.failure).to.be.instanceOf(CarillonError)
    await tower.startAgain()
    for (const ref of refs) expect(await tower.outcomes(ref)).to.deep.equal(['completed', 'completed'])
    await tower.check()
  })
})

describe('two copies of one node', () => {
  const key = keyPairFromSeed(sha256('twin'))
  const { app } = bells()
  let log: MemoryLog
  let clock: VirtualClock
  const running: Node[] = []

  beforeEach(() => {
    log = new MemoryLog()
    clock = new VirtualClock(mark)
    running.length = 0
  })

  const open = (): Promise<LogBackedStore> => LogBackedStore.open(log)
  const start = async (store: LogBackedStore, onFailure: (error: Error) => void = () => {}): Promise<Node> => {
    const node = await startNode({ app, store, clock, key, random: seededRandom('twin'), onFailure })
    running.push(node)
    return node
  }
  const cast = async (node: Node): Promise<void> => {
    const input = castInput([bell('rung', { at: due })])
    await (await node.startByName('bells/Cast', input)).result()
  }
  const startsInLog = async (): Promise<number> => {
    let starts = 0
    for await (const { events } of log.read(0))
      starts += events.filter((line) => line.includes('"kind":"activity"') && line.includes('"FlowStarted"')).length
    return starts
  }
  const reach = async (): Promise<void> => {
    clock.setTo(Date.parse(due))
    await new Promise((resolve) => setImmediate(resolve))
    for (const node of running) await node.idle()
  }
  /** The log holds one start, and gives the views that the surviving node has. */
  const assertSound = async (survivor: Node): Promise<void> => {
    const rebuilt = await open()
    expect(digestViews(rebuilt.reader)).to.equal(await survivor.viewsDigest())
    expect(await startsInLog()).to.equal(1)
  }

  it('[SCH-N13] the one that opened the log before the other appended to it is refused when it starts', async () => {
    const [one, two] = [await open(), await open()]
    const first = await start(one)
    await cast(first)
    const refused = await start(two).then(
      () => 'started',
      (error: unknown) => (error instanceof CarillonError ? error.code : String(error)),
    )
    expect(refused).to.equal('log-revision-conflict')
    await reach()
    await assertSound(first)
    expect((await first.flows({ name: 'bells/Ring' })).items.map(({ status }) => status)).to.deep.equal(['completed'])
  })

  it('[SCH-N13] the older one steps down at its next tick, and what is due is started once', async () => {
    const failures: Error[] = []
    const first = await start(await open(), (error) => failures.push(error))
    await cast(first)
    const second = await start(await open())
    await reach()
    await assertSound(second)
    expect(failures.map((error) => (error instanceof CarillonError ? error.code : error.message))).to.deep.equal([
      'log-revision-conflict',
    ])
    expect((await second.flows({ name: 'bells/Ring' })).items.map(({ status }) => status)).to.deep.equal(['completed'])
    const refused = await cast(first).then(
      () => 'started',
      (error: unknown) => (error instanceof CarillonError ? error.code : String(error)),
    )
    expect(refused).to.equal('log-revision-conflict')
  })
})
