/** Parts that wait for what is recorded: however many there are, each is woken, and the log grows with what happens. */
import { expect } from 'chai'
import * as t from 'io-ts'
import { defineApp, defineFlow, defineSignal, type AnyFlowDefinition, type FlowBody } from '../../src/index.js'
import type { VirtualNode } from '../../src/testing/index.js'
import { crashAndRestart, eventsOf, flowOf, Note, startVirtual, WriteNote } from './ledgerOfNotes.js'

const Go = defineSignal({ name: 'parts/Go', data: t.strict({ n: t.number }) })

const Nap = defineFlow({
  name: 'parts/Nap',
  input: t.strict({ n: t.number }),
  *run(io, { n }): FlowBody<number> {
    yield* io.sleep({ seconds: 5 })
    return n
  },
})

const start = (...flows: readonly AnyFlowDefinition[]): Promise<VirtualNode> =>
  startVirtual(defineApp({ name: 'parts', states: [Note], flows: [WriteNote, Nap, ...flows], signals: [Go] }), {
    development: false,
  })

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
    const virtual = await start(Waiting)
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
    const virtual = await start(Joining)
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
      const virtual = await start(Waiting)
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
