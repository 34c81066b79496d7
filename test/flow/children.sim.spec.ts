import { expect } from 'chai'
import { isLeft } from 'fp-ts/lib/Either.js'
import { isSome } from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import {
  CarillonError,
  defineApp,
  defineFlow,
  defineSignal,
  FlowIdC,
  type AnyFlowDefinition,
  type FlowBody,
  type FlowId,
} from '../../src/index.js'
import type { ChildFlow } from '../../src/entries/types.js'
import type { VirtualNode } from '../../src/testing/index.js'
import {
  crashAndRestart,
  eventsOf,
  expectAlive,
  flowOf,
  Note,
  refusal,
  startVirtual,
  statusOf,
  WriteNote,
  writeNote,
} from './ledgerOfNotes.js'

const Go = defineSignal({ name: 'family/Go', data: t.strict({ n: t.number }) })

const Text = defineSignal({ name: 'family/Text', data: t.strict({ text: t.string }) })

const Nap = defineFlow({
  name: 'family/Nap',
  input: t.strict({ hours: t.number }),
  *run(io, { hours }): FlowBody<string> {
    yield* io.sleep({ hours })
    return `slept ${hours} h`
  },
})

const Quick = defineFlow({
  name: 'family/Quick',
  input: t.strict({ text: t.string }),
  *run(io, { text }): FlowBody<void> {
    yield* writeNote(io, text)
  },
})

const Broken = flowOf(function* (): FlowBody<never> {
  throw new CarillonError('family/broken', 'it broke', { piece: 'leg' })
}, 'family/Broken')

const start = (...flows: readonly AnyFlowDefinition[]): Promise<VirtualNode> =>
  startVirtual(
    defineApp({
      name: 'family',
      states: [Note],
      flows: [Nap, Quick, Broken, WriteNote, ...flows],
      signals: [Go, Text],
    }),
    { development: false },
  )

/** Three naps side by side, joined in the order in which they were started. */
const Parent = flowOf(function* (io): FlowBody<readonly string[]> {
  const children: ChildFlow<string>[] = []
  for (const hours of [3, 1, 2]) children.push(yield* io.start(Nap, { hours }))
  const results: string[] = []
  for (const child of children) results.push(`${yield* io.join(child)} at ${yield* io.now()}`)
  return results
}, 'family/Parent')

