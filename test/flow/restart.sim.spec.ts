import { expect } from 'chai'
import * as t from 'io-ts'
import { isLeft } from 'fp-ts/lib/Either.js'
import {
  defineFlow,
  instant,
  plus,
  StateRefC,
  type FlowBody,
  type FlowId,
  type FlowIo,
  type StateRef,
} from '../../src/index.js'
import {
  appOf,
  crashAndRestart,
  eventTypes,
  flowOf,
  Note,
  startVirtual,
  textsOf,
  Write,
  writeNote,
} from './ledgerOfNotes.js'

const Inner = defineFlow({
  name: 'notes/Inner',
  input: t.strict({ text: t.string }),
  *run(io, { text }): FlowBody<string> {
    const id = yield* io.newId()
    yield* io.sleep({ minutes: 1 })
    yield* writeNote(io, text)
    return `${text} ${id}`
  },
})

const failing = (io: FlowIo) =>
  io.step('refused', () => Promise.reject(new Error('the outside said no')), { retry: { attempts: 1 } })

/** For each operation: a part of a flow whose value must be the same after a restart. */
const parts: Readonly<Record<string, (io: FlowIo) => FlowBody<unknown>>> = {
  now: (io) => io.now(),
  newId: (io) => io.newId(),
  *load(io) {
    const ref = yield* writeNote(io, 'to load', 7)
    return yield* io.load(Note, ref)
  },
  *query(io) {
    yield* writeNote(io, 'one')
    yield* writeNote(io, 'two')
    return yield* io.query(Note, { limit: 2 })
  },
  *finalise(io) {
    const made = yield* io.finalise((tx) =>
      tx
        .produce(Note, { owner: io.me, text: 'a', n: 1 })
        .produce(Note, { owner: io.me, text: 'b', n: 2 })
        .command(Write, [io.me]),
    )
    return { id: made.id, outputs: made.outputs, second: made.output(1) }
  },
  step: (io) => io.step('answer', ({ idempotencyKey }) => ({ key: idempotencyKey, list: [1, { deep: null }] })),
  *'step without a result'(io) {
    return String(yield* io.step('silent', () => undefined))
  },
  *'step that failed'(io) {
    const outcome = yield* io.attempt(failing(io))
    return isLeft(outcome) ? { code: outcome.left.code, message: outcome.left.message } : 'it did not fail'
  },
  *'sub-flow'(io) {
    return yield* io.subFlow(Inner, { text: 'inner' })
  },
  *progress(io) {
    yield* io.progress('half way')
    return 'said'
  },
  *'sleep and sleepUntil'(io) {
    const before = yield* io.now()
    yield* io.sleep({ seconds: 30 })
    yield* io.sleepUntil(plus(before, { minutes: 1 }))
    return [before, yield* io.now()]
  },
  *'an error with more to say than is recorded'(io) {
    const outcome = yield* io.attempt(
      io.step('lengthy', () => Promise.reject(new Error('x'.repeat(5_000))), { retry: { attempts: 1 } }),
    )
    return isLeft(outcome) ? outcome.left.message.length : 'it did not fail'
  },
  *'a result that the flow changes'(io) {
    const list = yield* io.step('list', () => [1])
    list.push(2)
    return list
  },
}

const flowAround = (part: (io: FlowIo) => FlowBody<unknown>) =>
  flowOf(function* (io): FlowBody<unknown> {
    const early = yield* part(io)
    yield* io.sleep({ hours: 1 })
    const late = yield* part(io)
    yield* io.sleep({ hours: 1 })
    return { early, late }
  })

