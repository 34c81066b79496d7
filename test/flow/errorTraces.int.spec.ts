/** Where an error came from: what people are shown, what is recorded, and what a hostile error can do to it. */
import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { some } from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import {
  CarillonError,
  defineContract,
  defineFlow,
  defineState,
  instant,
  NoInputC,
  PartyC,
  type FlowBody,
  type FlowId,
  type FlowIo,
} from '../../src/index.js'
import { jsonLogger, logOutcomes } from '../../src/entries/telemetry.js'
import { replay, VirtualNetwork, type VirtualNode } from '../../src/testing/index.js'
import { defineApp, defineResponder } from '../../src/index.js'
import {
  appOf,
  crashAndRestart,
  eventsOf,
  expectAlive,
  flowOf,
  Note,
  refusal,
  startVirtual,
  Write,
  writeNote,
} from './ledgerOfNotes.js'

/** A line of a stack in this file. */
const here = /errorTraces\.int\.spec\.ts:\d+:\d+/

const explode = (what: string): never => {
  throw new TypeError(what, { cause: new RangeError('the reason', { cause: 'a text' }) })
}

/** The lines of JSON that a node logs. */
const logging = (virtual: VirtualNode): Record<string, unknown>[] => {
  const lines: Record<string, unknown>[] = []
  const logger = jsonLogger({ to: { write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>) } })
  logOutcomes(virtual.node, logger)
  return lines
}

/** Runs a flow that fails; gives what its caller, its page and the log say, then and after a restart. */
const failed = async (code: (io: FlowIo) => FlowBody<unknown>, states: Parameters<typeof appOf>[1] = []) => {
  const flow = flowOf(code)
  const virtual = await startVirtual(appOf([flow], states))
  const lines = logging(virtual)
  const { id, result } = await virtual.node.start(flow, {})
  await virtual.runUntilQuiet()
  const error = await refusal(result())
  const shown = (await virtual.node.flow(id))!.error!
  const report = await replay(virtual.node, { app: appOf([flow], states) })
  expect(report.problems).to.deep.equal([])
  await crashAndRestart(virtual)
  expect((await virtual.node.flow(id))!.error).to.deep.equal(shown)
  const again = await refusal(virtual.node.resultOf(id))
  expect(again.stack).to.equal(error.stack)
  await expectAlive(virtual)
  await virtual.stop()
  return { error, shown, line: lines.find(({ flow: told }) => told === id)! }
}