describe('A flow that starts others', () => {
  it('goes on at once, and gets what they returned when it joins them', async () => {
    const virtual = await start(Parent)
    const { id } = await virtual.node.start(Parent, {})
    await virtual.advanceBy({ hours: 5 })
    expect(await virtual.node.resultOf(id)).to.deep.equal([
      'slept 3 h at 2026-01-01T03:00:00.000Z',
      'slept 1 h at 2026-01-01T03:00:00.000Z',
      'slept 2 h at 2026-01-01T03:00:00.000Z',
    ])
  })

  it('comes to the same when the process is killed again and again', async () => {
    const results: unknown[] = []
    for (const crashes of [false, true]) {
      const virtual = await start(Parent)
      const { id } = await virtual.node.start(Parent, {})
      for (let time = 0; time < 10; time++) {
        if (crashes) await crashAndRestart(virtual)
        await virtual.advanceBy({ minutes: 30 })
      }
      results.push({
        result: await virtual.node.resultOf(id),
        record: (await virtual.node.flow(id))?.record,
        flows: (await virtual.node.flows()).items.map((flow) => ({ ...flow, id: flow.id })),
      })
    }
    expect(results[1]).to.deep.equal(results[0])
  })

  it('is shown with its children, and they with their parent', async () => {
    const virtual = await start(Parent)
    const { id } = await virtual.node.start(Parent, {})
    await virtual.runUntilQuiet()
    const { children = [], waiting } = (await virtual.node.flow(id)) ?? {}
    expect(children.map(({ name, status }) => [name, status])).to.deep.equal(
      Array.from({ length: 3 }, () => ['family/Nap', 'running']),
    )
    const [first] = children
    expect(waiting?.[0]).to.include({ for: 'flow', flow: first?.id })
    const child = await virtual.node.flow(first?.id ?? ('' as FlowId))
    expect(child).to.include({ parent: id })
    expect(child?.startedBy).to.deep.equal({ kind: 'flow', flow: id, whenParentEnds: 'leave' })
    expect((await virtual.node.flows({ parent: id })).items.length).to.equal(3)
  })

  it('has one child under an id, however often it asks', async () => {
    const Twice = flowOf(function* (io): FlowBody<unknown> {
      const one = yield* io.start(Quick, { text: 'once' }, { id: 'q' })
      const two = yield* io.start(Quick, { text: 'once' }, { id: 'q' })
      const other = yield* io.attempt(io.start(Quick, { text: 'other' }, { id: 'q' }))
      yield* io.join(one)
      return [one.id === two.id, isLeft(other) ? other.left.code : 'started']
    }, 'family/Twice')
    const virtual = await start(Twice)
    expect(await virtual.node.run(Twice, {})).to.deep.equal([true, 'client-id-conflict'])
    expect((await virtual.node.states(Note)).length).to.equal(1)
  })

  it('meets the error that a child ended with', async () => {
    const Careful = flowOf(function* (io): FlowBody<unknown> {
      const child = yield* io.start(Broken, {})
      const joined = yield* io.attempt(io.join(child))
      return isLeft(joined) ? [joined.left.code, joined.left.message, joined.left.details] : 'nothing'
    }, 'family/Careful')
    const virtual = await start(Careful)
    expect(await virtual.node.run(Careful, {})).to.deep.equal(['family/broken', 'it broke', { piece: 'leg' }])
  })

  it('need not wait for longer than it wants to', async () => {
    const Hasty = flowOf(function* (io): FlowBody<unknown> {
      const child = yield* io.start(Nap, { hours: 5 })
      const early = yield* io.join(child, { within: { hours: 1 } })
      const late = yield* io.join(child, { within: { days: 1 } })
      return [isSome(early), isSome(late) ? late.value : 'none']
    }, 'family/Hasty')
    const virtual = await start(Hasty)
    const { id } = await virtual.node.start(Hasty, {})
    await virtual.advanceBy({ days: 2 })
    expect(await virtual.node.resultOf(id)).to.deep.equal([false, 'slept 5 h'])
  })

  for (const [whenParentEnds, expected] of [
    ['leave', 'running'],
    ['cancel', 'killed: flow-cancelled'],
  ] as const)
    for (const end of ['returns', 'is killed', 'is killed while the child is paused'] as const)
      it(`with whenParentEnds: '${whenParentEnds}' and a parent that ${end}: the child is ${expected}`, async () => {
        const Leaving = flowOf(function* (io): FlowBody<FlowId> {
          const { id } = yield* io.start(Nap, { hours: 9 }, { whenParentEnds })
          yield* io.sleep({ hours: 1 })
          return id
        }, 'family/Leaving')
        const virtual = await start(Leaving)
        const { id } = await virtual.node.start(Leaving, {})
        await virtual.runUntilQuiet()
        const child = (await virtual.node.flow(id))?.children[0]?.id ?? ('' as FlowId)
        if (end === 'is killed while the child is paused') await virtual.node.pauseFlow(child)
        if (end === 'returns') await virtual.advanceBy({ hours: 2 })
        else await virtual.node.killFlow(id)
        await crashAndRestart(virtual)
        const held = end === 'is killed while the child is paused' && whenParentEnds === 'leave' ? 'paused' : expected
        expect(await statusOf(virtual.node, child)).to.equal(held)
      })

  it('lets a child that ends with it undo what it has done', async () => {
    const Tidy = flowOf(function* (io): FlowBody<void> {
      try {
        yield* io.sleep({ hours: 9 })
      } finally {
        yield* io.subFlow(Quick, { text: 'undone' })
      }
    }, 'family/Tidy')
    const Leaving = flowOf(function* (io): FlowBody<FlowId> {
      const { id } = yield* io.start(Tidy, {}, { whenParentEnds: 'cancel' })
      yield* io.sleep({ hours: 1 })
      return id
    }, 'family/Leaving')
    const virtual = await start(Leaving, Tidy)
    const { id } = await virtual.node.start(Leaving, {})
    await virtual.advanceBy({ hours: 2 })
    const child = (await virtual.node.flow(id))?.children[0]?.id ?? ('' as FlowId)
    expect(await statusOf(virtual.node, child)).to.equal('killed: flow-cancelled')
    expect((await virtual.node.states(Note)).length).to.equal(1)
  })

  it('is told what to write when it joins a start that it has not asked for, or nothing at all', async () => {
    const Odd = flowOf(function* (io): FlowBody<unknown> {
      const start = io.start(Nap, { hours: 1 }) as unknown as ChildFlow<unknown>
      const texts: string[] = []
      for (const child of [start, undefined, {}, { id: 7 }]) {
        const tried = yield* io.attempt(io.join(child as ChildFlow<unknown>))
        texts.push(isLeft(tried) ? `${tried.left.code}: ${tried.left.message}` : 'joined')
      }
      yield* start as unknown as FlowBody<unknown>
      return texts
    }, 'family/Odd')
    const virtual = await start(Odd)
    const texts = await virtual.node.run(Odd, {})
    expect(String((texts as readonly string[])[0]))
      .to.match(/^operation-not-yielded: /)
      .and.to.contain('yield* io.join(yield* io.start(…))')
    for (const text of (texts as readonly string[]).slice(1)) expect(text).to.match(/^flow-not-child: /)
  })

  it('and whoever starts it or signals it is told what was left out', async () => {
    const left = undefined as unknown as { hours: number }
    const Forgetful = flowOf(function* (io): FlowBody<unknown> {
      const codes: string[] = []
      const all: readonly FlowBody<unknown>[] = [
        io.start(Nap, left),
        io.continueAs(Nap, left),
        io.sendSignal(io.flowId, Go, left as never),
      ]
      for (const asked of all) {
        const tried = yield* io.attempt(asked)
        codes.push(isLeft(tried) ? tried.left.code : 'done')
      }
      return codes
    }, 'family/Forgetful')
    const virtual = await start(Forgetful)
    expect(await virtual.node.run(Forgetful, {})).to.deep.equal([
      'flow-input-invalid',
      'flow-input-invalid',
      'signal-data-invalid',
    ])
    const { id } = await virtual.node.start(Nap, { hours: 1 })
    await refusal(virtual.node.signal(id, Go, left as never), 'signal-data-invalid')
    await refusal(virtual.node.start(Nap, left), 'flow-input-invalid')
    await expectAlive(virtual)
  })

  it('cannot join a flow that it has not started', async () => {
    const Stranger = defineFlow({
      name: 'family/Stranger',
      input: t.strict({ id: FlowIdC }),
      *run(io, { id }): FlowBody<unknown> {
        return yield* io.join({ id })
      },
    })
    const virtual = await start(Stranger)
    const { id } = await virtual.node.start(Nap, { hours: 1 })
    await refusal(virtual.node.run(Stranger, { id }), 'flow-not-child')
    await refusal(virtual.node.run(Stranger, { id: 'e'.repeat(32) as FlowId }), 'flow-not-found')
    await expectAlive(virtual)
  })

  it('cannot start each other in a circle for ever', async () => {
    const Circle: AnyFlowDefinition = flowOf(function* (io): FlowBody<unknown> {
      const child = yield* io.start(Circle, {})
      return yield* io.join(child)
    }, 'family/Circle')
    const virtual = await start(Circle)
    await refusal(virtual.node.run(Circle, {}), 'flow-too-deep')
    expect((await virtual.node.flows({ name: 'family/Circle', limit: 100 })).items.length).to.equal(33)
    await expectAlive(virtual)
  })

  it('cannot start one that the app does not have, nor with an input that does not fit', async () => {
    const Unknown = defineFlow({ name: 'family/Unknown', input: t.strict({}), *run(): FlowBody<void> {} })
    const Odd = flowOf(function* (io): FlowBody<unknown> {
      const unknown = yield* io.attempt(io.start(Unknown, {}))
      const invalid = yield* io.attempt(io.start(Nap, { hours: 'two' as unknown as number }))
      return [unknown, invalid].map((each) => (isLeft(each) ? each.left.code : 'started'))
    }, 'family/Odd')
    const virtual = await start(Odd)
    expect(await virtual.node.run(Odd, {})).to.deep.equal(['flow-unknown', 'flow-input-invalid'])
  })
})