describe('A suspended flow, after a crash', () => {
  for (const [operation, part] of Object.entries(parts)) {
    it(`continues from its record with the same values: ${operation}`, async () => {
      const flow = flowAround(part)
      const results: unknown[] = []
      for (const crashes of [false, true]) {
        const virtual = await startVirtual(appOf([flow, Inner]), { development: false })
        const { id } = await virtual.node.start(flow, {})
        for (let minute = 0; minute < 130; minute += 10) {
          if (crashes) await crashAndRestart(virtual)
          await virtual.advanceBy({ minutes: 10 })
        }
        results.push({
          result: await virtual.node.resultOf(id),
          notes: await textsOf(virtual.node),
          record: (await virtual.node.flow(id))?.record,
          transactions: (await eventTypes(virtual.node)).filter((type) => type === 'TransactionRecorded').length,
        })
        await virtual.stop()
      }
      expect(results[1]).to.deep.equal(results[0])
    })
  }

  it('still has a state it loaded or found, although another flow has consumed it meanwhile', async () => {
    const Keeps = flowOf(function* (io): FlowBody<unknown> {
      const ref = yield* writeNote(io, 'fleeting', 3)
      const loaded = yield* io.load(Note, ref)
      const found = yield* io.query(Note)
      yield* io.sleep({ days: 1 })
      const again = yield* io.attempt(io.load(Note, ref))
      return {
        loaded: loaded.data.n,
        found: found.map(({ data }) => data.text),
        again: isLeft(again) && again.left.code,
      }
    })
    const Takes = defineFlow({
      name: 'notes/Takes',
      input: t.strict({ ref: StateRefC }),
      *run(io, { ref }): FlowBody<void> {
        yield* io.finalise((tx) => tx.consume(ref).command(Write, [io.me]))
      },
    })
    const virtual = await startVirtual(appOf([Keeps, Takes]))
    const { id } = await virtual.node.start(Keeps, {})
    const [note] = await virtual.node.states(Note)
    await virtual.node.run(Takes, { ref: note!.ref })
    const node = await crashAndRestart(virtual)
    await virtual.advanceBy({ days: 1 })
    expect(await node.resultOf(id)).to.deep.equal({ loaded: 3, found: ['fleeting'], again: 'state-consumed' })
    await virtual.stop()
  })

  it('keeps its progress label and tells who started it', async () => {
    const flow = flowOf(function* (io): FlowBody<string> {
      yield* io.progress('one of two')
      yield* io.sleep({ days: 1 })
      yield* io.progress('two of two')
      yield* io.sleep({ days: 1 })
      return `${io.me.name} ${io.startedBy === undefined ? 'for a client' : 'for a state'}`
    })
    const virtual = await startVirtual(appOf([flow]), { party: 'Alice' })
    const { id } = await virtual.node.start(flow, {}, { by: 'Carol' })
    const progress = async () => (await virtual.node.flow(id))?.progress
    await crashAndRestart(virtual)
    expect(await progress()).to.equal('one of two')
    await virtual.advanceBy({ days: 1 })
    expect(await progress()).to.equal('two of two')
    await crashAndRestart(virtual)
    await virtual.advanceBy({ days: 1 })
    expect(await virtual.node.resultOf(id)).to.equal('Alice for a client')
    expect((await virtual.node.flow(id))?.startedBy).to.deep.equal({ kind: 'client', by: 'Carol' })
    await virtual.stop()
  })

  it('whose whole life was one tick has recorded nothing but its start, its transaction and its end', async () => {
    const flow = flowOf((io) => writeNote(io, 'short'))
    const virtual = await startVirtual(appOf([flow]))
    const { id, result } = await virtual.node.start(flow, {})
    const ref: StateRef = await result()
    expect(ref.index).to.equal(0)
    expect((await eventTypes(virtual.node)).slice(1)).to.deep.equal(['FlowStarted', 'TransactionRecorded', 'FlowEnded'])
    const node = await crashAndRestart(virtual)
    expect(await node.resultOf(id)).to.deep.equal(ref)
    await virtual.stop()
  })
})

describe('A long sleep', () => {
  const sleeps: Readonly<Record<string, [body: (io: FlowIo) => FlowBody<void>, wakesAt: string]>> = {
    'of 40 days, longer than a host timer holds': [(io) => io.sleep({ days: 40 }), '2026-02-10T00:00:00.000Z'],
    'of 100 years': [(io) => io.sleep({ days: 36_525 }), '2126-01-02T00:00:00.000Z'],
    'until the year 9999': [(io) => io.sleepUntil(instant('9999-06-01T00:00:00.000Z')), '9999-06-01T00:00:00.000Z'],
    'beyond the last instant ends with it': [(io) => io.sleep({ days: 365 * 9_000 }), '9999-12-31T23:59:59.999Z'],
    'until an instant in the past does not wait': [
      (io) => io.sleepUntil(instant('1999-01-01T00:00Z')),
      '2026-01-01T00:00:00.000Z',
    ],
    'of no time at all': [(io) => io.sleep({}), '2026-01-01T00:00:00.000Z'],
    'of negative length does not wait': [(io) => io.sleep({ days: -3 }), '2026-01-01T00:00:00.000Z'],
  }
  for (const [what, [body, wakesAt]] of Object.entries(sleeps)) {
    it(`${what}: it wakes exactly then, with a crash on the way`, async () => {
      const flow = flowOf(function* (io): FlowBody<string> {
        yield* body(io)
        return yield* io.now()
      })
      const virtual = await startVirtual(appOf([flow]))
      const { id } = await virtual.node.start(flow, {})
      if (wakesAt > virtual.now) {
        await virtual.advanceTo(plus(virtual.now, { days: 1 }))
        await crashAndRestart(virtual)
        await virtual.advanceTo(plus(instant(wakesAt), { milliseconds: -1 }))
        expect((await virtual.node.flow(id))?.status).to.equal('running')
      }
      await virtual.advanceTo(instant(wakesAt))
      expect(await virtual.node.resultOf(id)).to.equal(wakesAt)
      await virtual.stop()
    })
  }

  it('is over when the node was down at its end, and the flow is told the real time', async () => {
    const flow = flowOf(function* (io): FlowBody<string> {
      yield* io.sleep({ days: 1 })
      return yield* io.now()
    })
    const virtual = await startVirtual(appOf([flow]))
    const { id } = await virtual.node.start(flow, {})
    await virtual.crash()
    await virtual.advanceBy({ days: 30 })
    const node = await virtual.restart()
    expect(await node.resultOf(id)).to.equal('2026-01-31T00:00:00.000Z')
    await virtual.stop()
  })

  it('of 1,500 flows, more than are kept in memory, ends for every one of them', async () => {
    const flow = defineFlow({
      name: 'notes/Sleeper',
      input: t.strict({ n: t.number }),
      *run(io, { n }): FlowBody<string> {
        const id = yield* io.newId()
        yield* io.sleep({ hours: 1 + (n % 3) })
        return `${n} ${id}`
      },
    })
    const virtual = await startVirtual(appOf([flow]), { development: false })
    const handles = await Promise.all(Array.from({ length: 1_500 }, (_, n) => virtual.node.start(flow, { n })))
    await virtual.advanceBy({ hours: 4 })
    const ids = new Set<FlowId>()
    for (const [n, { id, result }] of handles.entries()) {
      expect(await result()).to.match(new RegExp(`^${n} [0-9a-f]{32}$`))
      ids.add(id)
    }
    expect(ids.size).to.equal(1_500)
    await virtual.stop()
  })
})
