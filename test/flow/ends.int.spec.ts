import { expect } from 'chai'
import * as t from 'io-ts'
import { some } from 'fp-ts/lib/Option.js'
import {
  activity,
  defineFlow,
  defineState,
  instant,
  IntegerC,
  PartyC,
  StateRefC,
  type FlowBody,
  type FlowDefinition,
  type FlowIo,
} from '../../src/index.js'
import { engineLimits } from '../../src/engine/limits.js'
import {
  appOf,
  crashAndRestart,
  eventTypes,
  expectAlive,
  flowOf,
  Note,
  refusal,
  startVirtual,
  statusOf,
  textsOf,
  Write,
  writeNote,
} from './ledgerOfNotes.js'

const unshowable = {
  toString: () => {
    throw new Error('not even this')
  },
}

/** What a flow may throw or return, and what is recorded of it. */
const ends: Readonly<Record<string, [body: (io: FlowIo) => FlowBody<unknown>, status: string, says: string]>> = {
  'throws undefined': [throwing(undefined), 'failed: flow-threw', 'undefined'],
  'throws a text': [throwing('just words'), 'failed: flow-threw', 'just words'],
  'throws a number': [throwing(-0), 'failed: flow-threw', '0'],
  'throws something whose toString throws': [throwing(unshowable), 'failed: flow-threw', 'cannot be shown as text'],
  'throws an object without a prototype': [throwing(Object.create(null)), 'failed: flow-threw', 'cannot be shown'],
  'throws an error without a message': [throwing(new RangeError()), 'failed: flow-threw', 'RangeError'],
  'throws an error with an endless message': [throwing(new Error('x'.repeat(1_000_000))), 'failed: flow-threw', 'xxx'],
  'returns a function': [returning(() => 1), 'failed: flow-result-invalid', 'A value of type function'],
  'returns a class instance': [returning({ at: new Date(0) }), 'failed: flow-result-invalid', 'class Date at at'],
  'returns a map': [returning(new Map([[1, 2]])), 'failed: flow-result-invalid', 'class Map'],
  'returns a bigint': [returning(1n), 'failed: flow-result-invalid', 'bigint'],
  'returns minus zero': [returning([-0]), 'failed: flow-result-invalid', 'Minus zero at 0'],
  'returns more than a fact may hold': [returning('x'.repeat(400_000)), 'failed: flow-result-invalid', '131072 bytes'],
}

function throwing(what: unknown): (io: FlowIo) => FlowBody<unknown> {
  return function* () {
    throw what
  }
}

function returning(what: unknown): (io: FlowIo) => FlowBody<unknown> {
  return function* () {
    return what
  }
}

