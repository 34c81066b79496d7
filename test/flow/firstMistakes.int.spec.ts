/**
 * The usual first mistakes of an app developer, made on purpose: each is told with the line it is on and with what to do
 * about it.
 */
import { expect } from 'chai'
import { some } from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import {
  allOf,
  CarillonError,
  defineContract,
  defineFlow,
  defineResponder,
  defineState,
  instant,
  InstantC,
  instantFromMillis,
  NoInputC,
  PartyC,
  type App,
  type FlowBody,
  type FlowIo,
  type Node,
} from '../../src/index.js'
import {
  appOf,
  eventsOf,
  flowOf,
  Note,
  refusal,
  startVirtual,
  textsOf,
  Write,
  WriteNote,
  writeNote,
} from './ledgerOfNotes.js'

/** The number of the line on which this is called. */
const thisLine = (): number => {
  const [, caller] = new Error('here').stack!.split('\n').slice(1)
  return Number(/firstMistakes\.int\.spec\.ts:(\d+):\d+/.exec(caller!)![1])
}

/** That a message names a line of this file. */
const expectLine = (message: string, line: number): void => {
  expect(message).to.match(new RegExp(`/test/flow/firstMistakes\\.int\\.spec\\.ts:${line}:\\d+`))
}

/** JavaScript has no types to hold anybody back. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the type that is wanted is all there is to say
const unchecked = <A>(value: unknown): A => value as A

const within = async <A>(app: App, use: (node: Node) => Promise<A>): Promise<A> => {
  const virtual = await startVirtual(app)
  try {
    return await use(virtual.node)
  } finally {
    await virtual.stop()
  }
}

/** The error that a flow ends with on a development node. */
const failureOf = (code: (io: FlowIo) => FlowBody<unknown>, app = appOf): Promise<CarillonError> => {
  const flow = flowOf(code)
  return within(app([flow]), (node) => refusal(node.run(flow, {})))
}

