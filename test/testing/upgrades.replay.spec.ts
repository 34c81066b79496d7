/** Logs of before, replayed against an app whose states, flows and contracts have new versions. */
import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import {
  CarillonError,
  defineApp,
  defineCommand,
  defineContract,
  defineFlow,
  defineState,
  instant,
  NoInputC,
  PartyC,
  type App,
  type FlowBody,
  type StateRef,
} from 'carillon'
import { assertReplays, replay, VirtualNetwork, VirtualNode } from 'carillon/testing'

const Do = defineCommand({ type: 'shelf/Do' })
const accept = () => right(undefined)
const contractV1 = defineContract({ name: 'shelf/Rules', verify: accept })
const contractV2 = defineContract({ name: 'shelf/Rules', version: 2, verify: accept, earlier: { 1: accept } })
const retiring = defineContract({
  ...{ name: 'shelf/Rules', version: 2, verify: accept, earlier: { 1: accept } },
  retired: { 1: instant('2026-01-01T00:00:00.000Z') },
})

const BookV1 = defineState({
  type: 'shelf/Book',
  contract: contractV1,
  data: t.strict({ library: PartyC, title: t.string }),
  participants: ({ library }) => [library],
})
const bookV2 = (
  contract = contractV2,
  upcast = (older: unknown): unknown => ({ ...Object(older), shelf: 'unsorted' }),
) =>
  defineState({
    type: 'shelf/Book',
    version: 2,
    contract,
    data: t.strict({ library: PartyC, title: t.string, shelf: t.string }),
    participants: ({ library }) => [library],
    upcasters: { 1: upcast },
  })
const BookV2 = bookV2()

/** Ends where it begins, and gives and uses what it has produced. */
const AddV1 = defineFlow({
  name: 'shelf/Add',
  input: t.strict({ title: t.string }),
  *run(io, { title }): FlowBody<StateRef> {
    const first = yield* io.finalise((tx) => tx.produce(BookV1, { library: io.me, title }).command(Do, [io.me]))
    const added = yield* io.load(BookV1, first.output())
    const again = yield* io.finalise((tx) => tx.consume(added).produce(BookV1, added.data).command(Do, [io.me]))
    return again.output()
  },
})
const addV2 = (shelf: string, Book: typeof BookV2) =>
  defineFlow({
    name: 'shelf/Add',
    input: t.strict({ title: t.string }),
    *run(io, { title }): FlowBody<StateRef> {
      const first = yield* io.finalise((tx) => tx.produce(Book, { library: io.me, title, shelf }).command(Do, [io.me]))
      const added = yield* io.load(Book, first.output())
      const again = yield* io.finalise((tx) => tx.consume(added).produce(Book, added.data).command(Do, [io.me]))
      return again.output()
    },
  })
/** Is suspended after it has produced. */
const SortV1 = defineFlow({
  name: 'shelf/Sort',
  input: NoInputC,
  *run(io): FlowBody<string> {
    yield* io.finalise((tx) => tx.produce(BookV1, { library: io.me, title: 'Emma' }).command(Do, [io.me]))
    yield* io.sleep({ days: 1 })
    yield* io.finalise((tx) => tx.produce(BookV1, { library: io.me, title: 'Ulysses' }).command(Do, [io.me]))
    return 'sorted'
  },
})
const sortV2 = (shelf: string, Book: typeof BookV2) =>
  defineFlow({
    name: 'shelf/Sort',
    input: NoInputC,
    *run(io): FlowBody<string> {
      yield* io.finalise((tx) => tx.produce(Book, { library: io.me, title: 'Emma', shelf }).command(Do, [io.me]))
      yield* io.sleep({ days: 1 })
      yield* io.finalise((tx) => tx.produce(Book, { library: io.me, title: 'Ulysses', shelf }).command(Do, [io.me]))
      return 'sorted'
    },
  })
const before = defineApp({ name: 'shelf', states: [BookV1], flows: [AddV1, SortV1] })
const after = (shelf = 'unsorted', Book = BookV2): App =>
  defineApp({ name: 'shelf', version: '2.0.0', states: [Book], flows: [addV2(shelf, Book), sortV2(shelf, Book)] })

const recorded = async (days: number): Promise<VirtualNode> => {
  const virtual = await VirtualNode.start({ app: before })
  await virtual.node.run(AddV1, { title: 'Middlemarch' })
  await virtual.node.start(SortV1, {})
  await virtual.advanceBy({ days })
  return virtual
}
const codeOf = (running: Promise<unknown>): Promise<string> =>
  running.then(
    () => 'completed',
    (error: unknown) => (error instanceof CarillonError ? error.code : String(error)),
  )

