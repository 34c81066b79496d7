import { expect } from 'chai'
import { isNone, isSome, toUndefined } from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import {
  CarillonError,
  defineFlow,
  defineState,
  PartyC,
  retryLater,
  StateRefC,
  TransactionIdC,
  type AnyFlowDefinition,
  type FlowBody,
  type FlowIo,
  type StateRef,
  type TransactionId,
} from '../../src/index.js'
import { EmbeddedStore, type EncodedTick } from '../../src/entries/logs.js'
import type { VirtualNode } from '../../src/testing/index.js'
import {
  appOf,
  crashAndRestart,
  eventsOf,
  expectAlive,
  flowOf,
  refusal,
  startVirtual,
  statusOf,
  Write,
} from './ledgerOfNotes.js'

const Book = defineState({
  type: 'books/Book',
  data: t.strict({ owner: PartyC, isbn: t.string, lent: t.boolean, shelf: t.number }),
  participants: ({ owner }) => [owner],
  key: ({ isbn }) => isbn,
  indexed: { isbn: ({ isbn }) => isbn, lent: ({ lent }) => lent, shelf: ({ shelf }) => shelf },
})

const AddBook = defineFlow({
  name: 'books/Add',
  input: t.strict({ isbn: t.string, lent: t.boolean, shelf: t.number }),
  *run(io, book): FlowBody<StateRef> {
    return (yield* io.finalise((tx) => tx.produce(Book, { owner: io.me, ...book }).command(Write, [io.me]))).output()
  },
})

const RemoveBook = defineFlow({
  name: 'books/Remove',
  input: t.strict({ ref: StateRefC }),
  *run(io, { ref }): FlowBody<TransactionId> {
    const book = yield* io.load(Book, ref)
    return (yield* io.finalise((tx) => tx.consume(book).command(Write, [io.me]))).id
  },
})

/** A shelf on which a book lies for a moment only. */
const PassingBook = defineFlow({
  name: 'books/Passing',
  input: t.strict({ isbn: t.string }),
  *run(io, { isbn }): FlowBody<void> {
    const ref = (yield* io.finalise((tx) =>
      tx.produce(Book, { owner: io.me, isbn, lent: false, shelf: 0 }).command(Write, [io.me]),
    )).output()
    const book = yield* io.load(Book, ref)
    yield* io.finalise((tx) => tx.consume(book).command(Write, [io.me]))
  },
})

const start = (flows: readonly AnyFlowDefinition[], options = {}): Promise<VirtualNode> =>
  startVirtual(appOf([AddBook, RemoveBook, PassingBook, ...flows], [Book]), options)

const book = (isbn: string, lent = false, shelf = 1) => ({ isbn, lent, shelf })

const ForKey = flowOf(function* (io): FlowBody<string> {
  const found = yield* io.waitFor(Book, { key: 'a' })
  return `${found.data.isbn} at ${yield* io.now()}`
})