describe('A first mistake is told with its line and what to do', () => {
  it('1. yield* is forgotten before an operation whose answer is not used', async () => {
    let line = 0
    const error = await failureOf(function* (io) {
      yield* io.now()
      line = thisLine() + 1
      io.finalise((tx) => tx.produce(Note, { owner: io.me, text: 'lost', n: 1 }).command(Write, [io.me]))
      return 'done'
    })
    expect(error.code).to.equal('operation-not-yielded')
    expect(error.message).to.contain('io.finalise').and.to.contain('yield* io.finalise(…)')
    expectLine(error.message, line)
  })

  it('1. yield* is forgotten before an operation whose answer is used', async () => {
    let line = 0
    const error = await failureOf(function* (io) {
      const ref = yield* writeNote(io, 'there')
      line = thisLine() + 1
      const note = io.load(Note, ref)
      return unchecked<{ data: { text: string } }>(note).data.text
    })
    expect(error.code).to.equal('operation-not-yielded')
    expect(error.message).to.contain('io.load').and.to.contain('Cannot read properties of undefined')
    expectLine(error.message, line)
    expect(error.cause).to.be.instanceOf(Error).with.property('name', 'TypeError')
  })

  it('1. yield is written without its star', async () => {
    const error = await failureOf(function* (io): FlowBody<unknown> {
      return yield unchecked(io.now())
    })
    expect(error.code).to.equal('operation-not-yielded')
    expect(error.message).to.contain('yield* io.now(…)')
    expect(error.message).to.match(/firstMistakes\.int\.spec\.ts:\d+:\d+/)
  })

  it('2. run is async', () => {
    const line = thisLine() + 3
    let error: unknown
    try {
      defineFlow({
        name: 'notes/Async',
        input: NoInputC,
        run: unchecked<() => FlowBody<never>>(async (io: FlowIo) => Promise.resolve(io.me.name)),
      })
    } catch (thrown) {
      error = thrown
    }
    expect(error).to.be.instanceOf(CarillonError).with.property('code', 'definition-invalid')
    const { message } = error as CarillonError
    expect(message).to.contain('run is async').and.to.contain('*run(io, input)').and.to.contain('step')
    expectLine(message, line)
  })

  it('2. run gives a promise', async () => {
    const line = thisLine() + 1
    const flow = defineFlow({
      name: 'notes/P',
      input: NoInputC,
      run: unchecked<() => FlowBody<never>>(() => Promise.reject(new Error('x'))),
    })
    const error = await within(appOf([flow]), (node) => refusal(node.run(flow, {}), 'definition-invalid'))
    expect(error.message).to.contain('promise').and.to.contain('*run(io, input)')
    expectLine(error.message, line)
  })

  it('2. run of a responder is async', () => {
    const define = (): unknown =>
      defineResponder({
        name: 'notes/A',
        respondsTo: 'notes/Q',
        run: unchecked<() => FlowBody<never>>(async () => Promise.resolve()),
      })
    expect(define).to.throw(CarillonError, 'run is async')
  })

  it('3. the star of run is forgotten', async () => {
    const line = thisLine() + 1
    const flow = defineFlow({
      name: 'notes/NoStar',
      input: NoInputC,
      run: unchecked<() => FlowBody<never>>(() => 'done'),
    })
    const error = await within(appOf([flow]), (node) => refusal(node.run(flow, {}), 'definition-invalid'))
    expect(error.message).to.contain('not a generator').and.to.contain('with the star')
    expectLine(error.message, line)
  })

  it('3. run is missing', () => {
    expect(() =>
      defineFlow({ name: 'notes/None', input: NoInputC, run: unchecked<() => FlowBody<never>>(undefined) }),
    ).to.throw(CarillonError, 'run is missing')
  })

  for (const [what, read] of [
    ['Date.now()', () => Date.now()],
    ['new Date()', () => new Date().getTime()],
    ['performance.now()', () => Math.trunc(performance.now())],
  ] as const)
    it(`4. a flow reads the clock: ${what}`, async () => {
      let line = 0
      const error = await failureOf(function* (io) {
        line = thisLine() + 1
        yield* io.sleepUntil(instantFromMillis(what === 'Date.now()' ? Date.now() : read()))
      })
      expect(error.code).to.equal('flow-reads-clock')
      expect(error.message).to.contain(`reads the clock with ${what}`).and.to.contain('yield* io.now()')
      if (what === 'Date.now()') expectLine(error.message, line)
      expect(error.message).to.match(/firstMistakes\.int\.spec\.ts:\d+:\d+/)
    })

  it('4. a flow makes a random number', async () => {
    let line = 0
    const flow = flowOf(function* (io) {
      line = thisLine() + 1
      yield* io.sleep({ milliseconds: Math.floor(Math.random() * 2 ** 40) })
    })
    await within(appOf([flow]), async (node) => {
      const { id } = await node.start(flow, {})
      const { error, status } = (await node.flow(id))!
      expect(status).to.equal('parked')
      expect(error!.message).to.contain('Math.random()').and.to.contain('io.newId()')
      expectLine(error!.message, line)
    })
  })

  const activityError = async (next: (at: string) => unknown): Promise<{ message: string; line: number }> => {
    const line = thisLine() + 1
    const Odd = defineState({
      type: 'notes/Odd',
      data: t.strict({ owner: PartyC, at: InstantC }),
      participants: ({ owner }) => [owner],
      nextScheduledActivity: ({ at }) => unchecked(next(at)),
    })
    const make = flowOf(function* (io) {
      const data = { owner: io.me, at: instant('2026-02-01T00:00:00.000Z') }
      yield* io.finalise((tx) => tx.produce(Odd, data).command(Write, [io.me]))
    })
    return within(appOf([make], [Odd]), async (node) => {
      await node.run(make, {})
      const [entry] = (await node.agenda({ show: 'attention' })).items
      return { message: entry!.error!.message, line }
    })
  }

  it('5. nextScheduledActivity reads the clock', async () => {
    let line = 0
    const { message } = await activityError(() => {
      line = thisLine() + 1
      return some({ at: instantFromMillis(Date.now()), flow: WriteNote.name })
    })
    expect(message).to.contain('reads the clock with Date.now()').and.to.contain('put the instant into the state')
    expectLine(message, line)
  })

  it('6. a contract throws', async () => {
    let line = 0
    const contract = defineContract({
      name: 'notes/Throws',
      verify: (transaction) => {
        line = thisLine() + 1
        const [first] = transaction.inputs as unknown as [{ data: unknown }]
        return allOf([{ _tag: 'Left', left: String(first.data) }])
      },
    })
    const Strict = defineState({ ...Note, type: 'notes/Strict', contract, upcasters: {} } as never)
    const error = await failureOf(
      function* (io) {
        yield* io.finalise((tx) =>
          tx.produce(unchecked<typeof Note>(Strict), { owner: io.me, text: '', n: 1 }).command(Write, [io.me]),
        )
      },
      (flows) => appOf(flows, [Strict]),
    )
    expect(error.code).to.equal('contract-threw')
    expect(error.message).to.contain('notes/Throws').and.to.contain('violations').and.to.contain('allOf')
    expectLine(error.message, line + 1)
    expect(error.cause).to.have.property('name', 'TypeError')
  })

  it('7. nextScheduledActivity gives undefined', async () => {
    const { message, line } = await activityError(() => undefined)
    expect(message).to.contain('gave undefined').and.to.contain('some(…)').and.to.contain('return')
    expectLine(message, line)
  })

  it('7. nextScheduledActivity gives an activity without some', async () => {
    const { message } = await activityError((at) => ({ at, flow: { name: 'notes/WriteNote', input: { text: '' } } }))
    expect(message).to.contain('an activity by itself').and.to.contain('some(activity)')
  })

  it('8. a flow is started with the wrong input', async () => {
    const error = await within(appOf([]), async (node) => {
      const line = thisLine() + 1
      const refused = await refusal(node.run(WriteNote, unchecked({ text: 7 })), 'flow-input-invalid')
      expectLine(refused.message, line)
      return refused
    })
    expect(error.message).to.contain('notes/WriteNote').and.to.contain('text')
  })

  it('9. a flow is started that the app does not list', async () => {
    const stray = flowOf(function* (io) {
      yield* io.now()
    }, 'notes/Stray')
    await within(appOf([]), async (node) => {
      const line = thisLine() + 1
      const error = await refusal(node.run(stray, {}), 'flow-unknown')
      expect(error.message).to.contain('notes/Stray').and.to.contain("Add it to the app's flows")
      expectLine(error.message, line)
    })
  })

  it('9. a state is produced that the app does not list', async () => {
    const Stray = defineState({ type: 'notes/Stray', data: t.strict({}), participants: () => [] })
    let line = 0
    const error = await failureOf(function* (io) {
      line = thisLine() + 1
      yield* io.finalise((tx) => tx.produce(Stray, {}).command(Write, [io.me]))
    })
    expect(error.code).to.equal('state-type-unknown')
    expect(error.message).to.contain('notes/Stray').and.to.contain("Add it to the app's states")
    expectLine(
      error
        .stack!.split('\n')
        .slice(1)
        .find((call) => call.includes('firstMistakes'))!,
      line,
    )
  })

  it('10. a flow returns what cannot be recorded', async () => {
    const line = thisLine() + 1
    const flow = defineFlow({
      name: 'notes/Odd',
      input: NoInputC,
      *run(io) {
        yield* io.now()
        return { when: new Date(0), total: 10n }
      },
    })
    const error = await within(appOf([flow]), (node) => refusal(node.run(flow, {}), 'flow-result-invalid'))
    expect(error.message).to.contain('notes/Odd').and.to.contain('Return plain data')
    expectLine(error.message, line)
  })
})