describe('A new version of a state', () => {
  it('passes the replay of logs of the version before, whether flows have ended or not', async () => {
    for (const days of [0, 2]) {
      const { problems, flows } = await replay((await recorded(days)).node, { app: after() })
      expect(problems, `${days} days later`).to.deep.equal([])
      expect(flows).to.equal(2)
    }
  })

  it('lets a flow that is under way go on', async () => {
    const virtual = await recorded(0)
    const [sorting] = (await virtual.node.flows({ name: 'shelf/Sort' })).items
    await virtual.stop()
    await virtual.restart({ app: after() })
    await virtual.advanceBy({ days: 1 })
    expect((await virtual.node.flow(sorting!.id))?.status).to.equal('completed')
  })

  it('is a difference when what is produced is not what the upcaster gives, and the field is named', async () => {
    for (const days of [0, 2]) {
      const { problems } = await replay((await recorded(days)).node, { app: after('A') })
      expect(problems.map(({ flow }) => flow?.name)).to.deep.equal(['shelf/Add', 'shelf/Sort'])
      const [ended, suspended] = problems.map(({ what }) => what)
      expect(ended).to.contain('outputs.0')
      expect(suspended, `${days} days later`).to.contain('outputs.0.data.shelf was nothing and is "A"')
    }
  })

  it('whose upcaster throws is a typed problem of its own, and the rest is replayed', async () => {
    const throwing = bookV2(contractV2, () => {
      throw new Error('no shelf')
    })
    const { problems, ticks } = await replay((await recorded(2)).node, { app: after('unsorted', throwing) })
    expect(ticks).to.be.greaterThan(2)
    const refused = problems.filter(({ kind }) => kind === 'contract')
    expect(refused.length).to.be.greaterThan(0)
    for (const { what } of refused) expect(what).to.contain('state-data-invalid').and.to.contain('no shelf')
  })

  it('is replayed also where a version of its contract was retired since', async () => {
    const { problems } = await replay((await recorded(2)).node, { app: after('unsorted', bookV2(retiring)) })
    expect(problems).to.deep.equal([])
  })
})

describe('A behaviour behind io.version', () => {
  const upgraded = (state: typeof BookV2, older: typeof BookV1) =>
    defineFlow({
      name: 'shelf/Later',
      version: 2,
      input: NoInputC,
      *run(io): FlowBody<void> {
        yield* io.sleep({ days: 1 })
        yield* io.finalise((tx) =>
          (io.version < 2
            ? tx.produce(older, { library: io.me, title: 'Emma' })
            : tx.produce(state, { library: io.me, title: 'Emma', shelf: 'A' })
          ).command(Do, [io.me]),
        )
      },
    })
  const Later = defineFlow({
    name: 'shelf/Later',
    input: NoInputC,
    *run(io): FlowBody<void> {
      yield* io.sleep({ days: 1 })
      yield* io.finalise((tx) => tx.produce(BookV1, { library: io.me, title: 'Emma' }).command(Do, [io.me]))
    },
  })
  const upgradeTo = async (state: typeof BookV2) => {
    const virtual = await VirtualNode.start({ app: defineApp({ name: 'shelf', states: [BookV1], flows: [Later] }) })
    const { id } = await virtual.node.start(Later, {})
    await virtual.stop()
    const app = defineApp({ name: 'shelf', states: [state], flows: [upgraded(state, BookV1)] })
    await virtual.restart({ app })
    await virtual.advanceBy({ days: 1 })
    return { virtual, id, app }
  }

  it('can produce the version of a state that it produced then', async () => {
    const { virtual, id, app } = await upgradeTo(BookV2)
    expect(await codeOf(virtual.node.resultOf(id))).to.equal('completed')
    const [book] = await virtual.node.states(BookV2)
    expect(book?.data.shelf).to.equal('unsorted')
    expect((await replay(virtual.node, { app })).problems).to.deep.equal([])
  })

  it('cannot produce a state under a version of its contract that is retired', async () => {
    const { virtual, id } = await upgradeTo(bookV2(retiring))
    expect(await codeOf(virtual.node.resultOf(id))).to.equal('contract-outdated')
  })

  it('is for flows of then: one that is started now cannot produce it', async () => {
    const Now = defineFlow({
      name: 'shelf/Now',
      version: 2,
      input: NoInputC,
      *run(io): FlowBody<void> {
        yield* io.finalise((tx) => tx.produce(BookV1, { library: io.me, title: 'Emma' }).command(Do, [io.me]))
      },
    })
    const virtual = await VirtualNode.start({ app: defineApp({ name: 'shelf', states: [BookV2], flows: [Now] }) })
    expect(await codeOf(virtual.node.run(Now, {}))).to.equal('definition-invalid')
  })
})

describe('The replay of a log with other parties', () => {
  const Give = defineFlow({
    name: 'shelf/Give',
    input: t.strict({ to: PartyC }),
    *run(io, { to }): FlowBody<void> {
      yield* io.finalise((tx) => tx.produce(BookV1, { library: to, title: 'Emma' }).command(Do, [to]))
    },
  })
  const app = defineApp({ name: 'shelf', states: [BookV1], flows: [Give] })

  it('has a shared transaction refused that was refused, by the map of the node and without it', async () => {
    const network = await VirtualNetwork.start({ parties: { Ada: { app }, Ben: { app } } })
    const ada = network.node('Ada')
    expect(await codeOf(ada.run(Give, { to: network.party('Ben') }))).to.equal('signature-missing')
    expect((await replay(ada, { app })).problems).to.deep.equal([])
    expect((await replay({ readLog: () => ada.readLog() }, { app })).problems).to.deep.equal([])
  })
})

describe('A difference under a test runner', () => {
  it('is told once, in the message', async () => {
    const virtual = await recorded(0)
    const failure: unknown = await assertReplays(virtual.node, { app: after('A') }).catch((error: unknown) => error)
    expect(failure).to.be.instanceOf(Error)
    expect(failure).to.not.have.property('showDiff', true)
    expect(failure).to.have.property('actual', undefined)
  })
})