describe('What a flow throws', () => {
  it('keeps its stack and its causes for the caller, the flow’s page and the JSON log, also after a restart', async () => {
    const { error, shown, line } = await failed(function* (io) {
      yield* io.now()
      explode('no such thing')
    })
    expect(error.message).to.equal('no such thing')
    expect(error.stack).to.match(/^TypeError: no such thing\n {4}at explode/)
    expect(error.stack)
      .to.match(here)
      .and.not.to.match(/runningCode|LiveFlow|FlowEngine/)
    expect(error.cause).to.be.instanceOf(Error).and.to.include({ name: 'RangeError', message: 'the reason' })
    expect((error.cause as Error).stack).to.match(here)
    expect((error.cause as Error).cause).to.include({ name: 'string', message: 'a text' })
    expect(shown.stack).to.equal(error.stack)
    expect(shown.causes!.map(({ name }) => name)).to.deep.equal(['RangeError', 'string'])
    expect(line['stack']).to.contain(shown.stack).and.to.contain('Caused by: RangeError: the reason')
  })

  it('names the line of the operation that was refused, through functions that the flow calls', async () => {
    const inner = function* (io: FlowIo): FlowBody<unknown> {
      return yield* io.load(Note, { transaction: '0'.repeat(64) as never, index: 0 })
    }
    const { error } = await failed(function* (io) {
      yield* inner(io)
    })
    expect(error.code).to.equal('state-unknown')
    expect(error.stack!.match(new RegExp(here, 'g'))).to.have.lengthOf(2)
    expect(error.stack).to.contain('FlowIo.load')
  })

  it('has the step’s own error as its cause', async () => {
    const { error, shown } = await failed(function* (io) {
      yield* io.step('charge', () => explode('no money'), { retry: { attempts: 1 } })
    })
    expect(error.code).to.equal('step-failed')
    expect(error.stack).to.match(here)
    expect(error.cause).to.include({ name: 'TypeError', message: 'no money' })
    expect((error.cause as Error).stack).to.match(/explode/)
    expect(shown.causes).to.have.lengthOf(3)
  })

  it('has the contract’s own error as its cause', async () => {
    const Strict = defineState({
      type: 'notes/Strict',
      data: t.strict({ owner: PartyC }),
      participants: ({ owner }) => [owner],
      contract: defineContract({ name: 'notes/Strict', verify: () => explode('not so') }),
    })
    const { error } = await failed(
      function* (io) {
        yield* io.finalise((tx) => tx.produce(Strict, { owner: io.me }).command(Write, [io.me]))
      },
      [Strict],
    )
    expect(error.code).to.equal('contract-threw')
    expect((error.cause as Error).stack).to.match(/^TypeError: not so\n {4}at explode/)
  })

  it('is the same error for a flow that is run again, causes included', async () => {
    const flow = flowOf(function* (io) {
      const tried = yield* io.attempt(io.step('fail', () => explode('first'), { retry: { attempts: 1 } }))
      const told = tried._tag === 'Left' ? (tried.left.cause as Error).message : ''
      yield* io.sleep({ hours: 1 })
      return told
    })
    const virtual = await startVirtual(appOf([flow]))
    const { id } = await virtual.node.start(flow, {})
    await virtual.runUntilQuiet()
    await crashAndRestart(virtual)
    await virtual.advanceBy({ hours: 1 })
    expect(await virtual.node.resultOf(id)).to.equal('first')
    await virtual.stop()
  })

  it('is shown while a step is tried again', async () => {
    const flow = flowOf((io) => io.step('flaky', () => explode('not yet')))
    const virtual = await startVirtual(appOf([flow]))
    const { id } = await virtual.node.start(flow, {})
    await virtual.runUntilQuiet()
    const { waiting, troubles } = (await virtual.node.flow(id))!
    expect(JSON.stringify(waiting)).to.match(here)
    expect(troubles[0]!.error!.stack).to.match(here)
    await virtual.stop()
  })

  it('is left out of lists and kept at home', async () => {
    const flow = flowOf(function* (io) {
      yield* io.now()
      explode('listed')
    })
    const virtual = await startVirtual(appOf([flow]))
    await refusal(virtual.node.run(flow, {}))
    const [listed] = (await virtual.node.flows({ status: 'failed' })).items
    expect(listed!.error).to.deep.equal({ code: 'flow-threw', message: 'listed' })
    await virtual.stop()
  })

  it('tells the other party of a session neither stack nor cause nor line', async () => {
    const Ask = defineFlow({
      name: 'notes/Ask',
      input: t.strict({ party: PartyC }),
      *run(io, { party }): FlowBody<unknown> {
        const session = yield* io.initiate(party)
        return yield* session.sendAndReceive('question', t.string)
      },
    })
    const Answer = defineResponder({
      name: 'notes/Answer',
      respondsTo: Ask,
      *run(_io, session): FlowBody<void> {
        yield* session.receive(t.string)
        throw new CarillonError('notes/secret', 'No (at /home/ann/notes.ts:3:4)', {}, new Error('at home'))
      },
    })
    const app = defineApp({ name: 'notes', states: [Note], flows: [Ask, Answer] })
    const net = await VirtualNetwork.start({ parties: { Ann: { app }, Ben: { app } } })
    const asked = refusal(net.node('Ann').run(Ask, { party: net.party('Ben') }))
    await net.runUntilQuiet()
    const error = await asked
    expect(error.code).to.equal('counterparty-failed')
    const sent = (await eventsOf(net.node('Ben'))).flatMap((event) =>
      event.type === 'MessageSent' ? [event.message] : [],
    )
    expect(JSON.stringify(sent))
      .to.contain('notes/secret')
      .and.not.to.match(/stack|causes|home|notes\.ts/)
    const [own] = (await eventsOf(net.node('Ben'))).flatMap((event) =>
      event.type === 'FlowEnded' ? [event.error] : [],
    )
    expect(own!.stack).to.match(here)
  })
})