describe('What a development node looks for', () => {
  it('leaves alone what is given to another operation, asked for later, or reads no clock', async () => {
    const flow = flowOf(function* (io) {
      const later = io.newId()
      const when = new Date(yield* io.now()).toISOString()
      const tried = yield* io.attempt(io.find(Note, 'none'))
      return [when, tried._tag, (yield* later).length > 0]
    })
    await within(appOf([flow]), async (node) => {
      expect(await node.run(flow, {})).to.deep.equal(['2026-01-01T00:00:00.000Z', 'Left', true])
    })
  })

  it('is not looked for on other nodes, where the operation is left out', async () => {
    const flow = flowOf(function* (io) {
      yield* io.now()
      void io.finalise((tx) => tx.produce(Note, { owner: io.me, text: 'lost', n: 1 }).command(Write, [io.me]))
      return Date.now() > 0
    })
    const virtual = await startVirtual(appOf([flow]), { development: false })
    expect(await virtual.node.run(flow, {})).to.equal(true)
    expect(await textsOf(virtual.node)).to.deep.equal([])
    await virtual.stop()
  })

  it('finds what a part of a flow forgets, names its lines, and leaves alone parts that are made before they are run', async () => {
    let line = 0
    const forgets = await failureOf(function* (io) {
      const part = function* (): FlowBody<void> {
        yield* io.sleep({ milliseconds: 0 })
        line = thisLine() + 1
        void io.progress('forgotten')
      }
      yield* io.all({ first: part(), second: io.newId() })
    })
    expect(forgets.code).to.equal('operation-not-yielded')
    expectLine(forgets.message, line)
    const lost = await failureOf(function* (io) {
      const part = function* (): FlowBody<unknown> {
        line = thisLine() + 1
        return yield* io.load(Note, { transaction: '0'.repeat(64) as never, index: 0 })
      }
      yield* io.all({ first: part(), second: io.newId() })
    })
    expect(lost.code).to.equal('state-unknown')
    expectLine(lost.stack!, line)
    const flow = flowOf(function* (io) {
      const parts = [['first', io.newId()] as const, ['second', io.newId()] as const]
      yield* io.progress('made, and not run yet')
      const raced = yield* io.race({ slow: io.sleep({ hours: 1 }), fast: io.newId() })
      return [(yield* io.all(parts)).length, raced.winner]
    })
    await within(appOf([flow]), async (node) => {
      expect(await node.run(flow, {})).to.deep.equal([2, 'fast'])
    })
  })

  it('finds what a flow that never ends forgets again and again', async () => {
    const flow = flowOf(function* (io) {
      for (;;) {
        yield* io.sleep({ hours: 1 })
        void io.progress('an hour')
      }
    })
    const virtual = await startVirtual(appOf([flow]))
    const { id } = await virtual.node.start(flow, {})
    await virtual.advanceBy({ days: 10 })
    expect((await virtual.node.flow(id))?.error?.code).to.equal('operation-not-yielded')
    await virtual.stop()
  })

  it('leaves clocks and randomness as they were', async () => {
    const members = [Date, performance.now, Math.random, crypto.randomUUID]
    await failureOf(function* (io) {
      yield* io.sleepUntil(instantFromMillis(Date.now()))
    })
    expect([Date, performance.now, Math.random, crypto.randomUUID]).to.deep.equal(members)
    expect(Object.hasOwn(performance, 'now')).to.equal(false)
  })

  it('is a matter of the node that runs the flow: what is recorded says how it ended', async () => {
    const flow = flowOf(function* (io) {
      yield* io.sleep({ hours: 1 })
      void io.progress('forgotten')
    })
    const virtual = await startVirtual(appOf([flow]))
    const { id } = await virtual.node.start(flow, {})
    await virtual.advanceBy({ hours: 1 })
    const ended = (await eventsOf(virtual.node)).find((event) => event.type === 'FlowEnded' && event.flow === id)
    expect(ended).to.deep.include({ outcome: 'failed' })
    await virtual.stop()
  })
})