describe('A flow that waits for a state', () => {
  it('gets one that is there at once, and its first tick suffices', async () => {
    const virtual = await start([ForKey])
    await virtual.node.run(AddBook, book('a'))
    expect(await virtual.node.run(ForKey, {})).to.equal('a at 2026-01-01T00:00:00.000Z')
  })

  it('goes on when the state with its key is recorded, and not before', async () => {
    const virtual = await start([ForKey])
    const { id } = await virtual.node.start(ForKey, {})
    await virtual.advanceBy({ days: 1 })
    await virtual.node.run(AddBook, book('b'))
    expect(await statusOf(virtual.node, id)).to.equal('running')
    await virtual.advanceBy({ days: 1 })
    await virtual.node.run(AddBook, book('a'))
    expect(await virtual.node.resultOf(id)).to.equal('a at 2026-01-03T00:00:00.000Z')
  })

  it('says in its record and to whoever asks what it waits for', async () => {
    const virtual = await start([ForKey])
    const { id } = await virtual.node.start(ForKey, {})
    const [waiting] = (await virtual.node.flow(id))?.waiting ?? []
    expect(waiting).to.deep.include({ for: 'state', kind: 'waitFor', type: 'books/Book', key: 'a' })
    expect(waiting?.label).to.equal('wait for books/Book "a"')
  })

  it('can wait for the values of indexed fields: all of them must fit', async () => {
    const ForFields = flowOf(function* (io): FlowBody<string> {
      return (yield* io.waitFor(Book, { shelf: 7, lent: false })).data.isbn
    })
    const virtual = await start([ForFields])
    const { id } = await virtual.node.start(ForFields, {})
    await virtual.node.run(AddBook, book('other shelf', false, 6))
    await virtual.node.run(AddBook, book('lent', true, 7))
    const recorded = (await eventsOf(virtual.node)).length
    expect(await statusOf(virtual.node, id)).to.equal('running')
    await virtual.node.run(AddBook, book('it', false, 7))
    expect(await virtual.node.resultOf(id)).to.equal('it')
    expect(recorded, 'what does not fit wakes nobody').to.equal(
      (await eventsOf(virtual.node)).slice(0, recorded).filter((event) => event.type !== 'FlowAdvanced').length + 1,
    )
  })

  it('waits on when the state was consumed before its turn', async () => {
    const virtual = await start([ForKey])
    const { id } = await virtual.node.start(ForKey, {})
    await virtual.node.run(PassingBook, { isbn: 'a' })
    await virtual.runUntilQuiet()
    expect(await statusOf(virtual.node, id)).to.equal('running')
    await virtual.node.run(AddBook, book('a'))
    expect(await virtual.node.resultOf(id)).to.match(/^a at/)
  })

  it('is not woken while it is paused, and looks when it goes on', async () => {
    const virtual = await start([ForKey])
    const { id } = await virtual.node.start(ForKey, {})
    await virtual.node.operate({ on: 'flow', action: 'pause', flow: id }, { by: 'cli:ann' })
    await virtual.node.run(AddBook, book('a'))
    await virtual.runUntilQuiet()
    expect(await statusOf(virtual.node, id)).to.equal('paused')
    await virtual.node.operate({ on: 'flow', action: 'resume', flow: id }, { by: 'cli:ann' })
    expect(await virtual.node.resultOf(id)).to.match(/^a at/)
  })

  it('wakes all who wait for the same, and each sees the same state', async () => {
    const virtual = await start([ForKey])
    const handles = await Promise.all([1, 2, 3].map(() => virtual.node.start(ForKey, {})))
    await virtual.node.run(AddBook, book('a'))
    const results = await Promise.all(handles.map(({ id }) => virtual.node.resultOf(id)))
    expect(new Set(results).size).to.equal(1)
  })
})

const timely = (within: object, name = 'notes/Tested') =>
  flowOf(function* (io): FlowBody<string> {
    const found = yield* io.waitFor(Book, { key: 'a' }, { within })
    return isSome(found) ? `${found.value.data.isbn} at ${yield* io.now()}` : `none at ${yield* io.now()}`
  }, name)