describe('The end of a flow', () => {
  for (const [what, [body, status, says]] of Object.entries(ends)) {
    it(`is recorded whatever it does, at once or after a sleep: one that ${what}`, async () => {
      const AtOnce = flowOf(body, 'notes/AtOnce')
      const Later = flowOf(function* (io): FlowBody<unknown> {
        yield* writeNote(io, 'stays')
        yield* io.sleep({ days: 1 })
        return yield* body(io)
      }, 'notes/Later')
      const virtual = await startVirtual(appOf([AtOnce, Later]))
      const first = await virtual.node.start(AtOnce, {})
      const second = await virtual.node.start(Later, {})
      await virtual.advanceBy({ days: 1 })
      for (const { id, result } of [first, second]) {
        expect(await statusOf(virtual.node, id)).to.equal(status)
        const error = await refusal(result())
        expect(error.message).to.include(says)
        expect(error.message.length).to.be.lessThan(3_000)
      }
      expect(await textsOf(virtual.node)).to.deep.equal(['stays'])
      await expectAlive(virtual)
      await virtual.stop()
    })
  }

  it('is its own affair when it catches and swallows what it meets', async () => {
    const flow = flowOf(function* (io): FlowBody<string> {
      for (let n = 0; n < 3; n++) {
        try {
          yield* io.finalise((tx) => tx.command(Write, [io.me]))
        } catch {
          // Swallowed.
        }
        try {
          yield* io.step('fails', () => Promise.reject(new Error('no')), { retry: { attempts: 1 } })
        } finally {
          yield* io.progress(`swallowing ${n}`)
          // oxlint-disable-next-line no-unsafe-finally -- what is tested
          continue
        }
      }
      return 'content'
    })
    const virtual = await startVirtual(appOf([flow]))
    expect(await virtual.node.run(flow, {})).to.equal('content')
    await virtual.stop()
  })

  it('is a void result where it returns nothing', async () => {
    const flow = flowOf(function* (io): FlowBody<void> {
      yield* io.now()
    })
    const virtual = await startVirtual(appOf([flow]))
    const { id, result } = await virtual.node.start(flow, {})
    await result()
    expect((await virtual.node.flow(id))?.result).to.equal(undefined)
    await virtual.stop()
  })

  it('is superseded when the state whose activity started it was consumed by someone else meanwhile', async () => {
    const Due = defineState({
      type: 'notes/Due',
      data: t.strict({ owner: PartyC }),
      participants: ({ owner }) => [owner],
      nextScheduledActivity: (_, ref) =>
        some(activity(instant('2026-01-02T00:00Z'), { name: 'notes/Late', input: { ref: { ...ref } } })),
    })
    const Late = defineFlow({
      name: 'notes/Late',
      schedulable: true,
      input: t.strict({ ref: StateRefC }),
      *run(io, { ref }): FlowBody<void> {
        yield* io.sleep({ hours: 1 })
        yield* io.load(Due, ref)
      },
    })
    const Make = flowOf(function* (io): FlowBody<void> {
      yield* io.finalise((tx) => tx.produce(Due, { owner: io.me }).command(Write, [io.me]))
    }, 'notes/Make')
    const Take = flowOf(function* (io): FlowBody<void> {
      const [due] = yield* io.query(Due)
      yield* io.finalise((tx) => tx.consume(due!).command(Write, [io.me]))
    }, 'notes/Take')
    const virtual = await startVirtual(appOf([Late, Make, Take], [Due]))
    await virtual.node.run(Make, {})
    const { ref } = (await virtual.node.states(Due))[0]!
    await virtual.advanceTo(instant('2026-01-02T00:30Z'))
    await virtual.node.run(Take, {})
    await virtual.advanceTo(instant('2026-01-02T02:00Z'))
    const [attempt] = await virtual.node.occurrences(ref)
    expect(attempt).to.deep.include({ outcome: 'superseded', attempt: 1 })
    const error = await refusal(virtual.node.resultOf(attempt!.flow!), 'state-consumed')
    expect(error.details['ref']).to.equal(`${ref.transaction}:${ref.index}`)
    await virtual.stop()
  })
})