describe('What nextScheduledActivity throws', () => {
  it('keeps its stack: for why, and in the JSON log', async () => {
    const Odd = defineState({
      type: 'notes/Odd',
      data: t.strict({ owner: PartyC }),
      participants: ({ owner }) => [owner],
      nextScheduledActivity: ({ owner }) => (owner.name === '' ? some(explode('never')) : explode('no instant')),
    })
    const make = flowOf(function* (io) {
      return (yield* io.finalise((tx) => tx.produce(Odd, { owner: io.me }).command(Write, [io.me]))).output()
    })
    const virtual = await startVirtual(appOf([make], [Odd]))
    const lines = logging(virtual)
    const ref = await virtual.node.run(make, {})
    const { error } = await virtual.node.why(ref)
    expect(error!.message).to.contain('no instant').and.to.match(here)
    expect(error!.causes![0]!.stack).to.match(/^TypeError: no instant\n {4}at explode/)
    expect(lines.find(({ code }) => code === 'activity-threw')!['stack']).to.match(here)
    expect((await virtual.node.agenda({ show: 'attention' })).items[0]!.error).to.have.all.keys(
      'code',
      'message',
      'details',
    )
    await expectAlive(virtual)
    await virtual.stop()
  })
})

const hostile = (): Readonly<Record<string, () => unknown>> => {
  const getter = (name: string): Error =>
    Object.defineProperty(new Error('x'), name, {
      get: () => {
        throw new Error(`${name} throws`)
      },
    })
  const self = new Error('of itself')
  self.cause = self
  const [one, other] = [new Error('one'), new Error('other')]
  one.cause = other
  other.cause = one
  let chain = new Error('innermost')
  for (let depth = 0; depth < 1_000; depth++) chain = new Error(`cause ${depth}`, { cause: chain })
  const long = new Error('long')
  long.stack = `Error: long\n${'    at f (/x/y.ts:1:2)\n'.repeat(50_000)}`
  const oneLine = new Error('one line')
  oneLine.stack = `Error: x\n    at ${'/a'.repeat(500_000)}:1:1`
  const odd = new CarillonError('notes/odd', 'odd')
  return {
    'an error whose message throws': () => getter('message'),
    'an error whose stack throws': () => getter('stack'),
    'an error whose name throws': () => getter('name'),
    'an error whose cause throws': () => getter('cause'),
    'an error that causes itself': () => self,
    'errors that cause each other': () => one,
    'a thousand causes': () => chain,
    'a stack of a megabyte': () => long,
    'a stack of one long line': () => oneLine,
    'a message of a megabyte': () => new Error('m'.repeat(1_000_000)),
    'a stack that is no text': () => Object.assign(new Error('x'), { stack: { a: 1 } }),
    'a message of half characters': () => new Error('\ud800', { cause: new Error('\udc00') }),
    'an object that refers to itself': () => {
      const value: Record<string, unknown> = {}
      value['self'] = value
      return value
    },
    'a function': () => () => undefined,
    'a symbol': () => Symbol('thrown'),
    nothing: () => undefined,
    null: () => null,
    'a proxy that throws at every look': () =>
      new Proxy(
        {},
        {
          get: () => explode('get'),
          getPrototypeOf: () => explode('prototype'),
          has: () => explode('has'),
        },
      ),
    'a revoked proxy': () => {
      const { proxy, revoke } = Proxy.revocable(new Error('x'), {})
      revoke()
      return proxy
    },
    'a typed error with a code that is no text': () => Object.assign(odd, { code: 7 }),
    'a typed error with details that are none': () =>
      Object.assign(new CarillonError('notes/odd', 'odd'), { details: null }),
    'a typed error with a code of a megabyte': () => new CarillonError(`notes/${'x'.repeat(1_000_000)}`, 'odd'),
  }
}