describe('A wait with an end', () => {
  it('is answered with none when nothing has come in time', async () => {
    const flow = timely({ hours: 2 })
    const virtual = await start([flow])
    const { id } = await virtual.node.start(flow, {})
    await virtual.advanceBy({ hours: 1 })
    expect(await statusOf(virtual.node, id)).to.equal('running')
    await virtual.advanceBy({ hours: 2 })
    expect(await virtual.node.resultOf(id)).to.equal('none at 2026-01-01T02:00:00.000Z')
  })

  it('is answered with what has come', async () => {
    const flow = timely({ hours: 2 })
    const virtual = await start([flow])
    const { id } = await virtual.node.start(flow, {})
    await virtual.advanceBy({ hours: 1 })
    await virtual.node.run(AddBook, book('a'))
    await virtual.advanceBy({ hours: 5 })
    expect(await virtual.node.resultOf(id)).to.equal('a at 2026-01-01T01:00:00.000Z')
  })

  it('is not prolonged by what wakes the flow in between, nor by a pause or a crash', async () => {
    const flow = timely({ hours: 2 })
    const virtual = await start([flow], { development: false })
    const { id } = await virtual.node.start(flow, {})
    await virtual.advanceBy({ minutes: 30 })
    await virtual.node.run(PassingBook, { isbn: 'a' })
    await crashAndRestart(virtual)
    await virtual.advanceBy({ minutes: 30 })
    await virtual.node.operate({ on: 'flow', action: 'pause', flow: id }, { by: 'cli:ann' })
    await virtual.advanceBy({ minutes: 30 })
    await virtual.node.operate({ on: 'flow', action: 'resume', flow: id }, { by: 'cli:ann' })
    await virtual.advanceBy({ hours: 3 })
    expect(await virtual.node.resultOf(id)).to.equal('none at 2026-01-01T02:00:00.000Z')
  })

  it('counts from the turn that is recorded, when the one that asked first could not be', async () => {
    const flow = flowOf(function* (io): FlowBody<string> {
      yield* io.sleep({ hours: 1 })
      const found = yield* io.waitFor(Book, { key: 'a' }, { within: { hours: 2 } })
      return `${found._tag} at ${yield* io.now()}`
    })
    const store = EmbeddedStore.inMemory()
    let failures = 0
    const virtual = await start([flow], {
      store: Object.assign(store, {
        commit: ((commit) => (tick: EncodedTick) => {
          if (failures === 0) return commit(tick)
          failures -= 1
          store.rollback()
          return { kind: 'failed', error: new CarillonError('disk-full', 'The disk is full.') }
        })(store.commit),
      }),
    })
    const { id } = await virtual.node.start(flow, {})
    failures = 2
    await virtual.advanceBy({ hours: 1 })
    expect(failures).to.equal(1)
    await virtual.advanceBy({ minutes: 1 })
    const { until } = (await virtual.node.flow(id))!.waiting![0] as { readonly until: string }
    expect(until).to.match(/^2026-01-01T03:00:0[1-9]/)
    await crashAndRestart(virtual)
    await virtual.advanceBy({ hours: 3 })
    expect(await virtual.node.resultOf(id)).to.equal(`None at ${until}`)
  })

  it('counts from when it was first asked, also where a part beside it fails in that turn and is tried again', async () => {
    let tries = 0
    const flow = flowOf(function* (io): FlowBody<unknown> {
      const after = function* <A>(body: FlowBody<A>): FlowBody<A> {
        yield* io.sleep({ minutes: 1 })
        return yield* body
      }
      const patient = function* (): FlowBody<string> {
        const found = yield* io.waitFor(Book, { key: 'a' }, { within: { minutes: 2 } })
        return `${found._tag} at ${yield* io.now()}`
      }
      const asleep = function* (): FlowBody<string> {
        yield* io.sleep({ minutes: 3 })
        return yield* io.now()
      }
      const busy = function* (): FlowBody<string> {
        yield* io.now()
        if ((tries += 1) < 5) throw retryLater('busy')
        return 'free'
      }
      return yield* io.all({ patient: after(patient()), asleep: after(asleep()), busy: after(busy()) })
    })
    const virtual = await start([flow], { development: false })
    const { id } = await virtual.node.start(flow, {})
    await virtual.advanceBy({ seconds: 61 })
    await crashAndRestart(virtual)
    await virtual.advanceBy({ hours: 1 })
    expect(await virtual.node.resultOf(id)).to.deep.equal({
      patient: 'None at 2026-01-01T00:03:00.000Z',
      asleep: '2026-01-01T00:04:00.000Z',
      busy: 'free',
    })
  })

  it('ends at once when it may last no time', async () => {
    const flow = timely({ seconds: 0 })
    const virtual = await start([flow])
    expect(await virtual.node.run(flow, {})).to.equal('none at 2026-01-01T00:00:00.000Z')
  })

  it('begins anew when the flow asks again', async () => {
    const Twice = flowOf(function* (io): FlowBody<readonly string[]> {
      const at: string[] = []
      for (let time = 0; time < 2; time++) {
        yield* io.waitFor(Book, { key: 'a' }, { within: { hours: 1 } })
        at.push(yield* io.now())
      }
      return at
    })
    const virtual = await start([Twice])
    const { id } = await virtual.node.start(Twice, {})
    await virtual.advanceBy({ hours: 3 })
    expect(await virtual.node.resultOf(id)).to.deep.equal(['2026-01-01T01:00:00.000Z', '2026-01-01T02:00:00.000Z'])
  })

  it('comes to the same after a crash at every tick', async () => {
    const Both = flowOf(function* (io): FlowBody<unknown> {
      const first = yield* io.waitFor(Book, { key: 'a' }, { within: { hours: 1 } })
      const second = yield* io.waitFor(Book, { isbn: 'a' }, { within: { hours: 3 } })
      const gone = isNone(second) ? undefined : yield* io.waitForConsumption(second.value, { within: { days: 1 } })
      return {
        first: toUndefined(first),
        second: toUndefined(second),
        gone: gone === undefined ? 'none' : toUndefined(gone),
      }
    })
    const results: unknown[] = []
    for (const crashes of [false, true]) {
      const virtual = await start([Both], { development: false })
      const step = async (move: () => Promise<unknown>): Promise<unknown> => {
        if (crashes) await crashAndRestart(virtual)
        return move()
      }
      const { id } = await virtual.node.start(Both, {})
      await step(() => virtual.advanceBy({ hours: 2 }))
      const ref = await step(() => virtual.node.run(AddBook, book('a')))
      await step(() => virtual.advanceBy({ hours: 1 }))
      await step(() => virtual.node.run(RemoveBook, { ref: ref as StateRef }))
      await step(() => virtual.advanceBy({ hours: 1 }))
      results.push({ result: await virtual.node.resultOf(id), record: (await virtual.node.flow(id))?.record })
    }
    expect(results[1]).to.deep.equal(results[0])
  })
})

