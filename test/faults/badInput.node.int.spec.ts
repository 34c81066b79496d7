import { expect } from 'chai'
import * as t from 'io-ts'
import { none, some, type Option } from 'fp-ts/lib/Option.js'
import {
  defineFlow,
  defineState,
  IntegerC,
  PartyC,
  StateRefC,
  type Activity,
  type FlowBody,
  type FlowIo,
  type Json,
  type StateRef,
} from '../../src/index.js'
import { engineLimits } from '../../src/engine/limits.js'
import { vaultLimits } from '../../src/vault/limits.js'
import {
  appOf,
  eventTypes,
  expectAlive,
  flowOf,
  Note,
  refusal,
  startVirtual,
  Write,
  WriteNote,
} from '../flow/ledgerOfNotes.js'

describe('A bad request to the node', () => {
  const typed = defineFlow({
    name: 'notes/Typed',
    input: t.strict({ n: IntegerC, ref: t.union([StateRefC, t.null]) }),
    *run(io, { n }): FlowBody<number> {
      yield* io.now()
      return n
    },
  })

  it('names an unknown flow, and the one that may have been meant', async () => {
    const virtual = await startVirtual(appOf([typed]))
    const head = virtual.node.head
    const error = await refusal(virtual.node.startByName('Typed', {}), 'flow-unknown')
    expect(error.message).to.include('App notes').and.to.include('Did you mean notes/Typed?')
    const stranger = await refusal(virtual.node.startByName('', {}), 'flow-unknown')
    expect(stranger.message).to.include('notes/WriteNote')
    expect(virtual.node.head).to.deep.equal(head)
    await expectAlive(virtual)
    await virtual.stop()
  })

  it('with arguments that no type would let through is refused before it is recorded', async () => {
    const virtual = await startVirtual(appOf([typed]))
    const head = virtual.node.head
    const node = virtual.node as unknown as Record<string, (...given: readonly unknown[]) => Promise<unknown>>
    const nowhere = { transaction: '0'.repeat(64), index: 0 }
    const asked: readonly [method: string, ...given: readonly unknown[]][] = [
      ['startByName', undefined, {}],
      ['startByName', 'notes/Typed', { n: 1, ref: null }, { by: 5 }],
      ['startByName', 'notes/Typed', { n: 1, ref: null }, { clientId: 5 }],
      ['trigger', undefined],
      ['retry', 'abc:0'],
      ['resume', null],
      ['pause', nowhere, { note: 5 }],
      ['dismiss', nowhere, { by: {} }],
      ['drain', { by: 5 }],
      ['endDraining', { by: null }],
      ['killFlow', undefined],
      ['retryFlow', 7],
      ['reassess', {}],
      ['why', undefined],
      ['why', 'x'],
      ['occurrences', { transaction: 5 }],
      ['flow', undefined],
    ]
    for (const [method, ...given] of asked) {
      const error = await refusal(Promise.resolve(node[method]?.(...given)), 'request-invalid')
      expect(error.message, method).to.match(/is missing|expected/)
    }
    expect(virtual.node.head).to.deep.equal(head)
    await expectAlive(virtual)
    await virtual.stop()
  })

  it('refuses a cursor of flows that no page gave', async () => {
    const virtual = await startVirtual(appOf([typed]))
    await refusal(virtual.node.flows({ after: 'zz' as unknown as number }), 'query-invalid')
    await virtual.stop()
  })

  it('says what a step and a progress need, as an error of the flow', async () => {
    const part = (work: (io: FlowIo) => FlowBody<unknown>) =>
      defineFlow({
        name: 'notes/Part',
        input: t.strict({}),
        *run(io): FlowBody<void> {
          yield* work(io)
        },
      })
    const parts = [
      part((io) => io.step('send', undefined as unknown as () => number)),
      part((io) => io.progress(5 as unknown as string)),
    ]
    for (const flow of parts) {
      const virtual = await startVirtual(appOf([flow]))
      await refusal(virtual.node.run(flow, {}), 'definition-invalid')
      await expectAlive(virtual)
      await virtual.stop()
    }
  })

  it('says what does not fit in the input of a flow, and starts nothing', async () => {
    const virtual = await startVirtual(appOf([typed]))
    const head = virtual.node.head
    const inputs: readonly [input: unknown, says: string][] = [
      [null, 'null'],
      ['text', '"text"'],
      [[], '[]'],
      [{}, 'n is undefined, expected Integer'],
      [{ n: 1.5, ref: null }, 'n is 1.5, expected Integer'],
      [{ n: '1', ref: null }, 'n is "1", expected Integer'],
      [{ n: 1, ref: { transaction: 'abc', index: 0 } }, 'transaction is "abc", expected Hash'],
      [{ n: 1, ref: 'x' }, 'ref'],
    ]
    for (const [input, says] of inputs) {
      const error = await refusal(virtual.node.startByName('notes/Typed', input as Json), 'flow-input-invalid')
      expect(error.message).to.include('notes/Typed').and.to.include(says)
    }
    expect(virtual.node.head).to.deep.equal(head)
    await expectAlive(virtual)
    await virtual.stop()
  })

  it('is refused when the input is too large, or what goes with it has no canonical form', async () => {
    const virtual = await startVirtual(appOf([typed]))
    const head = virtual.node.head
    const large = await refusal(virtual.node.start(WriteNote, { text: 'x'.repeat(400_000) }), 'fact-too-large')
    expect(large.message).to.include('FlowStarted').and.to.include('262144 bytes')
    await refusal(virtual.node.start(WriteNote, { text: '\ud800' }), 'value-not-encodable')
    await refusal(virtual.node.start(WriteNote, { text: 'x' }, { by: '\ud800' }), 'value-not-encodable')
    await refusal(virtual.node.start(WriteNote, { text: 'x' }, { clientId: '\ud800' }), 'value-not-encodable')
    await refusal(virtual.node.start(WriteNote, { text: 'x' }, { by: 'x'.repeat(400_000) }), 'fact-too-large')
    for (const clientId of ['', 'x'.repeat(1_001)])
      await refusal(virtual.node.start(WriteNote, { text: 'x' }, { clientId }), 'request-invalid')
    expect(virtual.node.head).to.deep.equal(head)
    await expectAlive(virtual)
    await virtual.stop()
  })

  it('is refused for a page size out of range, in every list', async () => {
    const virtual = await startVirtual(appOf([typed]))
    const { node } = virtual
    for (const limit of [0, -1, 1.5, Number.NaN, Infinity, vaultLimits.page + 1, '10' as unknown as number]) {
      const pages = [
        () => node.flows({ limit }),
        () => node.queryVault({ limit }),
        () => node.agenda({ limit }),
        () => node.states(Note, { limit }),
      ]
      for (const page of pages) {
        const error = await refusal(page(), 'query-unbounded')
        expect(error.message).to.include(`1 to ${vaultLimits.page} rows, not ${limit}`).and.to.include('after')
      }
    }
    expect((await node.flows({ limit: vaultLimits.page })).items).to.deep.equal([])
    await virtual.stop()
  })

  it('about a state that is not there changes nothing', async () => {
    const virtual = await startVirtual(appOf([typed]))
    const ref = await virtual.node.run(WriteNote, { text: 'x' })
    const head = virtual.node.head
    const { node } = virtual
    const refs: readonly StateRef[] = [
      { ...ref, index: 1 },
      { ...ref, index: -1 },
      { ...ref, index: 0.5 },
      { ...ref, index: Number.NaN },
      { transaction: '0'.repeat(64) as StateRef['transaction'], index: 0 },
      { transaction: 'no hash' as StateRef['transaction'], index: 0 },
    ]
    for (const bad of refs) {
      for (const act of ['trigger', 'retry', 'dismiss', 'pause', 'resume', 'why'] as const) {
        const error = await refusal(node[act](bad), 'state-unknown')
        expect(error.message).to.include('This node holds no state')
      }
      expect(await node.state(Note, bad)).to.equal(undefined)
      expect(await node.occurrences(bad)).to.deep.equal([])
    }
    for (const act of [node.trigger, node.retry, node.dismiss, node.pause, node.resume])
      expect((await refusal(act.call(node, ref), 'activity-unknown')).message).to.include('asks for nothing')
    expect(node.head).to.deep.equal(head)
    await expectAlive(virtual)
    await virtual.stop()
  })

  it('is turned away while more wait than the node may hold, and the others are answered', async () => {
    const virtual = await startVirtual(appOf([typed]))
    // Ending a draining that never began records nothing, so a hundred thousand of them cost little.
    const waiting = Array.from({ length: engineLimits.waitingInputs }, () => virtual.node.endDraining())
    const error = await refusal(virtual.node.start(typed, { n: 1, ref: null }), 'node-busy')
    expect(error.message).to.include(`${engineLimits.waitingInputs} requests are waiting`).and.to.include('Try again')
    expect(error.consequence).to.equal('retry')
    await Promise.all(waiting)
    await expectAlive(virtual)
    await virtual.stop()
  })

  it('is refused while the node drains or after it has stopped', async () => {
    const virtual = await startVirtual(appOf([typed]))
    await virtual.node.drain()
    const error = await refusal(virtual.node.start(typed, { n: 1, ref: null }), 'node-draining')
    expect(error.message).to.include('when draining has ended')
    await virtual.node.endDraining()
    await expectAlive(virtual)
    const { node } = virtual
    await virtual.stop()
    await refusal(node.start(typed, { n: 1, ref: null }), 'node-stopped')
  })
})

