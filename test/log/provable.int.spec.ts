import { expect } from 'chai'
import * as fc from 'fast-check'
import { startNode, type CarillonError } from '../../src/index.js'
import type { KeyPair } from '../../src/entries/keys.js'
import {
  checkProof,
  EmbeddedStore,
  parseCheckpoint,
  proveEvent,
  verifyLog,
  type EncodedTick,
  type LogProblem,
  type Checkpoint,
} from '../../src/entries/logs.js'
import { makeCheckpoint } from '../../src/backup/makeCheckpoint.js'
import { canonicalText } from '../../src/encoding/canonical.js'
import { sha256, type Hash } from '../../src/encoding/hash.js'
import { headAfter, tickAfter } from '../../src/log/Tick.js'
import { MemoryLog } from '../../src/logs/memory/MemoryLog.js'
import { keyPairFromSeed, VirtualNode } from '../../src/testing/index.js'
import { signingWith } from './signing.js'
import { bank, MintCoin } from '../store/bank.js'
import { tickStoreOf } from '../../src/storage/OpenStore.js'

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

type History = { readonly ticks: readonly EncodedTick[]; readonly checkpoint: Checkpoint }

/** Another log of a node with this key. */
const historyOf = async (key: KeyPair, coins: number): Promise<History> => {
  const store = EmbeddedStore.inMemory()
  const node = await startNode({ app: bank, key, store })
  for (let value = 1; value <= coins; value++) await node.run(MintCoin, { value })
  await node.stop()
  const found: EncodedTick[] = []
  for await (const tick of store.read(0)) found.push(tick)
  const checkpoint = makeCheckpoint(store.reader, key)
  await store.close()
  return { ticks: found, checkpoint }
}

