/** With which key, and in which network, the ticks of a log are signed, and what becomes of those that are not. */
import { expect } from 'chai'
import { instant, startNode, type CarillonError } from '../../src/index.js'
import { digestViews } from '../../src/storage/digest.js'
import type { KeyPair } from '../../src/entries/keys.js'
import { checkProof, EmbeddedStore, foldLog, proveEvent, verifyLog, type EncodedTick } from '../../src/entries/logs.js'
import { networkIdOf, NetworkMap, type NetworkId } from '../../src/entries/network.js'
import { canonicalText } from '../../src/encoding/canonical.js'
import { sha256 } from '../../src/encoding/hash.js'
import { signKeyChange, type KeyChange } from '../../src/identity/KeyChange.js'
import { keyPairFromSeed } from '../../src/identity/KeyPair.js'
import { ownNetworkId } from '../../src/identity/NetworkId.js'
import { encodeEvent } from '../../src/log/encodeEvent.js'
import { emptyHead, headAfter, tickAfter, type Head } from '../../src/log/Tick.js'
import { makeCheckpoint } from '../../src/backup/makeCheckpoint.js'
import { bank as app, MintCoin } from '../store/bank.js'
import { signingWith, startLine } from './signing.js'

const [first, second, third, stranger] = ['first', 'second', 'third', 'stranger'].map((name) =>
  keyPairFromSeed(sha256(name)),
) as [KeyPair, KeyPair, KeyPair, KeyPair]
const own = ownNetworkId(first.publicKey)
const joined = networkIdOf(stranger.publicKey, 'a salt')
const at = instant('2026-01-01T00:00:00Z')

const draining = canonicalText({ type: 'DrainingStarted', by: 'someone' })
const joining = encodeEvent({ type: 'NetworkJoined', network: joined })
const changing = (change: KeyChange): string => encodeEvent({ type: 'KeyChanged', change })
const changed = signKeyChange(own, first.publicKey, first, second)

async function* each<A>(items: readonly A[]): AsyncGenerator<A> {
  for (const item of items) yield await Promise.resolve(item)
}

const codeOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'fulfilled',
    (error: unknown) => (error as CarillonError).code,
  )

type Part = readonly [event: string, key: KeyPair, network?: NetworkId]

/** A log of one event a tick, each signed as it says. */
const logOf = (...parts: readonly Part[]): readonly EncodedTick[] => {
  let head: Head = emptyHead
  return parts.map(([event, key, network = own]) => {
    const tick = tickAfter(head, at, [event], signingWith(key, [], network))
    head = headAfter(tick)
    return tick
  })
}

const fold = async (ticks: readonly EncodedTick[]): Promise<string> => {
  const db = await foldLog(each(ticks))
  try {
    return digestViews(db)
  } finally {
    db.close()
  }
}

const problemsOf = async (ticks: readonly EncodedTick[]): Promise<readonly string[]> =>
  (await verifyLog(each(ticks))).problems.map(({ kind, revision, what }) => `${revision} ${kind} ${what}`)

const start: Part = [startLine(first), first]

describe('The ticks of a log', () => {
  const sound: Readonly<Record<string, readonly Part[]>> = {
    'one key': [start, [draining, first]],
    'the new key from the tick after its change on': [start, [changing(changed), first], [draining, second]],
    'one new key after the other': [
      start,
      [changing(changed), first],
      [changing(signKeyChange(own, first.publicKey, second, third)), second],
      [draining, third],
    ],
    'the id of a network from the tick after joining it on': [start, [joining, first], [draining, first, joined]],
    'a new key in a network, changed before or after joining it': [
      start,
      [changing(changed), first],
      [joining, second],
      [changing(signKeyChange(joined, first.publicKey, second, third)), second, joined],
      [draining, third, joined],
    ],
    'their own key, whatever other parties change': [
      start,
      [changing(signKeyChange(own, stranger.publicKey, stranger, third)), first],
      [draining, first],
    ],
  }
  for (const [what, parts] of Object.entries(sound))
    it(`are signed with ${what}`, async () => {
      const ticks = logOf(...parts)
      expect(await problemsOf(ticks)).to.deep.equal([])
      expect(await codeOf(fold(ticks))).to.equal('fulfilled')
      expect((await verifyLog(each(ticks))).signedBy).to.equal(parts.at(-1)![1].publicKey)
      for (const { firstRevision } of ticks) {
        const proven = checkProof(await proveEvent(each(ticks), firstRevision))
        expect(proven.by).to.equal(parts[firstRevision]![1].publicKey)
      }
    })

  const forged: Readonly<Record<string, readonly [code: string, problem: RegExp, ...parts: readonly Part[]]>> = {
    'with the old key after its change': [
      'key-retired',
      /^2 forged tick 3 is signed with .*, a key that was retired before$/,
      start,
      [changing(changed), first],
      [draining, first],
    ],
    'with the new key in the tick that changes to it': [
      'tick-forged',
      /^1 forged the signature of tick 2 is not that of/,
      start,
      [changing(changed), second],
      [draining, second],
    ],
    'with a key that the old one has not agreed to': [
      'tick-forged',
      /^1 forged the change of key is not signed by both keys$/,
      start,
      [changing({ ...changed, fromSignature: stranger.sign('x') }), first],
      [draining, second],
    ],
    'with a key whose holder has not agreed': [
      'tick-forged',
      /^1 forged the change of key is not signed by both keys$/,
      start,
      [changing({ ...changed, toSignature: stranger.sign('x') }), first],
      [draining, second],
    ],
    'with a key that was changed to in another network': [
      'tick-forged',
      /^1 forged the change of key is not signed by both keys$/,
      start,
      [changing(signKeyChange(sha256('another'), first.publicKey, first, second)), first],
      [draining, second],
    ],
    'with a key that replaces another than the one in use': [
      'tick-forged',
      /^2 forged the change of key does not follow from the ones before/,
      start,
      [changing(changed), first],
      [changing(signKeyChange(own, first.publicKey, first, third)), second],
      [draining, third],
    ],
    'with a key that was changed to by someone else': [
      'tick-forged',
      /^1 forged the signature of tick 2 is not that of/,
      start,
      [changing(signKeyChange(own, first.publicKey, first, stranger)), stranger],
      [draining, stranger],
    ],
    'outside the network that was joined': [
      'tick-forged',
      /^2 forged the signature of tick 3 is not that of/,
      start,
      [joining, first],
      [draining, first, own],
    ],
    'in a network that was not joined': [
      'tick-forged',
      /^1 forged the signature of tick 2 is not that of/,
      start,
      [draining, first, joined],
    ],
  }
  for (const [what, [code, problem, ...parts]] of Object.entries(forged))
    it(`are neither folded nor found sound when one is signed ${what}`, async () => {
      const ticks = logOf(...parts)
      expect(await codeOf(fold(ticks))).to.equal(code)
      expect((await problemsOf(ticks)).find((found) => problem.test(found)) ?? (await problemsOf(ticks))).to.match(
        problem,
      )
    })
})

