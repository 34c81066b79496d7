/** Projections: results of one's own, each event counted once, whatever happens in between. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import * as t from 'io-ts'
import { VirtualNode } from 'carillon/testing'
import { CarillonError, startNode, type Node } from 'carillon'
import {
  defineProjection,
  type ProjectionStore,
  type SavedProjection,
  type TargetProjection,
} from 'carillon/projections'
import { PlaceOrder, shop, totals } from '../subscription/orders.js'

const order = (node: Node, article: string, pieces: number): Promise<unknown> =>
  node.run(PlaceOrder, { article, pieces })

const codeOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work
  } catch (error) {
    if (error instanceof CarillonError) return error.code
    throw error
  }
  return 'none'
}

/** A store in memory that outlives its node, and can be away. */
const keptStore = (): ProjectionStore & { saved: SavedProjection | undefined; isAway: boolean } => {
  const kept: ProjectionStore & { saved: SavedProjection | undefined; isAway: boolean } = {
    saved: undefined,
    isAway: false,
    load: () => (kept.isAway ? Promise.reject(new Error('away')) : Promise.resolve(kept.saved)),
    save: (_name, saved, replaces) => {
      if (kept.isAway) return Promise.reject(new Error('away'))
      if (kept.saved?.checkpoint.hash !== replaces?.hash) return Promise.resolve(false)
      kept.saved = JSON.parse(JSON.stringify(saved)) as SavedProjection
      return Promise.resolve(true)
    },
  }
  return kept
}

const stateOf = (node: Node): string | undefined => node.projections[0]?.state

const untilStopped = async (node: Node): Promise<string | undefined> => {
  while (stateOf(node) !== 'stopped') await turn()
  return node.projections[0]?.error?.code
}