/** Far more than any error of this file needs, and far less than what was thrown. */
const mostBytes = 40_000

describe('A hostile error', () => {
  for (const [what, make] of Object.entries(hostile())) {
    it(`is told, bounded, and stops nobody else, thrown by a flow, a step or a contract: ${what}`, async () => {
      const raise = (): never => {
        throw make() as Error
      }
      const Strict = defineState({
        type: 'notes/Strict',
        data: t.strict({ owner: PartyC }),
        participants: ({ owner }) => [owner],
        contract: defineContract({
          name: 'notes/Strict',
          verify: ({ commands }) => (commands.length > 0 ? raise() : right(undefined)),
        }),
      })
      const Odd = defineState({
        type: 'notes/Odd',
        data: t.strict({ owner: PartyC }),
        participants: ({ owner }) => [owner],
        nextScheduledActivity: raise,
      })
      const flows = [
        flowOf(function* (io) {
          yield* io.now()
          raise()
        }, 'notes/Flow'),
        flowOf((io) => io.step('step', raise, { retry: { attempts: 2 } }), 'notes/Step'),
        flowOf(
          (io) => io.step('step', async () => Promise.reject(make() as Error), { retry: { attempts: 1 } }),
          'notes/Async',
        ),
        flowOf(function* (io) {
          yield* io.finalise((tx) => tx.produce(Strict, { owner: io.me }).command(Write, [io.me]))
        }, 'notes/Contract'),
      ]
      const produce = flowOf(function* (io) {
        yield* writeNote(io, 'before')
        yield* io.finalise((tx) => tx.produce(Odd, { owner: io.me }).command(Write, [io.me]))
      }, 'notes/Produce')
      const app = appOf([...flows, produce], [Strict, Odd])
      const virtual = await startVirtual(app)
      const ids: FlowId[] = []
      for (const flow of flows) ids.push((await virtual.node.start(flow, {})).id)
      await virtual.node.run(produce, {})
      await virtual.advanceBy({ minutes: 1 })
      const expected: string[] = []
      for (const id of ids) {
        const flow = (await virtual.node.flow(id))!
        expect(flow.status, flow.name).to.equal('failed')
        expected.push(JSON.stringify(flow.error))
      }
      for (const event of await eventsOf(virtual.node)) expect(JSON.stringify(event).length).to.be.lessThan(mostBytes)
      await crashAndRestart(virtual)
      for (const [index, id] of ids.entries())
        expect(JSON.stringify((await virtual.node.flow(id))!.error)).to.equal(expected[index])
      await expectAlive(virtual)
      await virtual.stop()
    })
  }
})

describe('A stack', () => {
  it('is not recorded where nothing failed, nor for what a flow catches', async () => {
    const flow = defineFlow({
      name: 'notes/Catches',
      input: NoInputC,
      *run(io): FlowBody<string> {
        const found = yield* io.attempt(io.find(Note, 'x'))
        yield* io.sleepUntil(instant('2026-01-01T01:00:00.000Z'))
        return found._tag
      },
    })
    const virtual = await startVirtual(appOf([flow]))
    const { id } = await virtual.node.start(flow, {})
    await virtual.advanceBy({ hours: 1 })
    expect(await virtual.node.resultOf(id)).to.equal('Left')
    expect(JSON.stringify(await eventsOf(virtual.node))).not.to.contain('"stack"')
    await virtual.stop()
  })
})