describe('A node', () => {
  const party = { name: 'Me', key: first.publicKey }
  const mapOf = (id: NetworkId) => new NetworkMap([{ party }], id)
  const run = async (store: EmbeddedStore, network?: NetworkMap, key = first): Promise<string> => {
    const node = await startNode({ app, store, key, ...(network === undefined ? {} : { network }) })
    await node.run(MintCoin, { value: 1 })
    const folded = await foldLog(node.readLog())
    expect(digestViews(folded), 'the views are a function of the log').to.equal(await node.viewsDigest())
    folded.close()
    await node.stop()
    return 'ran'
  }
  const typesIn = async (store: EmbeddedStore): Promise<readonly string[]> => {
    const types: string[] = []
    for await (const { events } of store.read(0))
      types.push(...events.map((line) => (JSON.parse(line) as { readonly type: string }).type))
    return types
  }

  it('that was in no network joins one, once, and signs in it from then on', async () => {
    const store = EmbeddedStore.inMemory()
    await run(store)
    for (let start = 0; start < 2; start++) await run(store, mapOf(joined))
    expect((await typesIn(store)).filter((type) => type === 'NetworkJoined')).to.have.length(1)
    expect((await verifyLog(store.read(0), { decode: true, by: first.publicKey })).problems).to.deep.equal([])
    expect(store.views.facts.signer).to.deep.include({ network: joined, key: first.publicKey })
    const checkpoint = makeCheckpoint(store.reader, first)
    expect(checkpoint.network).to.equal(joined)
    expect((await verifyLog(store.read(0), { checkpoints: [checkpoint] })).problems).to.deep.equal([])
    await store.close()
  })

  it('can prove what it recorded before it joined, also up to a checkpoint from afterwards', async () => {
    const store = EmbeddedStore.inMemory()
    await run(store)
    await run(store, mapOf(joined))
    const checkpoint = makeCheckpoint(store.reader, first)
    for (let revision = 0; revision <= checkpoint.revision; revision++) {
      const proof = await proveEvent(store.read(0), revision, { checkpoint })
      expect(checkProof(proof, { by: first.publicKey }).checkpoint, `revision ${revision}`).to.deep.equal(checkpoint)
    }
    await store.close()
  })

  it('is not started in another network than the one in which its log is signed', async () => {
    const store = EmbeddedStore.inMemory()
    await run(store, mapOf(joined))
    const head = store.head()
    expect(await codeOf(run(store, mapOf(sha256('another network'))))).to.equal('network-mismatch')
    expect(await codeOf(run(store))).to.equal('network-mismatch')
    expect(store.head()).to.deep.equal(head)
    expect(await codeOf(run(store, mapOf(joined)))).to.equal('fulfilled')
    await store.close()
  })

  it('is started with the newest of its keys, and with no other', async () => {
    const store = EmbeddedStore.inMemory()
    await run(store)
    const sealed = tickAfter(store.head(), at, [changing(changed)], signingWith(first))
    store.begin()
    store.views.fold({ type: 'KeyChanged', change: changed }, sealed.firstRevision, Date.parse(at))
    expect(store.commit(sealed).kind).to.equal('appended')
    const head = store.head()
    expect(await codeOf(run(store, undefined, first))).to.equal('key-retired')
    expect(await codeOf(run(store, undefined, stranger))).to.equal('store-foreign')
    expect(store.head()).to.deep.equal(head)
    expect(await run(store, undefined, second)).to.equal('ran')
    const report = await verifyLog(store.read(0), { decode: true, by: second.publicKey })
    expect(report).to.deep.include({ problems: [], signedBy: second.publicKey })
    expect(makeCheckpoint(store.reader, second).by).to.equal(second.publicKey)
    await store.close()
  })

  it('does not start on a store to which someone else has added a tick', async () => {
    const added: readonly (readonly [string, (hash: EncodedTick['hash']) => string])[] = [
      ['tick-unsigned', () => ''],
      ['tick-forged', signingWith(stranger)],
    ]
    for (const [code, sign] of added) {
      const store = EmbeddedStore.inMemory()
      await run(store)
      const tick = tickAfter(store.head(), at, [draining], sign)
      store.begin()
      store.views.fold({ type: 'DrainingStarted', by: 'someone' }, tick.firstRevision, Date.parse(at))
      expect(store.commit(tick).kind).to.equal('appended')
      expect(await codeOf(run(store))).to.equal(code)
      await store.close()
    }
  })
})
