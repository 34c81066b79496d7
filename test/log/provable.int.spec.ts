import { expect } from 'chai'
import * as fc from 'fast-check'
import {
  checkProof,
  EmbeddedStore,
  newestSignedHead,
  proveEvent,
  readSignedHead,
  startNode,
  verifyLog,
  type CarillonError,
  type EncodedTick,
  type KeyPair,
  type LogProblem,
  type Checkpoint,
} from '../../src/index.js'
import { canonicalText } from '../../src/encoding/canonical.js'
import { sha256 } from '../../src/encoding/hash.js'
import { headAfter } from '../../src/log/Tick.js'
import { MemoryLog } from '../../src/log/memory/MemoryLog.js'
import { keyPairFromSeed, VirtualNode } from '../../src/testing/index.js'
import { bank, MintCoin } from '../store/bank.js'

async function* each<A>(items: readonly A[]): AsyncGenerator<A> {
  for (const item of items) yield await Promise.resolve(item)
}

const codeOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work
  } catch (error) {
    return (error as CarillonError).code
  }
  throw new Error('expected a failure')
}

/** Another log of a node with this key. */
const historyOf = async (key: KeyPair, coins: number): Promise<readonly EncodedTick[]> => {
  const store = EmbeddedStore.inMemory()
  const node = await startNode({ app: bank, key, store })
  for (let value = 1; value <= coins; value++) await node.run(MintCoin, { value })
  await node.stop()
  const found: EncodedTick[] = []
  for await (const tick of store.read(0)) found.push(tick)
  await store.close()
  return found
}

