/** Parts that wait for what is recorded: however many there are, each is woken, and the log grows with what happens. */
import { expect } from 'chai'
import { some } from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import {
  defineApp,
  defineFlow,
  defineSignal,
  defineState,
  InstantC,
  NoInputC,
  PartyC,
  plus,
  retryLater,
  StateRefC,
  type AnyFlowDefinition,
  type AnyStateDefinition,
  type FlowBody,
  type FlowIo,
  type TransactionId,
} from '../../src/index.js'
import type { VirtualNode } from '../../src/testing/index.js'
import { crashAndRestart, eventsOf, flowOf, startVirtual, statusOf, Write } from './ledgerOfNotes.js'

const Go = defineSignal({ name: 'parts/Go', data: t.strict({ n: t.number }) })

const Nap = defineFlow({
  name: 'parts/Nap',
  input: t.strict({ n: t.number }),
  *run(io, { n }): FlowBody<number> {
    yield* io.sleep({ seconds: 5 })
    return n
  },
})

const start = ({
  states = [],
  flows,
}: {
  readonly states?: readonly AnyStateDefinition[]
  readonly flows: readonly AnyFlowDefinition[]
}): Promise<VirtualNode> =>
  startVirtual(defineApp({ name: 'parts', states, flows: [Nap, ...flows], signals: [Go] }), { development: false })

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n)

const many = <A>(count: number, part: (n: number) => FlowBody<A>): readonly (readonly [string, FlowBody<A>])[] =>
  numbers(count).map((n) => [`part ${n}`, part(n)] as const)

const bytesOfLog = async ({ node }: VirtualNode): Promise<number> => JSON.stringify(await eventsOf(node)).length

describe('Many parts that wait', () => {
  it('all come to wait, over several turns, and the flow is quiet then', async () => {
    const count = 1_000
    const Waiting = flowOf(function* (io): FlowBody<number> {
      const all = yield* io.all(many(count, () => io.signal(Go, { within: { hours: 1 } })))
      return all.length
    })
    const virtual = await start({ flows: [Waiting] })
    const { id } = await virtual.node.start(Waiting, {})
    await virtual.runUntilQuiet()
    expect((await virtual.node.flow(id))?.waiting).to.have.length(count)
    await crashAndRestart(virtual)
    const before = virtual.node.head.revision
    await virtual.node.signal(id, Go, { n: 1 })
    await virtual.runUntilQuiet()
    expect(virtual.node.head.revision - before).to.be.lessThan(10)
    expect((await virtual.node.flow(id))?.waiting).to.have.length(count - 1)
    await virtual.advanceBy({ hours: 1 })
    expect(await virtual.node.resultOf(id)).to.equal(count)
    await virtual.stop()
  }).timeout(20_000)

  it('go on when what they started has ended', async () => {
    const count = 300
    const Joining = flowOf(function* (io): FlowBody<number> {
      const all = yield* io.all(
        many(count, function* (n): FlowBody<number> {
          return yield* io.join(yield* io.start(Nap, { n }))
        }),
      )
      return all.length
    })
    const virtual = await start({ flows: [Joining] })
    const { id } = await virtual.node.start(Joining, {})
    await virtual.advanceBy({ minutes: 1 })
    expect(await virtual.node.resultOf(id)).to.equal(count)
    await virtual.stop()
  }).timeout(20_000)

  it('write a log that grows with their number, not with its square, when they are woken one by one', async () => {
    const bytesPerPart = async (count: number): Promise<number> => {
      const Waiting = flowOf(function* (io): FlowBody<number> {
        return (yield* io.all(many(count, () => io.signal(Go)))).length
      })
      const virtual = await start({ flows: [Waiting] })
      const { id } = await virtual.node.start(Waiting, {})
      await virtual.runUntilQuiet()
      for (const n of numbers(count)) {
        await virtual.node.signal(id, Go, { n })
        await virtual.runUntilQuiet()
      }
      expect(await virtual.node.resultOf(id)).to.equal(count)
      const bytes = await bytesOfLog(virtual)
      await virtual.stop()
      return bytes / count
    }
    expect((await bytesPerPart(100)) / (await bytesPerPart(25))).to.be.lessThan(1.2)
  }).timeout(20_000)
})

describe('A part that waits for what another part does', () => {
  const Book = defineState({
    type: 'parts/Book',
    data: t.strict({ owner: PartyC, isbn: t.string }),
    participants: ({ owner }) => [owner],
    key: ({ isbn }) => isbn,
  })
  const add = function* (io: FlowIo, isbn: string): FlowBody<TransactionId> {
    return (yield* io.finalise((tx) => tx.produce(Book, { owner: io.me, isbn }).command(Write, [io.me]))).id
  }
  const after = function* <A>(io: FlowIo, seconds: number, body: () => FlowBody<A>): FlowBody<A> {
    yield* io.sleep({ seconds })
    return yield* body()
  }
  const wait = function* (io: FlowIo, isbn: string): FlowBody<string> {
    return (yield* io.waitFor(Book, { key: isbn })).data.isbn
  }
  const send = (io: FlowIo): FlowBody<void> => io.sendSignal(io.flowId, Go, { n: 7 })
  const take = function* (io: FlowIo): FlowBody<number> {
    return (yield* io.signal(Go)).data.n
  }
  const cases: Readonly<Record<string, readonly [(io: FlowIo) => FlowBody<Record<string, unknown>>, unknown]>> = {
    'a state, in the same turn': [(io) => io.all({ w: wait(io, 'a'), p: add(io, 'a') }), 'a'],
    'a state, in a later turn': [(io) => io.all({ w: wait(io, 'a'), p: after(io, 5, () => add(io, 'a')) }), 'a'],
    'a signal, in the same turn': [(io) => io.all({ w: take(io), p: send(io) }), 7],
    'a signal, in a later turn': [(io) => io.all({ w: take(io), p: after(io, 5, () => send(io)) }), 7],
    'a signal that comes with the end of its step': [
      (io) =>
        io.all({
          w: take(io),
          p: (function* (): FlowBody<void> {
            yield* io.step('ask', () => 1)
            yield* send(io)
          })(),
        }),
      7,
    ],
    'a chain of them': [
      (io) =>
        io.all({
          w: wait(io, 'c'),
          x: (function* (): FlowBody<void> {
            yield* wait(io, 'b')
            yield* add(io, 'c')
          })(),
          y: (function* (): FlowBody<void> {
            yield* take(io)
            yield* add(io, 'b')
          })(),
          z: send(io),
        }),
      'c',
    ],
  }
  for (const [what, [run, expected]] of Object.entries(cases))
    it(`goes on: ${what}`, async () => {
      const Tested = flowOf(run)
      const virtual = await start({ states: [Book], flows: [Tested] })
      const { id } = await virtual.node.start(Tested, {})
      await virtual.advanceBy({ minutes: 1 })
      expect(await statusOf(virtual.node, id)).to.equal('completed')
      expect(await virtual.node.resultOf(id)).to.include({ w: expected })
      await virtual.stop()
    })
})