describe('A projection', () => {
  it('lets a program read what it has written', async () => {
    const Totals = totals({ store: 'memory' })
    const virtual = await VirtualNode.start({ app: shop(Totals) })
    for (let pieces = 1; pieces <= 5; pieces++) {
      await order(virtual.node, 'bell', pieces)
      const result = await virtual.node.projection(Totals).readAt(virtual.node.head.revision)
      expect(result).to.deep.equal({ bell: (pieces * (pieces + 1)) / 2 })
    }
    expect(virtual.node.projections).to.deep.equal([
      { name: 'shop/Totals', version: 1, state: 'live', revision: virtual.node.head.revision, lag: 0 },
    ])
  })

  it('gives a copy of its result: what a reader does to it stays with the reader', async () => {
    const Totals = totals({ store: 'memory' })
    const virtual = await VirtualNode.start({ app: shop(Totals) })
    await order(virtual.node, 'bell', 1)
    const read = (): Promise<Record<string, number>> =>
      virtual.node.projection(Totals).readAt(virtual.node.head.revision)
    Object.assign(await read(), { ghost: 1 })
    await order(virtual.node, 'bell', 1)
    expect(await read()).to.deep.equal({ bell: 2 })
  })

  it('is folded anew from the log when it is kept in memory, and from its checkpoint when it was saved', async () => {
    for (const kind of ['memory', 'kept'] as const) {
      const store = kind === 'memory' ? 'memory' : keptStore()
      const seen: number[] = []
      const Totals = totals({ store, onEvent: (revision) => seen.push(revision) })
      const virtual = await VirtualNode.start({ app: shop(Totals) })
      await order(virtual.node, 'bell', 2)
      await order(virtual.node, 'clapper', 3)
      await virtual.node.projection(Totals).readAt(virtual.node.head.revision)
      await virtual.stop()
      const before = seen.length
      await virtual.restart()
      expect(await virtual.node.projection(Totals).readAt(virtual.node.head.revision)).to.deep.equal({
        bell: 2,
        clapper: 3,
      })
      expect(seen.length - before).to.equal(kind === 'memory' ? 2 : 0)
    }
  })

  it('is exact after a crash at any point, for every event counts once', async () => {
    const store = keptStore()
    const Totals = totals({ store })
    const virtual = await VirtualNode.start({ app: shop(Totals) })
    for (let round = 1; round <= 12; round++) {
      await order(virtual.node, 'bell', 1)
      if (round % 3 === 0) await virtual.node.projection(Totals).readAt(virtual.node.head.revision)
      else for (let turns = 0; turns < round % 4; turns++) await turn()
      await virtual.crash()
      await virtual.restart()
      const result = await virtual.node.projection(Totals).readAt(virtual.node.head.revision)
      expect(result).to.deep.equal({ bell: round })
    }
  })

  it('of a higher version is folded anew beside the old one, which answers until then', async () => {
    const store = keptStore()
    const First = totals({ store })
    const virtual = await VirtualNode.start({ app: shop(First) })
    await order(virtual.node, 'bell', 2)
    await virtual.stop()
    let go: () => void = () => undefined
    const gate = new Promise<void>((resolve) => (go = resolve))
    const slow: ProjectionStore = {
      ...store,
      load: async (name) => await store.load(name),
      save: async (...all) => {
        await gate
        return store.save(...all)
      },
    }
    const Second = defineProjection({
      name: 'shop/Totals',
      version: 2,
      types: ['TransactionRecorded'],
      init: (): Readonly<Record<string, number>> => ({}),
      evolve: (result, { produced }) => ({ orders: (result['orders'] ?? 0) + produced.length }),
      store: slow,
    })
    await virtual.restart({ app: shop(Second) })
    await turn()
    expect(await virtual.node.projection(Second).read()).to.deep.equal({ bell: 2 })
    go()
    expect(await virtual.node.projection(Second).readAt(virtual.node.head.revision)).to.deep.equal({ orders: 1 })
    expect(await virtual.node.projection(Second).read()).to.deep.equal({ orders: 1 })
    expect(store.saved?.version).to.equal(2)
  })

  it('of a lower version than what is saved does not start, and changes nothing', async () => {
    const store = keptStore()
    const virtual = await VirtualNode.start({ app: shop(totals({ store, version: 2 })) })
    await order(virtual.node, 'bell', 2)
    await virtual.stop()
    const before = store.saved
    const Old = totals({ store, version: 1 })
    await virtual.restart({ app: shop(Old) })
    expect(await untilStopped(virtual.node)).to.equal('projection-outdated')
    expect(await codeOf(virtual.node.projection(Old).read())).to.equal('projection-outdated')
    await order(virtual.node, 'bell', 2)
    expect(store.saved).to.equal(before)
  })

  it('whose code throws stands still with revision and event, and nothing else does', async () => {
    const Broken = defineProjection({
      name: 'shop/Broken',
      init: () => 0,
      evolve: (count, event) => {
        if (event.type === 'TransactionRecorded') throw new Error('not this one')
        return count + 1
      },
      store: 'memory',
    })
    const Totals = totals({ store: 'memory' })
    const virtual = await VirtualNode.start({ app: shop(Broken, Totals) })
    await order(virtual.node, 'bell', 2)
    expect(await virtual.node.projection(Totals).readAt(virtual.node.head.revision)).to.deep.equal({ bell: 2 })
    expect(await untilStopped(virtual.node)).to.equal('projection-threw')
    const { revision, error } = virtual.node.projections[0] ?? {}
    expect(error?.message).to.match(/shop\/Broken threw at event \d+ \(TransactionRecorded\): not this one/)
    expect(revision).to.be.lessThan(virtual.node.head.revision)
  })

  it('whose store is away falls behind, visibly, and goes on when it is back', async () => {
    const store = keptStore()
    store.isAway = true
    const Totals = totals({ store })
    const virtual = await VirtualNode.start({ app: shop(Totals) })
    await order(virtual.node, 'bell', 2)
    while (stateOf(virtual.node) !== 'waiting for its store') await turn()
    expect(virtual.node.projections[0]?.lag).to.be.greaterThan(0)
    store.isAway = false
    expect(await virtual.node.projection(Totals).readAt(virtual.node.head.revision)).to.deep.equal({ bell: 2 })
    expect(stateOf(virtual.node)).to.equal('live')
  })

  it('whose store is away does not keep the others waiting', async () => {
    const store = keptStore()
    const Totals = totals({ store })
    const Ended = defineProjection({
      ...{ name: 'shop/Ended', types: ['FlowEnded'], store: 'memory' },
      ...{ init: () => 0, evolve: (count: number) => count + 1 },
    })
    const virtual = await VirtualNode.start({ app: shop(Totals, Ended) })
    const read = (): Promise<number> => virtual.node.projection(Ended).readAt(virtual.node.head.revision)
    await order(virtual.node, 'bell', 1)
    await virtual.node.projection(Totals).readAt(virtual.node.head.revision)
    store.isAway = true
    for (let placed = 2; placed <= 5; placed++) {
      await virtual.advanceBy({ seconds: 2 })
      await order(virtual.node, 'bell', 1)
      expect(await read()).to.equal(placed)
    }
    while (stateOf(virtual.node) !== 'waiting for its store') await turn()
    const [away, other] = virtual.node.projections
    expect(away?.lag).to.be.greaterThan(0)
    expect(other).to.deep.include({ name: 'shop/Ended', state: 'live', lag: 0 })
    store.isAway = false
    expect(await virtual.node.projection(Totals).readAt(virtual.node.head.revision)).to.deep.equal({ bell: 5 })
    await virtual.stop()
  })

  describe('whose store never answers', () => {
    const silent: ProjectionStore = {
      load: () => Promise.resolve(undefined),
      save: () => new Promise(() => undefined),
    }
    const Silent = totals({ store: silent })

    it('is shown as waiting for it', async () => {
      const virtual = await VirtualNode.start({
        app: shop(Silent),
        limits: { projection: { answerMs: 5, stopMs: 0 } },
      })
      await order(virtual.node, 'bell', 1)
      while (stateOf(virtual.node) !== 'waiting for its store') await turn()
      expect(virtual.node.projections[0]?.error).to.include({ code: 'projection-store-away' })
      await virtual.stop()
    })

    it('keeps a node that stops waiting no longer than its limit, and says what was not saved', async () => {
      const Others = totals({ store: 'memory', name: 'shop/Others' })
      const warnings: string[] = []
      const nothing = (): void => undefined
      const logger = { info: nothing, warn: (message: string) => void warnings.push(message), error: nothing }
      const virtual = await VirtualNode.start({
        ...{ app: shop(Silent, Others), logger },
        limits: { projection: { stopMs: 20 } },
      })
      const { node } = virtual
      await order(node, 'bell', 1)
      await virtual.stop()
      const [stopped, other] = node.projections
      expect(stopped).to.deep.include({ state: 'stopped' })
      expect(stopped?.error?.code).to.equal('projection-store-away')
      expect(other?.error).to.equal(undefined)
      expect(warnings.join()).to.match(/shop\/Totals was not saved at the stop: .* took longer than 20 ms/)
    })
  })

  it('that another process runs as well is fenced by the checkpoint', async () => {
    const store = keptStore()
    const virtual = await VirtualNode.start({ app: shop(totals({ store })) })
    await order(virtual.node, 'bell', 2)
    while (store.saved === undefined) await turn()
    const { checkpoint } = store.saved
    const hash = 'f'.repeat(64) as typeof checkpoint.hash
    const theirs = { ...store.saved, checkpoint: { ...checkpoint, hash } }
    store.saved = theirs
    await virtual.advanceBy({ seconds: 2 })
    await order(virtual.node, 'bell', 2)
    expect(await untilStopped(virtual.node)).to.equal('projection-fenced')
    expect(store.saved).to.equal(theirs)
    await order(virtual.node, 'bell', 2)
  })

  it('of a log that was restored to an earlier head does not start', async () => {
    const store = keptStore()
    const first = await VirtualNode.start({ app: shop(totals({ store })) })
    for (let pieces = 0; pieces < 5; pieces++) await order(first.node, 'bell', 1)
    await first.stop()
    const other = await VirtualNode.start({ app: shop(totals({ store })), seed: 'another' })
    expect(await untilStopped(other.node)).to.equal('projection-ahead')
    await order(other.node, 'bell', 1)
  })

  it('that keeps a Map has a codec for it; a result of another shape does not answer for the new one', async () => {
    const store = keptStore()
    const entries = t.array(t.tuple([t.string, t.number]))
    const Counts = defineProjection({
      name: 'shop/Counts',
      types: ['FlowStarted'],
      init: () => new Map<string, number>(),
      evolve: (counts, { name }) => counts.set(name, (counts.get(name) ?? 0) + 1),
      codec: new t.Type<Map<string, number>, unknown>(
        'Counts',
        (value): value is Map<string, number> => value instanceof Map,
        (value, context) => {
          const decoded = entries.validate(value, context)
          return decoded._tag === 'Left' ? decoded : t.success(new Map(decoded.right))
        },
        (counts) => [...counts],
      ),
      store,
    })
    const virtual = await VirtualNode.start({ app: shop(Counts) })
    await order(virtual.node, 'bell', 1)
    await virtual.node.projection(Counts).readAt(virtual.node.head.revision)
    await virtual.stop()
    await virtual.restart()
    const counts = await virtual.node.projection(Counts).readAt(virtual.node.head.revision)
    expect(counts.get('shop/PlaceOrder')).to.equal(1)
  })

  describe('whose result is no plain data', () => {
    const counting = (init: () => unknown, evolve: (result: unknown) => unknown, store: ProjectionStore | 'sqlite') =>
      defineProjection<unknown>({ name: 'shop/Odd', init, evolve, store })
    const asItIs = (result: unknown): unknown => result

    for (const [what, value] of [
      ['a Map', new Map()],
      ['a date', new Date(0)],
      ['not a number', Number.NaN],
      ['a large integer', 1n],
    ] as const)
      it(`stops at the start, before anything is saved as something else: ${what}`, async () => {
        const virtual = await VirtualNode.start({ app: shop(counting(() => ({ value }), asItIs, 'sqlite')) })
        expect(await untilStopped(virtual.node)).to.equal('projection-threw')
        expect(virtual.node.projections[0]?.error?.message).to.match(/shop\/Odd cannot be kept.*codec/)
        await order(virtual.node, 'bell', 1)
        await virtual.stop()
      })

    it('stops when it becomes so later, and what was saved stands', async () => {
      const store = keptStore()
      let next: unknown = { pieces: 1 }
      const Odd = counting(
        () => ({}),
        () => next,
        store,
      )
      const virtual = await VirtualNode.start({ app: shop(Odd) })
      await order(virtual.node, 'bell', 1)
      await virtual.node.projection(Odd).readAt(virtual.node.head.revision)
      const { saved } = store
      next = { pieces: new Set([1]) }
      await virtual.advanceBy({ seconds: 2 })
      await order(virtual.node, 'bell', 1)
      expect(await untilStopped(virtual.node)).to.equal('projection-threw')
      expect(store.saved).to.equal(saved)
    })

    it('stops when it is a promise: nobody waits for one', async () => {
      const Odd = defineProjection<unknown>({
        ...{ name: 'shop/Odd', store: 'memory', init: () => 0 },
        evolve: () => Promise.resolve(1),
      })
      const virtual = await VirtualNode.start({ app: shop(Odd) })
      expect(await untilStopped(virtual.node)).to.equal('projection-threw')
      expect(virtual.node.projections[0]?.error?.message).to.match(/promise/)
    })
  })

  it('is kept as a copy: what is folded on does not reach what was saved', async () => {
    const saves: SavedProjection[] = []
    const byReference: ProjectionStore = {
      load: () => Promise.resolve(saves.at(-1)),
      save: (_name, saved) => {
        saves.push(saved)
        return Promise.resolve(true)
      },
    }
    const Changing = defineProjection({
      ...{ name: 'shop/Changing', types: ['TransactionRecorded'], store: byReference },
      init: () => ({ orders: 0 }),
      evolve: (result: { orders: number }) => {
        result.orders += 1
        return result
      },
    })
    const virtual = await VirtualNode.start({ app: shop(Changing) })
    for (let placed = 1; placed <= 3; placed++) {
      await order(virtual.node, 'bell', 1)
      await virtual.node.projection(Changing).readAt(virtual.node.head.revision)
    }
    await virtual.crash()
    await virtual.restart()
    const result = await virtual.node.projection(Changing).readAt(virtual.node.head.revision)
    expect(result).to.deep.equal({ orders: 3 })
  })

  it('does not go on from something that was never saved', async () => {
    const hash = 'a'.repeat(64)
    const others = [
      null,
      { version: 1, result: { bell: 7 } },
      { version: 1, result: { bell: 7 }, checkpoint: null },
      { version: 1, result: { bell: 7 }, checkpoint: { revision: '3', hash } },
      { version: '1', result: { bell: 7 }, checkpoint: { revision: 3, hash } },
    ]
    for (const saved of others) {
      const store = { ...keptStore(), load: () => Promise.resolve(saved) } as unknown as ProjectionStore
      const virtual = await VirtualNode.start({ app: shop(totals({ store })) })
      expect(await untilStopped(virtual.node), JSON.stringify(saved)).to.equal('projection-outdated')
      await virtual.stop()
    }
  })

  it('counts as caught up although more is recorded whenever it takes something in', async () => {
    const most = 20
    let taken = 0
    let caughtUpAfter: number | undefined
    let begin: (node: Node) => void = () => undefined
    const begun = new Promise<Node>((resolve) => {
      begin = resolve
    })
    const Slow: TargetProjection = {
      kind: 'target',
      name: 'shop/Slow',
      version: 1,
      types: ['TransactionRecorded'],
      openTarget: () => ({
        open: () => Promise.resolve(undefined),
        apply: async () => {
          taken += 1
          const node = await begun
          if (taken < most) await order(node, 'bell', 1)
          return true
        },
        caughtUp: () => {
          caughtUpAfter = taken
          return Promise.resolve()
        },
        close: () => Promise.resolve(),
      }),
    }
    const virtual = await VirtualNode.start({ app: shop() })
    await order(virtual.node, 'bell', 1)
    const { revision } = virtual.node.head
    await virtual.stop()
    await virtual.restart({ app: shop(Slow) })
    begin(virtual.node)
    await virtual.node.projection(Slow).readAt(revision)
    expect(caughtUpAfter).to.be.lessThan(most)
  })

  it('that the app does not list is unknown', async () => {
    const virtual = await VirtualNode.start({ app: shop() })
    expect(await codeOf(virtual.node.projection(totals({})).read())).to.equal('projection-unknown')
  })

  it('is refused with a wrong name, version or type of event, or a name that is taken', async () => {
    const define = (options: object) => () =>
      defineProjection({ name: 'shop/X', init: () => 0, evolve: (n: number) => n, ...options })
    for (const options of [{ name: 'no name' }, { version: 0 }, { version: 1.5 }, { types: ['FlowExploded'] }])
      expect(define(options), JSON.stringify(options))
        .to.throw(CarillonError)
        .with.property('code', 'definition-invalid')
    expect(await codeOf(VirtualNode.start({ app: shop(totals({}), totals({})) }))).to.equal('definition-invalid')
  })

  describe('in the folder of a store', () => {
    let folder = ''
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'carillon-projection-'))
    })
    afterEach(() => {
      rmSync(folder, { recursive: true, force: true })
    })

    it('goes on where it was saved', async () => {
      const seen: number[] = []
      const Totals = totals({ onEvent: (revision) => seen.push(revision) })
      const first = await startNode({ app: shop(Totals), store: folder })
      await order(first, 'bell', 2)
      await first.projection(Totals).readAt(first.head.revision)
      await first.stop()
      const before = seen.length
      const second = await startNode({ app: shop(Totals), store: folder })
      expect(await second.projection(Totals).readAt(second.head.revision)).to.deep.equal({ bell: 2 })
      expect(seen.length).to.equal(before)
      await second.stop()
    })

    it('waits for a file that can be used when it is damaged, and the node starts all the same', async () => {
      writeFileSync(join(folder, 'projections.db'), 'this is no database, whatever its name says; it is only text')
      const Totals = totals({})
      const node = await startNode({ app: shop(Totals), store: folder })
      await order(node, 'bell', 2)
      while (stateOf(node) !== 'waiting for its store') await turn()
      await node.stop()
    })
  })
})