describe('a history that can be proven', () => {
  let virtual: VirtualNode
  let ticks: readonly EncodedTick[]
  let log: MemoryLog
  /** One made before the last round, and one at the very end. */
  let early: Checkpoint
  let newest: Checkpoint

  before(async () => {
    virtual = await VirtualNode.start({ app: bank })
    for (let round = 0; round < 3; round++) {
      if (round === 2) early = makeCheckpoint(tickStoreOf(virtual.store).reader, virtual.key)
      for (const value of [10, 20, 30]) await virtual.node.run(MintCoin, { value })
      await Promise.all([40, 50].map((value) => virtual.node.run(MintCoin, { value })))
      await virtual.stop()
      await virtual.restart()
    }
    await virtual.stop()
    newest = makeCheckpoint(tickStoreOf(virtual.store).reader, virtual.key)
    const found: EncodedTick[] = []
    for await (const tick of virtual.store.read(0)) found.push(tick)
    ticks = found
    log = new MemoryLog()
    for (const tick of ticks) await log.append(log.headNow, tick)
  })
  after(() => virtual.store.close())

  const first = async (
    altered: readonly EncodedTick[],
    checkpoints: readonly Checkpoint[] = [],
  ): Promise<LogProblem> => {
    const { problems } = await verifyLog(each(altered), { checkpoints })
    expect(problems).to.not.have.length(0)
    return problems[0]!
  }
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

    it('finds an end that was cut off, against a checkpoint kept elsewhere', async () => {
      const cut = ticks.slice(0, -3)
      expect((await verifyLog(each(cut))).problems, 'without the checkpoint nothing shows').to.deep.equal([])
      const { kind, revision, what } = await first(cut, [newest])
      expect({ kind, revision }).to.deep.equal({ kind: 'cut-off', revision: headAfter(cut.at(-1)!).revision + 1 })
      expect(what).to.include(`${revision} to ${newest.revision} are cut off`)
      expect((await verifyLog(each(ticks), { checkpoints: [newest, early] })).problems).to.deep.equal([])
    })

    it('finds an end that someone else has added, without any checkpoint', async () => {
      const stranger = keyPairFromSeed(sha256('a stranger'))
      const head = headAfter(ticks.at(-1)!)
      const event = canonicalText({ type: 'DrainingStarted', by: 'a stranger' })
      const added = (sign: (hash: Hash) => string) => [...ticks, tickAfter(head, ticks.at(-1)!.at, [event], sign)]
      const revision = head.revision + 1
      expect(await first(added(() => ''))).to.include({ kind: 'forged', revision })
      expect(await first(added(() => ticks[0]!.signature))).to.include({ kind: 'forged', revision })
      expect(await first(added(signingWith(stranger)))).to.include({ kind: 'forged', revision })
      expect((await verifyLog(each(added(signingWith(virtual.key))))).problems).to.deep.equal([])
    })

    it('finds another history of the same node, whoever signs it, against a checkpoint', async () => {
      const { ticks: found } = await historyOf(virtual.key, 40)
      expect((await verifyLog(each(found))).problems).to.deep.equal([])
      expect((await first(found, [newest])).kind).to.equal('altered')
    })

    it('takes only checkpoints that this node has signed', async () => {
      const { checkpoint } = await historyOf(keyPairFromSeed(sha256('a stranger')), 1)
      expect(await first(ticks, [checkpoint])).to.include({ kind: 'forged' })
      expect(await first(ticks, [{ ...newest, revision: 3 }])).to.include({ kind: 'forged' })
      expect(await first(ticks.slice(0, 2), [{ ...newest, revision: 3_000 }])).to.include({ kind: 'forged' })
    })
  })

  describe('a checkpoint', () => {
    it('stands at the end of the log, and is made with the key of the node only', () => {
      expect(newest).to.include({ tick: ticks.length, hash: ticks.at(-1)!.hash, by: virtual.key.publicKey })
      const failing = (make: () => unknown) => expect(make).to.throw().with.property('code', 'head-unsigned')
      failing(() => makeCheckpoint(tickStoreOf(virtual.store).reader, keyPairFromSeed(sha256('a stranger'))))
      failing(() => makeCheckpoint(EmbeddedStore.inMemory().reader, virtual.key))
    })

    it('is read from outside only when it is one', () => {
      expect(parseCheckpoint(JSON.parse(canonicalText(newest)))).to.deep.equal(newest)
      for (const value of [
        null,
        {},
        { ...newest, range: newest.hash },
        { ...newest, by: 'me' },
        { ...newest, network: sha256('another network') },
      ])
        expect(() => parseCheckpoint(value))
          .to.throw()
          .with.property('code', 'head-invalid')
    })
  })

  describe('an inclusion proof', () => {
    const last = (): number => headAfter(ticks.at(-1)!).revision
    const revisions = (): readonly number[] => Array.from({ length: last() + 1 }, (_, revision) => revision)

    it('holds for every event, without the log', async () => {
      for (const revision of revisions()) {
        const proof = JSON.parse(JSON.stringify(await proveEvent(log.read(0), revision))) as unknown
        const proven = checkProof(proof, { by: virtual.key.publicKey })
        const tick = ticks.find(({ number }) => number === proven.tick)!
        expect(proven.text).to.equal(tick.events[revision - tick.firstRevision])
        expect(canonicalText(proven.event)).to.equal(proven.text)
        expect(proven.at).to.equal(tick.at)
        expect(proven.by).to.equal(virtual.key.publicKey)
        expect(proven).to.not.have.property('checkpoint')
      }
    })

    it('leads to the checkpoint that is asked for', async () => {
      for (const revision of revisions()) {
        const proof = await proveEvent(log.read(0), revision, { checkpoint: newest })
        expect(proof.checkpoint).to.deep.equal(newest)
        expect(checkProof(proof).checkpoint).to.deep.equal(newest)
      }
      expect(checkProof(await proveEvent(log.read(0), early.revision, { checkpoint: early })).checkpoint).to.equal(
        early,
      )
      expect(await codeOf(proveEvent(log.read(0), early.revision + 1, { checkpoint: early }))).to.equal('head-invalid')
    })

    it('leads to no checkpoint of another log, and holds with none that it does not lead to', async () => {
      const { checkpoint } = await historyOf(virtual.key, 1)
      expect(await codeOf(proveEvent(log.read(0), 0, { checkpoint }))).to.equal('head-invalid')
      const proof = await proveEvent(log.read(0), 0, { checkpoint: newest })
      for (const other of [checkpoint, early, { ...newest, revision: newest.revision + 1 }])
        expect(() => checkProof({ ...proof, checkpoint: other }))
          .to.throw()
          .with.property('code', 'proof-invalid')
    })

    it('cannot be had for what is not there', async () => {
      expect(await codeOf(proveEvent(log.read(0), last() + 1))).to.equal('revision-unknown')
      expect(await codeOf(proveEvent(log.read(0), 100_000))).to.equal('revision-unknown')
      expect(await codeOf(proveEvent(each([]), 0))).to.equal('revision-unknown')
    })

    it('no longer holds when anything in it is changed', async () => {
      const whole = await proveEvent(log.read(0), 9, { checkpoint: newest })
      const proof = JSON.parse(JSON.stringify(whole)) as Record<string, never>
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
      expect(() => checkProof({ ...proof, format: 3 }))
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
      const { path } = await proveEvent(log.read(0), 0, { checkpoint: newest })
      expect(path!.length).to.be.at.most(Math.ceil(Math.log2(ticks.length)))
    })
  })
})
