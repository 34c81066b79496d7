import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { startNode, type CarillonError, type Node } from '../../src/index.js'
import { digestViews } from '../../src/storage/digest.js'
import { foldLog, verifyLog } from '../../src/entries/logs.js'
import { messageOf } from '../../src/errors/CarillonError.js'
import { VirtualClock, VirtualNode } from '../../src/testing/index.js'
import { instant } from '../../src/time/Instant.js'
import { bank, bankWith, Coin, MintCoin } from './bank.js'
import { HeldCommits } from './HeldCommits.js'
import { smallDisks, type SmallDisk } from './smallDisk.js'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** So many coins at once fill several ticks, each large enough to be handed over. */
const many = 1_500

const mint = (node: Node, count: number, first = 0): readonly Promise<number>[] =>
  Array.from({ length: count }, (_, index) => node.run(MintCoin, { value: first + index }))

const agreeWithLog = async (node: Node): Promise<void> => {
  expect((await verifyLog(node.readLog())).problems).to.deep.equal([])
  const folded = await foldLog(node.readLog())
  expect(digestViews(folded)).to.equal(await node.viewsDigest())
  folded.close()
}

describe('a tick that is on its way to the disk', () => {
  let store: HeldCommits
  let virtual: VirtualNode
  let asked: number
  let MintAsked: ReturnType<typeof bankWith>['MintAsked']
  beforeEach(async () => {
    store = new HeldCommits()
    asked = 0
    const made = bankWith(() => {
      asked += 1
      return Promise.resolve(7)
    })
    MintAsked = made.MintAsked
    virtual = await VirtualNode.start({ app: made.app, store })
    store.isHolding = true
  })
  afterEach(async () => {
    store.isHolding = false
    store.commitPending()
    await virtual.stop()
  })

  it('answers nobody, tells no follower and begins no step until it is committed', async () => {
    const heard: number[] = []
    virtual.node.follow(({ firstRevision }) => heard.push(firstRevision))
    let isAnswered = false
    const started = virtual.node.start(MintAsked, {}).then(() => (isAnswered = true))
    for (let turns = 0; turns < 5; turns++) await turn()
    expect({ isAnswered, heard: heard.length, asked }).to.deep.equal({ isAnswered: false, heard: 0, asked: 0 })
    store.commitPending()
    await started
    expect({ heard: heard.length, asked }).to.deep.equal({ heard: 1, asked: 1 })
  })

  it('lets the next one be decided, and both are released in the order of the log', async () => {
    const released: string[] = []
    virtual.node.follow(({ firstRevision }) => released.push(`told ${firstRevision}`))
    const first = virtual.node.start(MintCoin, { value: 1 }).then(() => released.push('answered 1'))
    await turn()
    await turn()
    const second = virtual.node.start(MintCoin, { value: 2 }).then(() => released.push('answered 2'))
    for (let turns = 0; turns < 5; turns++) await turn()
    expect(store.waited, 'the second is handed over once the first is committed, for which it waits').to.equal(1)
    await first
    expect(released.filter((what) => what.startsWith('answered'))).to.deep.equal(['answered 1'])
    store.commitPending()
    await second
    expect(released.map((what) => what.split(' ')[0])).to.deep.equal(['told', 'answered', 'told', 'answered'])
  })

  it('answers nobody who only hears of it, until it is committed', async () => {
    const answered: string[] = []
    const ask = (who: string) =>
      virtual.node.start(MintCoin, { value: 1 }, { clientId: 'same' }).then(() => answered.push(who))
    const first = ask('the first')
    await turn()
    await turn()
    const second = ask('who asks again')
    for (let turns = 0; turns < 5; turns++) await turn()
    expect(store.waited, 'what is only pending cannot be told, so it is waited for').to.equal(1)
    await Promise.all([first, second])
    expect(answered).to.deep.equal(['the first', 'who asks again'])
  })

  it('leaves nobody waiting for silence when the store breaks while the next one is about to begin', async () => {
    const first = virtual.node.start(MintCoin, { value: 1 }).catch(messageOf)
    await turn()
    await turn()
    const second = virtual.node.start(MintCoin, { value: 2 }).catch(messageOf)
    store.breaksLanding = new Error('the disk is gone')
    store.commitPending()
    expect(virtual.node.isBusy).to.equal(true)
    await virtual.node.idle({ steps: false })
    expect(virtual.node.isBusy).to.equal(false)
    expect(await first).to.include('the disk is gone')
    expect(await second).to.include('the disk is gone')
  })

  it('fails whoever waits for it when the store breaks while it is committed', async () => {
    const started = virtual.node.start(MintCoin, { value: 1 }).then(
      () => 'answered',
      (error: unknown) => messageOf(error),
    )
    await turn()
    await turn()
    store.breaksLanding = new Error('the disk is gone')
    store.commitPending()
    expect(await started).to.contain('the disk is gone')
  })

  it('is released when it is committed, though the store breaks at the tick after it', async () => {
    const first = virtual.node.start(MintCoin, { value: 1 }).then(() => 'answered')
    await turn()
    await turn()
    store.breaksHandOver = new Error('the disk is gone')
    const second = virtual.node.start(MintCoin, { value: 2 }).then(
      () => 'answered',
      (error: unknown) => messageOf(error),
    )
    expect(await first).to.equal('answered')
    expect(await second).to.contain('the disk is gone')
  })

  it('is in the snapshot of whoever begins to follow the vault, or in an update, and never in both', async () => {
    const started = virtual.node.start(MintCoin, { value: 1 })
    await turn()
    await turn()
    const updated: number[] = []
    const { first, revision } = await virtual.node.track({ type: Coin.type }, ({ produced }) =>
      updated.push(produced.length),
    )
    store.commitPending()
    await started
    expect({ snapshot: first.items.length, updated }).to.deep.equal({ snapshot: 1, updated: [] })
    expect(revision, 'the snapshot names the revision it shows').to.equal(virtual.node.head.revision)
    store.isHolding = false
    await virtual.node.run(MintCoin, { value: 2 })
    expect(updated).to.deep.equal([1])
  })

  it('counts as work under way, so a node with one is not idle', async () => {
    const started = virtual.node.start(MintCoin, { value: 1 })
    await turn()
    await turn()
    let isIdle = false
    const idle = virtual.node.idle().then(() => (isIdle = true))
    for (let turns = 0; turns < 3; turns++) await turn()
    expect(isIdle).to.equal(false)
    store.commitPending()
    await Promise.all([started, idle])
  })

  it('is committed by a stop, and whoever waits for it hears so', async () => {
    const started = virtual.node.start(MintCoin, { value: 1 })
    await turn()
    await turn()
    store.isHolding = false
    await virtual.node.stop()
    expect((await started).id).to.be.a('string')
    // The stop signs the head that it follows, and that is the tick that was pending.
    expect((await verifyLog(store.read(0))).problems).to.deep.equal([])
  })
})