describe('A child that ends its own parent, and is to end with it', () => {
  it('is cancelled when it waits', async () => {
    const Child = defineFlow({
      name: 'parts/Child',
      input: t.strict({ ref: StateRefC }),
      *run(io, { ref }): FlowBody<void> {
        yield* io.sleep({ seconds: 1 })
        yield* io.killFlowOf(ref)
        yield* io.signal(Go)
      },
    })
    const Parent = defineFlow({
      name: 'parts/Parent',
      schedulable: true,
      input: t.strict({ ref: StateRefC }),
      *run(io, { ref }): FlowBody<void> {
        yield* io.start(Child, { ref }, { whenParentEnds: 'cancel' })
        yield* io.signal(Go)
      },
    })
    const Task = defineState({
      type: 'parts/Task',
      data: t.strict({ owner: PartyC, at: InstantC }),
      participants: ({ owner }) => [owner],
      nextScheduledActivity: ({ at }, ref) => some(Parent.at(at, { ref })),
    })
    const Plan = flowOf(function* (io): FlowBody<void> {
      const at = plus(yield* io.now(), { seconds: 1 })
      yield* io.finalise((tx) => tx.produce(Task, { owner: io.me, at }).command(Write, [io.me]))
    })
    const virtual = await start({ states: [Task], flows: [Child, Parent, Plan] })
    await virtual.node.run(Plan, {})
    await virtual.advanceBy({ minutes: 1 })
    const ended = (await virtual.node.flows({ limit: 10 })).items.map(({ name, status }) => `${name} ${status}`)
    expect(ended).to.include.members(['parts/Parent killed', 'parts/Child killed'])
    await virtual.stop()
  })
})

describe('A part that fails, and is tried again', () => {
  /** One part fails after a second, until it is told not to; the others sleep, wait and go on meanwhile. */
  const failing = (tries: number[], isBusy: () => boolean, now: () => number) =>
    defineFlow({
      name: 'parts/Failing',
      input: NoInputC,
      retry: { attempts: 3, firstWaitMs: 3_600_000, longestWaitMs: 3_600_000, jitter: 0 },
      whenFailing: 'park',
      *run(io): FlowBody<unknown> {
        const bad = function* (): FlowBody<unknown> {
          yield* io.sleep({ seconds: 1 })
          yield* io.now()
          tries.push(now())
          if (isBusy()) throw retryLater('busy')
          return 'free'
        }
        const told = function* (): FlowBody<unknown> {
          const { data } = yield* io.signal(Go)
          yield* io.sleep({ minutes: 1 })
          return data.n
        }
        const nap = function* (n: number): FlowBody<unknown> {
          yield* io.sleep({ minutes: 10 * n + 5 })
          return n
        }
        return (yield* io.all([['told', told()], ['bad', bad()], ...many(30, nap)])).slice(0, 2)
      },
    })

  for (const restarts of [false, true])
    it(`waits for its time and runs out of tries, whatever the others do${restarts ? ', also after crashes' : ''}`, async () => {
      const tries: number[] = []
      let isBusy = true
      const clock = { now: () => 0 }
      const Failing = failing(
        tries,
        () => isBusy,
        () => clock.now(),
      )
      const virtual = await start({ flows: [Failing] })
      clock.now = () => Date.parse(virtual.now)
      const { id } = await virtual.node.start(Failing, {})
      for (let minute = 0; minute < 30; minute += 10) {
        await virtual.advanceBy({ minutes: 10 })
        if (restarts) await crashAndRestart(virtual)
      }
      expect(new Set(tries).size).to.equal(1)
      expect((await virtual.node.flow(id))?.troubles).to.have.length(1)
      await virtual.node.signal(id, Go, { n: 4 })
      await virtual.advanceBy({ minutes: 5 })
      const record = (await virtual.node.flow(id))?.record ?? []
      expect(record.filter(({ part }) => part === '1')).to.have.length(2)
      await virtual.advanceBy({ hours: 4 })
      expect(await statusOf(virtual.node, id)).to.equal('parked: flow-retry-later')
      const [first = 0, ...later] = [...new Set(tries)]
      expect(later.map((at) => Math.round((at - first) / 3_600_000))).to.deep.equal([1, 2])
      isBusy = false
      await virtual.node.retryFlow(id)
      await virtual.advanceBy({ hours: 6 })
      expect(await virtual.node.resultOf(id)).to.deep.equal([4, 'free'])
      await virtual.stop()
    })
})