describe('A flow that waits for a consumption or a transaction', () => {
  const Gone = defineFlow({
    name: 'books/Gone',
    input: t.strict({ ref: StateRefC }),
    *run(io, { ref }): FlowBody<TransactionId> {
      return yield* io.waitForConsumption(ref)
    },
  })

  const Recorded = defineFlow({
    name: 'books/Recorded',
    input: t.strict({ id: TransactionIdC }),
    *run(io, { id }): FlowBody<string> {
      const found = yield* io.waitForTransaction(id, { within: { days: 1 } })
      return isSome(found) ? found.value : 'none'
    },
  })

  it('is told which transaction has consumed the state, then or before', async () => {
    const virtual = await start([Gone])
    const ref = await virtual.node.run(AddBook, book('a'))
    const { id } = await virtual.node.start(Gone, { ref })
    const removed = await virtual.node.run(RemoveBook, { ref })
    expect(await virtual.node.resultOf(id)).to.equal(removed)
    expect(await virtual.node.run(Gone, { ref })).to.equal(removed)
  })

  it('refuses to wait for the end of a state that this node does not hold', async () => {
    const virtual = await start([Gone])
    const ref = { transaction: '0'.repeat(64) as TransactionId, index: 0 }
    await refusal(virtual.node.run(Gone, { ref }), 'state-unknown')
    await expectAlive(virtual)
  })

  it('is answered for a transaction that is recorded, and with none for one that never comes', async () => {
    const virtual = await start([Recorded])
    const { transaction } = await virtual.node.run(AddBook, book('a'))
    expect(await virtual.node.run(Recorded, { id: transaction })).to.equal(transaction)
    const { id } = await virtual.node.start(Recorded, { id: '1'.repeat(64) as TransactionId })
    await virtual.advanceBy({ days: 2 })
    expect(await virtual.node.resultOf(id)).to.equal('none')
  })
})

describe('A wait that makes no sense', () => {
  const attempts: Readonly<Record<string, readonly [code: string, (io: FlowIo) => FlowBody<unknown>]>> = {
    'that ends before it begins': ['wait-invalid', (io) => io.waitFor(Book, { key: 'a' }, { within: { hours: -1 } })],
    'of a duration that is none': [
      'wait-invalid',
      (io) => io.waitFor(Book, { key: 'a' }, { within: { fortnights: 1 } as object }),
    ],
    'for a field that is not indexed': ['query-invalid', (io) => io.waitFor(Book, { title: 'x' })],
    'for nothing': ['wait-invalid', (io) => io.waitFor(Book, {})],
    'for a value that no index has': ['wait-invalid', (io) => io.waitFor(Book, { shelf: Number.NaN })],
    'for a transaction that has no id': ['wait-invalid', (io) => io.waitForTransaction('x' as TransactionId)],
  }
  for (const [name, [code, wait]] of Object.entries(attempts))
    it(`is refused with ${code}, and others go on: one ${name}`, async () => {
      const Odd = flowOf(wait)
      const virtual = await start([Odd])
      expect((await refusal(virtual.node.run(Odd, {}))).code).to.equal(code)
      await expectAlive(virtual)
    })
})

describe('The index of waits', () => {
  it('is empty when nobody waits any more', async () => {
    const flow = timely({ hours: 1 }, 'books/Timely')
    const virtual = await start([flow, ForKey])
    await virtual.node.start(flow, {})
    const { id } = await virtual.node.start(ForKey, {})
    const count = (): Promise<unknown> =>
      virtual.node.readViews((db) => db.prepare('SELECT count(*) FROM flow_waits').lists()[0]?.[0])
    expect(await count()).to.equal(2)
    await virtual.advanceBy({ hours: 2 })
    await virtual.node.operate({ on: 'flow', action: 'kill', flow: id }, { by: 'cli:ann' })
    expect(await count()).to.equal(0)
  })
})