describe('a history that can be proven', () => {
  let virtual: VirtualNode
  let ticks: readonly EncodedTick[]
  let log: MemoryLog

  before(async () => {
    virtual = await VirtualNode.start({ app: bank })
    for (let round = 0; round < 3; round++) {
      for (const value of [10, 20, 30]) await virtual.node.run(MintCoin, { value })
      await Promise.all([40, 50].map((value) => virtual.node.run(MintCoin, { value })))
      await virtual.stop()
      await virtual.restart()
    }
    await virtual.stop()
    const found: EncodedTick[] = []
    for await (const tick of virtual.store.read(0)) found.push(tick)
    ticks = found
    log = new MemoryLog()
    for (const tick of ticks) await log.append(log.headNow, tick)
  })
  after(() => virtual.store.close())

  const first = async (altered: readonly EncodedTick[], heads: readonly Checkpoint[] = []): Promise<LogProblem> => {
    const { problems } = await verifyLog(each(altered), { heads })
    expect(problems).to.not.have.length(0)
    return problems[0]!
  }
  const newest = async (): Promise<Checkpoint> => (await newestSignedHead(log))!
  const longTick = (): number => ticks.findIndex(({ events }) => events.length > 4)

  describe('verifyLog', () => {
    it('tells an altered event by the tick it stands in', async () => {
      const at = longTick()
      const tick = ticks[at]!
      const changed = { ...tick, events: tick.events.with(1, tick.events[1]!.replace('"', '" ')) }
      expect(await first(ticks.with(at, changed))).to.include({
        kind: 'altered',
        revision: tick.firstRevision,
        untilRevision: headAfter(tick).revision,
      })
    })

    it('tells events that are missing, from within a tick or with their ticks', async () => {
      const at = longTick()
      const tick = ticks[at]!
      const cut = ticks.with(at, { ...tick, events: tick.events.toSpliced(1, 1) })
      expect(await first(cut)).to.include({ kind: 'missing', revision: tick.firstRevision })
      const dropped = await first(ticks.toSpliced(at, 2))
      expect(dropped).to.include({
        kind: 'missing',
        revision: tick.firstRevision,
        untilRevision: headAfter(ticks[at + 1]!).revision,
      })
    })

    it('tells what was reordered: two events of a tick, or two ticks', async () => {
      const at = longTick()
      const tick = ticks[at]!
      const [one, other] = [tick.events[1]!, tick.events[3]!]
      const swapped = { ...tick, events: tick.events.with(1, other).with(3, one) }
      expect(await first(ticks.with(at, swapped))).to.deep.include({
        kind: 'reordered',
        revision: tick.firstRevision + 1,
        untilRevision: tick.firstRevision + 3,
      })
      const ticksSwapped = ticks.with(2, ticks[3]!).with(3, ticks[2]!)
      expect(await first(ticksSwapped)).to.include({ kind: 'reordered', revision: ticks[2]!.firstRevision })
      // As in a table whose rows keep their numbers while their contents are exchanged.
      const contents = ticks.with(2, { ...ticks[3]!, number: 3 }).with(3, { ...ticks[2]!, number: 4 })
      expect(await first(contents)).to.include({ kind: 'reordered', revision: ticks[2]!.firstRevision })
    })

    it('finds an end that was cut off, against a signed head kept elsewhere', async () => {
      const head = await newest()
      const cut = ticks.slice(0, -3)
      expect((await verifyLog(each(cut))).problems, 'without the head nothing shows').to.deep.equal([])
      const { kind, revision, what } = await first(cut, [head])
      expect({ kind, revision }).to.deep.equal({ kind: 'cut-off', revision: headAfter(cut.at(-1)!).revision + 1 })
      expect(what).to.include(`${revision} to ${head.revision} are cut off`)
      expect((await verifyLog(each(ticks), { heads: [head] })).problems).to.deep.equal([])
    })

    it('finds another history of the same node, whoever signs it, against a signed head', async () => {
      const found = await historyOf(virtual.key, 40)
      expect((await verifyLog(each(found))).problems).to.deep.equal([])
      expect((await first(found, [await newest()])).kind).to.equal('altered')
    })

    it('takes only heads that this node has signed', async () => {
      const strangers = new MemoryLog()
      for (const tick of await historyOf(keyPairFromSeed(sha256('a stranger')), 1))
        await strangers.append(strangers.headNow, tick)
      const head = (await newestSignedHead(strangers))!
      expect(await first(ticks, [head])).to.include({ kind: 'forged' })
      expect(await first(ticks, [{ ...(await newest()), revision: 3 }])).to.include({ kind: 'forged' })
      expect(await first(ticks.slice(0, 2), [{ ...(await newest()), revision: 3_000 }])).to.include({ kind: 'forged' })
    })
  })

  describe('a signed head', () => {
    it('is the newest the log holds, and covers everything before its own tick', async () => {
      const head = await newest()
      expect(head.tick).to.equal(ticks.length - 1)
      expect(head.head).to.equal(ticks.at(-2)!.hash)
      expect(await newestSignedHead(new MemoryLog())).to.equal(undefined)
    })

    it('is read from outside only when it is one', async () => {
      const head = await newest()
      expect(readSignedHead(JSON.parse(canonicalText(head)))).to.deep.equal(head)
      for (const value of [null, {}, { ...head, range: head.head }, { ...head, by: 'me' }])
        expect(() => readSignedHead(value))
          .to.throw()
          .with.property('code', 'head-invalid')
    })
  })

  describe('an inclusion proof', () => {
    const last = (): number => headAfter(ticks.at(-2)!).revision

    it('holds for every event that a signed head covers, without the log', async () => {
      const revisions = ticks.slice(0, -1).flatMap((tick) => tick.events.map((_, index) => tick.firstRevision + index))
      for (const revision of revisions) {
        const proof = JSON.parse(JSON.stringify(await proveEvent(log.read(0), revision))) as unknown
        const proven = checkProof(proof, { by: virtual.key.publicKey })
        const tick = ticks.find(({ number }) => number === proven.tick)!
        expect(proven.text).to.equal(tick.events[revision - tick.firstRevision])
        expect(canonicalText(proven.event)).to.equal(proven.text)
        expect(proven.at).to.equal(tick.at)
      }
    })

    it('leads to the head that is asked for', async () => {
      const head = await newest()
      const proof = await proveEvent(log.read(0), 0, { head })
      expect(proof.head).to.deep.equal(head)
      expect(checkProof(proof).head).to.deep.equal(head)
      const early = (await proveEvent(log.read(0), 0)).head
      expect(early.revision).to.be.lessThan(head.revision)
      expect(await codeOf(proveEvent(log.read(0), last(), { head: early }))).to.equal('head-unsigned')
    })

    it('cannot be had for what no head covers yet, or what is not there', async () => {
      expect(await codeOf(proveEvent(log.read(0), last() + 1))).to.equal('head-unsigned')
      expect(await codeOf(proveEvent(log.read(0), 100_000))).to.equal('revision-unknown')
      expect(await codeOf(proveEvent(each([]), 0))).to.equal('revision-unknown')
    })

    it('no longer holds when anything in it is changed', async () => {
      const proof = JSON.parse(JSON.stringify(await proveEvent(log.read(0), 9))) as Record<string, never>
      const places: (readonly string[])[] = []
      const gather = (value: unknown, path: readonly string[]): void => {
        if (typeof value === 'object' && value !== null)
          for (const [key, member] of Object.entries(value)) gather(member, [...path, key])
        else places.push(path)
      }
      gather(proof, [])
      const change = (value: unknown): unknown =>
        typeof value === 'number' ? value + 1 : String(value).replace(/[0-9a-zA-Z]/, (c) => (c === '0' ? '1' : '0'))
      const changed = (path: readonly string[]): unknown => {
        const copy = structuredClone(proof) as Record<string, unknown>
        const holder = path.slice(0, -1).reduce((here, key) => here[key] as Record<string, unknown>, copy)
        holder[path.at(-1)!] = change(holder[path.at(-1)!])
        return copy
      }
      for (const path of places) {
        // Another revision of the same tick is proven just as well; it is then another event that is shown.
        if (path.join('.') === 'revision') continue
        expect(() => checkProof(changed(path)), path.join('.')).to.throw()
      }
      expect(checkProof(proof).revision).to.equal(9)
    })

    it('is refused when someone else has signed it, or when it is no proof', async () => {
      const proof = await proveEvent(log.read(0), 9)
      const stranger = keyPairFromSeed(sha256('a stranger')).publicKey
      expect(() => checkProof(proof, { by: stranger }))
        .to.throw(/signed by .*, not by/)
        .with.property('code', 'proof-invalid')
      expect(() => checkProof({ ...proof, format: 2 }))
        .to.throw()
        .with.property('code', 'log-too-new')
      fc.assert(
        fc.property(fc.jsonValue(), (value) => {
          expect(() => checkProof(value))
            .to.throw()
            .with.property('code', 'proof-invalid')
        }),
        { numRuns: 50 },
      )
    })

    it('stays short: the way up grows with the logarithm of the log', async () => {
      const { path } = await proveEvent(log.read(0), 0, { head: await newest() })
      expect(path.length).to.be.at.most(Math.ceil(Math.log2(ticks.length)))
    })
  })
})