const Count: AnyFlowDefinition = defineFlow({
  name: 'family/Count',
  input: t.strict({ n: t.number, heard: t.array(t.number) }),
  *run(io, { n, heard }): FlowBody<unknown> {
    yield* io.sleep({ hours: 1 })
    if (n === 0) return heard
    const told = yield* io.signal(Go, { within: { seconds: 0 } })
    return yield* io.continueAs(Count, { n: n - 1, heard: isSome(told) ? [...heard, told.value.data.n] : heard })
  },
})

describe('A flow that continues as another', () => {
  it('has a fresh record, and whoever waits for the first gets the result of the last', async () => {
    const virtual = await start(Count)
    const first = await virtual.node.start(Count, { n: 3, heard: [] }, { clientId: 'count', by: 'cli:ann' })
    const result = first.result().catch((error: unknown) => error)
    await virtual.node.signal({ clientId: 'count' }, Go, { n: 1 })
    await virtual.node.signal(first.id, Go, { n: 2 })
    await virtual.advanceBy({ minutes: 90 })
    await crashAndRestart(virtual)
    await virtual.node.signal({ clientId: 'count', by: 'cli:ann' }, Go, { n: 3 })
    await virtual.advanceBy({ hours: 5 })
    expect(await virtual.node.resultOf(first.id)).to.deep.equal([1, 2, 3])
    const again = await virtual.node.start(Count, { n: 3, heard: [] }, { clientId: 'count', by: 'cli:ann' })
    expect(again.id).to.equal(first.id)
    expect(await again.result()).to.deep.equal([1, 2, 3])
    expect(await result).to.have.property('code', 'node-stopped')
    const details = await virtual.node.flow(first.id)
    expect(details?.status).to.equal('continued')
    const next = await virtual.node.flow(details?.continuedAs ?? ('' as FlowId))
    expect(next?.startedBy).to.deep.equal({ kind: 'continued', from: first.id })
    expect(next?.record.length).to.be.lessThan(4)
    expect((await eventsOf(virtual.node)).filter(({ type }) => type === 'FlowStarted').length).to.equal(4)
  })

  it('keeps its parent, which gets the result of the last', async () => {
    const Waiting = flowOf(function* (io): FlowBody<unknown> {
      return yield* io.join(yield* io.start(Count, { n: 2, heard: [] }, { whenParentEnds: 'cancel' }))
    }, 'family/Waiting')
    const virtual = await start(Waiting, Count)
    const { id } = await virtual.node.start(Waiting, {})
    await virtual.advanceBy({ hours: 5 })
    expect(await virtual.node.resultOf(id)).to.deep.equal([])
    const killed = await virtual.node.start(Waiting, {})
    await virtual.advanceBy({ minutes: 90 })
    await virtual.node.killFlow(killed.id)
    await virtual.runUntilQuiet()
    const { children = [] } = (await virtual.node.flow(killed.id)) ?? {}
    expect(children.map(({ status }) => status)).to.deep.equal(['continued', 'killed'])
  })

  it('gives its children to the one it continues as', async () => {
    const Second = defineFlow({
      name: 'family/Second',
      input: t.strict({ child: FlowIdC }),
      *run(io, { child }): FlowBody<unknown> {
        return yield* io.join({ id: child })
      },
    })
    const First = flowOf(function* (io): FlowBody<unknown> {
      const child = yield* io.start(Nap, { hours: 2 })
      return yield* io.continueAs(Second, { child: child.id })
    }, 'family/First')
    const virtual = await start(First, Second)
    const { id } = await virtual.node.start(First, {})
    await virtual.advanceBy({ hours: 3 })
    expect(await virtual.node.resultOf(id)).to.equal('slept 2 h')
  })

  it('is refused in a part, whose siblings would be lost', async () => {
    const Parted = flowOf(function* (io): FlowBody<unknown> {
      const one = io.attempt(io.continueAs(Nap, { hours: 1 }))
      const { one: refused } = yield* io.all({ one, two: io.sleep({ hours: 1 }) })
      return isLeft(refused) ? refused.left.code : 'continued'
    }, 'family/Parted')
    const virtual = await start(Parted)
    const { id } = await virtual.node.start(Parted, {})
    await virtual.advanceBy({ hours: 2 })
    expect(await virtual.node.resultOf(id)).to.equal('flow-not-continuable')
  })

  it('may have had children in its parts', async () => {
    const Fan = flowOf(function* (io): FlowBody<unknown> {
      const nap = function* (hours: number): FlowBody<string> {
        return yield* io.join(yield* io.start(Nap, { hours }))
      }
      return yield* io.all({ long: nap(3), short: nap(1) })
    }, 'family/Fan')
    const virtual = await start(Fan)
    const { id } = await virtual.node.start(Fan, {})
    await virtual.advanceBy({ hours: 2 })
    await crashAndRestart(virtual)
    await virtual.advanceBy({ hours: 2 })
    expect(await virtual.node.resultOf(id)).to.deep.equal({ long: 'slept 3 h', short: 'slept 1 h' })
  })

  it('is refused where the app has no such flow, or the input does not fit, and goes on itself', async () => {
    const Unknown = defineFlow({ name: 'family/Unknown', input: t.strict({}), *run(): FlowBody<void> {} })
    const Odd = flowOf(function* (io): FlowBody<unknown> {
      const unknown = yield* io.attempt(io.continueAs(Unknown, {}))
      const invalid = yield* io.attempt(io.continueAs(Nap, { hours: 'two' as unknown as number }))
      return [unknown, invalid].map((each) => (isLeft(each) ? each.left.code : 'continued'))
    }, 'family/Odd')
    const virtual = await start(Odd)
    expect(await virtual.node.run(Odd, {})).to.deep.equal(['flow-unknown', 'flow-input-invalid'])
  })

  it('is told of an input that does not fit the log, like one that starts a child or sends a signal with it', async () => {
    const Long = defineFlow({
      name: 'family/Long',
      input: t.strict({ text: t.string }),
      *run(io): FlowBody<void> {
        yield* io.now()
      },
    })
    const text = 'x'.repeat(300_000)
    const Large = flowOf(function* (io): FlowBody<unknown> {
      yield* io.sleep({ seconds: 5 })
      const nap = yield* io.start(Nap, { hours: 1 })
      const all = [
        yield* io.attempt(io.continueAs(Long, { text })),
        yield* io.attempt(io.start(Long, { text })),
        yield* io.attempt(io.sendSignal(nap.id, Text, { text })),
      ]
      return all.map((each) => (isLeft(each) ? each.left.code : 'done'))
    }, 'family/Large')
    const Uncaught = flowOf(function* (io): FlowBody<unknown> {
      yield* io.sleep({ seconds: 5 })
      return yield* io.continueAs(Long, { text })
    }, 'family/Uncaught')
    const Returning = flowOf(function* (io): FlowBody<unknown> {
      yield* io.sleep({ seconds: 5 })
      return text
    }, 'family/Returning')
    const virtual = await start(Long, Large, Uncaught, Returning)
    const large = await virtual.node.start(Large, {})
    const uncaught = await virtual.node.start(Uncaught, {})
    const returning = await virtual.node.start(Returning, {})
    await virtual.advanceBy({ minutes: 1 })
    await crashAndRestart(virtual)
    await expectAlive(virtual)
    expect(await virtual.node.resultOf(large.id)).to.deep.equal([
      'fact-too-large',
      'fact-too-large',
      'signal-data-invalid',
    ])
    expect(await statusOf(virtual.node, uncaught.id)).to.equal('failed: fact-too-large')
    expect(await statusOf(virtual.node, returning.id)).to.equal('failed: flow-result-invalid')
  })
})
