import { expect } from 'chai'
import * as t from 'io-ts'
import { isLeft } from 'fp-ts/lib/Either.js'
import { startNode, type FlowBody, type FlowIo, type Node } from '../../src/index.js'
import type { StepContext } from '../../src/entries/types.js'
import type { WatchedStep } from '../../src/engine/StepWatch.js'
import { VirtualClock } from '../../src/testing/index.js'
import {
  appOf,
  crashAndRestart,
  expectAlive,
  flowOf,
  refusal,
  startVirtual,
  statusOf,
  writeNote,
} from './ledgerOfNotes.js'

const fails = (): never => {
  throw new Error('the outside said no')
}

/** Lets the loop and steps work without waiting for steps that hang. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}

describe('A step', () => {
  it('runs only after everything before it is durable', async () => {
    let recorded = -1
    const flow = flowOf(function* (io): FlowBody<string> {
      yield* writeNote(io, 'before the step')
      return yield* io.step('outside', () => {
        recorded = virtual.node.head.revision
        return 'done'
      })
    })
    const virtual = await startVirtual(appOf([flow]))
    const before = virtual.node.head.revision
    expect(await virtual.node.run(flow, {})).to.equal('done')
    // FlowStarted, TransactionRecorded, FlowAdvanced.
    expect(recorded).to.equal(before + 3)
    await virtual.stop()
  })

  it('runs again after each crash, with the same key and attempt and a higher term, until its end is recorded', async () => {
    const calls: StepContext[] = []
    let hangs = true
    const flow = flowOf(function* (io): FlowBody<string> {
      yield* io.newId()
      const got = yield* io.step('slow', (context) => {
        calls.push(context)
        return hangs ? new Promise<string>(() => undefined) : 'at last'
      })
      yield* io.sleep({ days: 1 })
      return got
    })
    const virtual = await startVirtual(appOf([flow]))
    const { id } = await virtual.node.start(flow, {})
    await settle()
    for (let crash = 0; crash < 2; crash++) {
      await virtual.crash()
      // A start waits for steps that are under way; this one hangs until the next crash.
      void virtual.restart()
      await settle()
    }
    hangs = false
    const node = await crashAndRestart(virtual)
    expect(calls.map(({ attempt, term }) => [attempt, term])).to.deep.equal([
      [1, 1],
      [1, 2],
      [1, 3],
      [1, 4],
    ])
    expect(new Set(calls.map(({ idempotencyKey }) => idempotencyKey))).to.deep.equal(new Set([`${id}.1`]))
    await crashAndRestart(virtual)
    expect(calls, 'its end was recorded').to.have.length(4)
    await virtual.advanceBy({ days: 1 })
    expect(await virtual.node.resultOf(id)).to.equal('at last')
    expect(node).not.to.equal(virtual.node)
    await virtual.stop()
  })

  it('is tried as often as its policy says, with doubling waits, counted attempts and one key', async () => {
    const tries: [at: string, attempt: number][] = []
    const keys = new Set<string>()
    const flow = flowOf((io) =>
      io.step(
        'unsure',
        ({ attempt, idempotencyKey }) => {
          tries.push([virtual.now, attempt])
          keys.add(idempotencyKey)
          return attempt < 5 ? fails() : attempt
        },
        { retry: { attempts: 6, firstWaitMs: 1_000, longestWaitMs: 3_000, jitter: 0 } },
      ),
    )
    const virtual = await startVirtual(appOf([flow]))
    const { id } = await virtual.node.start(flow, {})
    await virtual.advanceBy({ seconds: 1 })
    const waiting = (await virtual.node.flow(id))?.waiting?.[0]
    expect(waiting).to.deep.include({ for: 'step', attempt: 3, retryAt: '2026-01-01T00:00:03.000Z' })
    expect(waiting).to.have.nested.property('error.message', 'the outside said no')
    await crashAndRestart(virtual)
    await virtual.advanceBy({ seconds: 10 })
    expect(await virtual.node.resultOf(id)).to.equal(5)
    expect(tries).to.deep.equal([
      ['2026-01-01T00:00:00.000Z', 1],
      ['2026-01-01T00:00:01.000Z', 2],
      ['2026-01-01T00:00:03.000Z', 3],
      ['2026-01-01T00:00:06.000Z', 4],
      ['2026-01-01T00:00:09.000Z', 5],
    ])
    expect(keys.size).to.equal(1)
    await virtual.stop()
  })

  it('throws step-failed into the flow after the last try, to be caught or not', async () => {
    const once = { retry: { attempts: 1 } }
    const Caught = flowOf(function* (io): FlowBody<string> {
      try {
        yield* io.step('doomed', fails, once)
      } catch (error) {
        return String(error)
      }
      return 'it did not fail'
    }, 'notes/Caught')
    const Attempted = flowOf(function* (io): FlowBody<unknown> {
      const outcome = yield* io.attempt(
        io.step('doomed', fails, { retry: { attempts: 3, firstWaitMs: 0, longestWaitMs: 0 } }),
      )
      return isLeft(outcome) ? outcome.left.details : 'it did not fail'
    }, 'notes/Attempted')
    const Uncaught = flowOf((io) => io.step('doomed', fails, once), 'notes/Uncaught')
    const virtual = await startVirtual(appOf([Caught, Attempted, Uncaught]))
    expect(await virtual.node.run(Caught, {})).to.equal(
      'CarillonError: Step "doomed" was tried once and failed: the outside said no',
    )
    expect(await virtual.node.run(Attempted, {})).to.deep.equal({ step: 'doomed', attempts: 3 })
    const error = await refusal(virtual.node.run(Uncaught, {}), 'step-failed')
    expect(error.consequence).to.equal('fail')
    await expectAlive(virtual)
    await virtual.stop()
  })

  const results: Readonly<Record<string, [value: unknown, says: string]>> = {
    'is a Date': [new Date(0), 'An object of class Date'],
    'is a function': [() => 1, 'A value of type function'],
    'holds NaN': [{ rate: [1, Number.NaN] }, 'NaN at rate.1'],
    'contains itself': [cyclic(), 'nested too deeply or contains itself'],
    'is larger than 128 KiB': ['x'.repeat(200_000), 'at most 131072 bytes can be recorded'],
  }
  for (const [what, [value, says]] of Object.entries(results)) {
    it(`whose result ${what} fails the step once, with the reason, and not the node`, async () => {
      let runs = 0
      const flow = flowOf(function* (io): FlowBody<unknown> {
        const outcome = yield* io.attempt(
          io.step('odd', () => {
            runs += 1
            return value as string
          }),
        )
        yield* io.sleep({ days: 1 })
        return isLeft(outcome) ? [outcome.left.code, outcome.left.message] : 'recorded'
      })
      const virtual = await startVirtual(appOf([flow]))
      const { id } = await virtual.node.start(flow, {})
      await virtual.runUntilQuiet()
      await crashAndRestart(virtual)
      await virtual.advanceBy({ days: 1 })
      const [code, message] = (await virtual.node.resultOf(id)) as [string, string]
      expect(code).to.equal('flow-result-invalid')
      expect(message).to.include('step "odd"').and.to.include(says)
      expect(runs).to.equal(1)
      await expectAlive(virtual)
      await virtual.stop()
    })
  }

  it('may return nothing, null, or the largest result there may be', async () => {
    const large = 'x'.repeat(128 * 1024 - 2)
    const flow = flowOf(function* (io): FlowBody<unknown> {
      const nothing = yield* io.step('nothing', () => undefined)
      const nil = yield* io.step('nil', () => null)
      const much = yield* io.step('much', () => large)
      // With a step's result at the limit there is still room for what follows in the same turn.
      for (let n = 0; n < 500; n++) yield* io.now()
      yield* io.sleep({ days: 1 })
      return [String(nothing), nil, much.length]
    })
    const virtual = await startVirtual(appOf([flow]))
    const { id } = await virtual.node.start(flow, {})
    await virtual.runUntilQuiet()
    await crashAndRestart(virtual)
    await virtual.advanceBy({ days: 1 })
    expect(await virtual.node.resultOf(id)).to.deep.equal(['undefined', null, large.length])
    await virtual.stop()
  })

  it('with a result codec gives the flow what the codec decodes, before and after a crash', async () => {
    const DateC = new t.Type<Date, string>(
      'Date',
      (value): value is Date => value instanceof Date,
      (value, context) => (typeof value === 'string' ? t.success(new Date(value)) : t.failure(value, context)),
      (date) => date.toISOString(),
    ) as t.Type<Date, unknown>
    const years: number[] = []
    const flow = flowOf(function* (io): FlowBody<number> {
      const date = yield* io.step('when', () => new Date('2031-05-05T00:00:00.000Z'), { result: DateC })
      years.push(date.getUTCFullYear())
      yield* io.sleep({ days: 1 })
      return date.getUTCFullYear()
    })
    const virtual = await startVirtual(appOf([flow]), { development: false })
    const { id } = await virtual.node.start(flow, {})
    await virtual.runUntilQuiet()
    await crashAndRestart(virtual)
    await virtual.advanceBy({ days: 1 })
    expect(await virtual.node.resultOf(id)).to.equal(2031)
    expect(years).to.deep.equal([2031, 2031])
    await virtual.stop()
  })

  it('that was recorded under another codec is refused with its name', async () => {
    const under = (result: t.Type<unknown, unknown>) =>
      flowOf(function* (io): FlowBody<unknown> {
        const got = yield* io.step('when', () => 'text', { result })
        yield* io.sleep({ days: 1 })
        return got
      })
    const virtual = await startVirtual(appOf([under(t.string as t.Type<unknown, unknown>)]))
    const { id } = await virtual.node.start(under(t.string as t.Type<unknown, unknown>), {})
    await virtual.runUntilQuiet()
    await crashAndRestart(virtual, appOf([under(t.number as t.Type<unknown, unknown>)]))
    await virtual.advanceBy({ days: 1 })
    expect(await statusOf(virtual.node, id)).to.equal('parked: flow-diverged')
    expect((await virtual.node.flow(id))?.error?.message).to.include('step "when" does not fit its codec')
    await virtual.stop()
  })

  it('is one of 600 under way at a time, and every one of them ends', async () => {
    let underWay = 0
    let most = 0
    const flow = flowOf((io: FlowIo) =>
      io.step('counted', async ({ idempotencyKey }) => {
        underWay += 1
        most = Math.max(most, underWay)
        await new Promise((resolve) => setImmediate(resolve))
        underWay -= 1
        return idempotencyKey
      }),
    )
    const virtual = await startVirtual(appOf([flow]), { development: false })
    const handles = await Promise.all(Array.from({ length: 600 }, () => virtual.node.start(flow, {})))
    await virtual.runUntilQuiet()
    const keys = await Promise.all(handles.map(({ result }) => result()))
    expect(new Set(keys).size).to.equal(600)
    expect(most).to.equal(256)
    await virtual.stop()
  })

  it('ends at its first try, whatever what looks on at it throws, and the node goes on', async () => {
    const attempts: number[] = []
    const flow = flowOf((io) =>
      io.step('watched', ({ attempt }) => {
        attempts.push(attempt)
        return 'done'
      }),
    )
    const virtual = await startVirtual(appOf([flow]))
    const plain: WatchedStep = { within: (run) => run(), ended: () => undefined }
    const begins = [fails, () => ({ ...plain, within: fails }), () => ({ ...plain, ended: fails })]
    for (const begin of begins) {
      const unwatch = virtual.node.watchSteps({ begin, stopped: fails })
      expect(await virtual.node.run(flow, {})).to.equal('done')
      unwatch()
    }
    expect(attempts).to.deep.equal([1, 1, 1])
    await expectAlive(virtual)
    virtual.node.watchSteps({ begin: () => plain, stopped: fails })
    await virtual.stop()
  })

  it('whose node stops tells whoever waits for the flow', async () => {
    const flow = flowOf((io) => io.step('hangs', () => new Promise<string>(() => undefined)))
    const ends: ((node: Node) => Promise<void>)[] = [(node) => node.stop(), (node) => node.crash()]
    for (const end of ends) {
      const node = await startNode({ app: appOf([flow]), clock: new VirtualClock('2026-01-01T00:00:00.000Z' as never) })
      const { result } = await node.start(flow, {})
      const waiting = refusal(result(), 'node-stopped')
      await settle()
      await end(node)
      await waiting
    }
  })
})

function cyclic(): unknown {
  const value: Record<string, unknown> = {}
  value['self'] = value
  return value
}