describe('A state that asks for nonsense', () => {
  const Ring = defineFlow({
    name: 'notes/Ring',
    schedulable: true,
    input: t.strict({ n: IntegerC }),
    *run(io): FlowBody<void> {
      yield* io.now()
    },
  })
  const Unschedulable = flowOf(function* (io): FlowBody<void> {
    yield* io.now()
  }, 'notes/Unschedulable')
  const at = '2026-01-02T00:00:00.000Z'

  const asks: Readonly<Record<string, [ask: () => unknown, code: string, says: string]>> = {
    'by throwing': [
      () => {
        throw new Error('activity code broke')
      },
      'activity-threw',
      'activity code broke',
    ],
    'by throwing nothing in particular': [
      () => {
        // oxlint-disable-next-line typescript/only-throw-error -- apps throw anything
        throw undefined
      },
      'activity-threw',
      'undefined',
    ],
    'with a flow nobody knows': [
      () => some({ at, flow: { name: 'notes/Gone', input: {} } }),
      'flow-unknown',
      'notes/Gone',
    ],
    'with a flow that is not schedulable': [
      () => some({ at, flow: { name: 'notes/Unschedulable', input: {} } }),
      'flow-not-schedulable',
      'Add schedulable: true',
    ],
    'with a reference to a flow that is not schedulable': [
      () => some({ at, flow: Unschedulable.ref({}) }),
      'flow-not-schedulable',
      'Add schedulable: true',
    ],
    'with input that does not fit': [
      () => some({ at, flow: { name: 'notes/Ring', input: { n: 'one' } } }),
      'flow-input-invalid',
      'n is "one", expected Integer',
    ],
    'with a missed flow that does not fit': [
      () => some({ at, flow: Ring.ref({ n: 1 }), toleranceMs: 5, onMissed: { name: 'notes/Gone', input: {} } }),
      'flow-unknown',
      'notes/Gone',
    ],
    'at an instant that is none': [
      () => some({ at: '2026-01-02', flow: Ring.ref({ n: 1 }) }),
      'activity-invalid',
      'at is "2026-01-02", expected Instant',
    ],
    'at a Date': [() => some({ at: new Date(0), flow: Ring.ref({ n: 1 }) }), 'activity-invalid', 'expected Instant'],
    'with half a millisecond of tolerance': [
      () => some({ at, flow: Ring.ref({ n: 1 }), toleranceMs: 0.5 }),
      'activity-invalid',
      'toleranceMs',
    ],
    'without wrapping it in some()': [
      () => ({ at, flow: Ring.ref({ n: 1 }) }),
      'activity-invalid',
      'Return it as some(activity)',
    ],
  }
  for (const [what, [ask, code, says]] of Object.entries(asks)) {
    it(`is recorded with its activity parked, and others go on: ${what}`, async () => {
      const Odd = defineState({
        type: 'notes/Odd',
        data: t.strict({ owner: PartyC, odd: t.boolean }),
        participants: ({ owner }) => [owner],
        nextScheduledActivity: ({ odd }) => (odd ? (ask() as Option<Activity>) : none),
      })
      const Make = defineFlow({
        name: 'notes/Make',
        input: t.strict({ odd: t.boolean }),
        *run(io, { odd }): FlowBody<StateRef> {
          const made = yield* io.finalise((tx) => tx.produce(Odd, { owner: io.me, odd }).command(Write, [io.me]))
          return made.output()
        },
      })
      const virtual = await startVirtual(appOf([Make, Ring, Unschedulable], [Odd]))
      const before = virtual.node.head.revision
      const ref = await virtual.node.run(Make, { odd: true })
      expect(await eventTypes(virtual.node, before + 1)).to.deep.equal([
        'FlowStarted',
        'TransactionRecorded',
        'FlowEnded',
      ])
      const [parked] = (await virtual.node.agenda({ show: 'attention' })).items
      expect(parked?.ref).to.deep.equal(ref)
      expect(parked?.error?.code, parked?.error?.message).to.equal(code)
      expect(parked?.error?.message).to.include('notes/Odd').and.to.include(says)
      expect((await virtual.node.why(ref)).now)
        .to.include('parked')
        .and.to.include('retry')
      await virtual.advanceBy({ days: 3 })
      await virtual.node.run(Make, { odd: false })
      await expectAlive(virtual)
      await virtual.stop()
    })
  }
})