describe('The limits of a flow', () => {
  const nested: FlowDefinition<{ n: number }, number> = defineFlow({
    name: 'notes/Nested',
    input: t.strict({ n: IntegerC }),
    *run(io, { n }): FlowBody<number> {
      if (n > 0) return 1 + (yield* io.subFlow(nested, { n: n - 1 }))
      yield* io.sleep({ days: 1 })
      return 0
    },
  })

  it('allow sub-flows 32 deep, over a crash, and park what goes deeper', async () => {
    const virtual = await startVirtual(appOf([nested]))
    const deep = await virtual.node.start(nested, { n: 32 })
    const deeper = await virtual.node.start(nested, { n: 33 })
    expect(await statusOf(virtual.node, deeper.id)).to.equal('parked: flow-too-long')
    expect((await virtual.node.flow(deeper.id))?.error?.message).to.include('33 deep; at most 32')
    await crashAndRestart(virtual)
    await virtual.advanceBy({ days: 1 })
    expect(await virtual.node.resultOf(deep.id)).to.equal(32)
    await virtual.stop()
  })

  it('check the input of a sub-flow', async () => {
    const flow = flowOf((io) => io.subFlow(nested, { n: 'two' as unknown as number }))
    const virtual = await startVirtual(appOf([flow, nested]))
    const error = await refusal(virtual.node.run(flow, {}), 'flow-input-invalid')
    expect(error.message).to.include('notes/Nested')
    await virtual.stop()
  })

  it('park a flow that records more than 10,000 operations, with its record, and leave the others alone', async () => {
    const flow = flowOf(function* (io): FlowBody<void> {
      for (;;) {
        try {
          yield* io.now()
        } catch {
          // Even one that swallows everything comes to an end.
        }
      }
    })
    const virtual = await startVirtual(appOf([flow]), { development: false })
    const { id } = await virtual.node.start(flow, {})
    await virtual.runUntilQuiet()
    expect(await statusOf(virtual.node, id)).to.equal('parked: flow-too-long')
    const parked = await virtual.node.flow(id)
    expect(parked?.record).to.have.length(10_000)
    expect(parked?.error?.message).to.include('10000 operations').and.to.include('Split the work')
    await virtual.node.retryFlow(id)
    await virtual.runUntilQuiet()
    expect(await statusOf(virtual.node, id)).to.equal('parked: flow-too-long')
    await expectAlive(virtual)
    await virtual.stop()
  })

  it('make a flow of 2,000 transactions take turns, in ticks of bounded size, and end right', async function () {
    const long = flowOf(function* (io): FlowBody<number> {
      let made = 0
      for (let n = 0; n < 2_000; n++) {
        const { outputs } = yield* io.finalise((tx) =>
          tx.produce(Note, { owner: io.me, text: 'x'.repeat(300), n }).command(Write, [io.me]),
        )
        made += outputs.length
      }
      return made
    })
    const short = flowOf((io) => io.now(), 'notes/Short')
    const virtual = await startVirtual(appOf([long, short]), { development: false })
    const head = virtual.node.head
    const { id } = await virtual.node.start(long, {})
    await virtual.node.run(short, {})
    expect(await statusOf(virtual.node, id), 'the short one came in between').to.equal('running')
    await virtual.runUntilQuiet()
    expect(await virtual.node.resultOf(id)).to.equal(2_000)
    let ticks = 0
    for await (const tick of virtual.node.readLog(head.revision + 1)) {
      ticks += 1
      const bytes = Buffer.byteLength(tick.events.join('\n'))
      expect(bytes).to.be.lessThan(engineLimits.tickBytes + engineLimits.turnBytes + 16 * 1024)
    }
    const notes = await virtual.node.states(Note, { limit: 1_000 })
    expect(notes.map(({ data }) => data.n)).to.deep.equal(Array.from({ length: 1_000 }, (_, n) => n))
    expect(ticks).to.be.greaterThan(4)
    expect((await eventTypes(virtual.node)).filter((type) => type === 'TransactionRecorded')).to.have.length(2_000)
    await virtual.stop()
  })

  it('bound a query', async () => {
    const limitsOf = [0, -1, 1.5, Number.NaN, 1_001, Infinity]
    const flow = flowOf(function* (io): FlowBody<string[]> {
      const codes: string[] = []
      for (const limit of limitsOf) {
        const outcome = yield* io.attempt(io.query(Note, { limit }))
        codes.push(outcome._tag === 'Left' ? outcome.left.code : 'answered')
      }
      yield* io.sleep({ days: 1 })
      return codes
    })
    const virtual = await startVirtual(appOf([flow]))
    const { id } = await virtual.node.start(flow, {})
    await crashAndRestart(virtual)
    await virtual.advanceBy({ days: 1 })
    expect(await virtual.node.resultOf(id)).to.deep.equal(limitsOf.map(() => 'query-unbounded'))
    await virtual.stop()
  })
})