describe('large ticks on a real disk', () => {
  let folder = ''
  let node: Node | undefined
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'carillon-large-'))
  })
  afterEach(async () => {
    await node?.crash()
    node = undefined
    rmSync(folder, { recursive: true, force: true })
  })

  const start = async (): Promise<Node> => {
    node = await startNode({ app: bank, store: folder })
    return node
  }

  it('leave the same log and the same views as small ones, and a crash in the middle loses nothing that was answered', async () => {
    const running = await start()
    await Promise.all(mint(running, many))
    await agreeWithLog(running)
    const answered: number[] = []
    const minting = mint(running, many, many).map((coin) =>
      coin.then(
        (value) => answered.push(value),
        () => undefined,
      ),
    )
    while (answered.length === 0) await turn()
    await running.crash()
    await Promise.all(minting)
    const again = await start()
    await again.idle()
    const kept = new Set<unknown>()
    let after: string | undefined
    do {
      const page = await again.queryVault({ type: Coin.type, limit: 1_000, ...(after === undefined ? {} : { after }) })
      for (const { data } of page.items) kept.add((data as { readonly value: unknown }).value)
      after = page.next
    } while (after !== undefined)
    expect(answered.filter((value) => !kept.has(value))).to.deep.equal([])
    await agreeWithLog(again)
  })
})

for (const { name, make } of smallDisks)
  describe(`large ticks on a full disk (${name})`, () => {
    let disk: SmallDisk
    let node: Node | undefined
    const clock = new VirtualClock(instant('2026-01-01T00:00:00.000Z'))
    // Not known as virtual, or no thread would be used.
    const { now, wakeAt } = clock
    beforeEach(() => {
      disk = make()
    })
    afterEach(async () => {
      disk.free()
      await node?.crash()
      node = undefined
      disk.remove()
    })

    it('are told to callers, leave nothing half done, and the node goes on by itself', async () => {
      const failures: Error[] = []
      node = await startNode({
        app: bank,
        store: join(disk.folder, 'store'),
        clock: { now, wakeAt },
        onFailure: (error) => failures.push(error),
      })
      const batch = 150
      // Two, since the first only starts the thread that carries out the second.
      await Promise.all(mint(node, batch))
      await Promise.all(mint(node, batch, batch))
      const head = node.head
      const digest = await node.viewsDigest()
      disk.fill()
      const minting = Promise.allSettled(mint(node, 5 * batch, 2 * batch))
      // What no tick has taken waits for the next try.
      const moving = setInterval(() => {
        clock.setTo(clock.now() + 1_000)
      }, 1)
      const outcomes = await minting.finally(() => {
        clearInterval(moving)
      })
      const codes = outcomes.map((outcome) =>
        outcome.status === 'rejected' ? (outcome.reason as CarillonError).code : 'kept',
      )
      expect([...new Set(codes)]).to.deep.equal(['disk-full'])
      expect(node.head).to.deep.equal(head)
      expect(await node.viewsDigest()).to.equal(digest)
      disk.free()
      clock.setTo(clock.now() + 1_000)
      expect(await Promise.all(mint(node, 3, 1_000))).to.deep.equal([1_000, 1_001, 1_002])
      expect(failures).to.deep.equal([])
      await agreeWithLog(node)
    })
  })
