import { expect } from 'chai'
import * as t from 'io-ts'
import {
  defineFlow,
  defineState,
  IntegerC,
  PartyC,
  type App,
  type FlowBody,
  type FlowId,
  type FlowIo,
} from '../../src/index.js'
import type { VirtualNode } from '../../src/testing/index.js'
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
import { tickStoreOf } from '../../src/storage/OpenStore.js'

const Inner = (n: number) =>
  defineFlow({
    name: 'notes/Inner',
    input: t.strict({ n: IntegerC }),
    *run(io): FlowBody<number> {
      yield* io.now()
      return n
    },
  })

/** The code that made the record: every kind of operation, then a sleep. */
const original = function* (io: FlowIo): FlowBody<string> {
  const id = yield* io.newId()
  yield* io.progress('begun')
  const ref = yield* writeNote(io, 'first', 1)
  yield* io.load(Note, ref)
  yield* io.query(Note, { limit: 10 })
  yield* io.step('charge', () => 'charged')
  yield* io.subFlow(Inner(1), { n: 1 })
  yield* io.sleep({ days: 1 })
  yield* writeNote(io, 'second', 2)
  return id
}

/** Other code, and what must be said about it. */
const changes: Readonly<Record<string, [code: (io: FlowIo) => FlowBody<unknown>, difference: string]>> = {
  'another kind of operation': [
    function* (io) {
      yield* io.now()
    },
    'operation 0 was recorded as newId; the code now asks for now',
  ],
  'other arguments': [
    function* (io) {
      yield* io.newId()
      yield* io.progress('begun')
      yield* writeNote(io, 'First', 1)
    },
    'operation 2 was recorded as finalise notes/Write: 0 consumed, produces notes/Note; the code now asks for finalise notes/Write: 0 consumed, produces notes/Note, with other arguments: outputs.0.data.text was "first" and is "First"',
  ],
  'another bound of a query': [
    function* (io) {
      yield* io.newId()
      yield* io.progress('begun')
      yield* io.load(Note, yield* writeNote(io, 'first', 1))
      yield* io.query(Note, { limit: 11 })
    },
    'operation 4 was recorded as query notes/Note, at most 10; the code now asks for query notes/Note, at most 11, with other arguments',
  ],
  'another input for a sub-flow': [
    function* (io) {
      yield* io.newId()
      yield* io.progress('begun')
      yield* io.load(Note, yield* writeNote(io, 'first', 1))
      yield* io.query(Note, { limit: 10 })
      yield* io.step('charge', () => 'charged')
      yield* io.subFlow(Inner(1), { n: 2 })
    },
    'operation 6 was recorded as sub-flow notes/Inner; the code now asks for sub-flow notes/Inner, with other arguments',
  ],
  'fewer operations': [
    function* (io) {
      yield* io.newId()
    },
    'operation 1 was recorded as progress "begun"; the code now returns before it',
  ],
  'an error in the middle': [
    function* (io) {
      yield* io.newId()
      throw new Error('new bug')
    },
    'operation 1 was recorded as progress "begun"; the code now throws "new bug" before it',
  ],
  'more operations': [
    function* (io) {
      yield* io.newId()
      yield* io.now()
      yield* io.progress('begun')
    },
    'operation 1 was recorded as progress "begun"; the code now asks for now',
  ],
  'no sleep where it sleeps': [
    function* (io) {
      yield* io.newId()
      yield* io.progress('begun')
      yield* io.load(Note, yield* writeNote(io, 'first', 1))
      yield* io.query(Note, { limit: 10 })
      yield* io.step('charge', () => 'charged')
      yield* io.subFlow(Inner(1), { n: 1 })
    },
    'operation 8 was recorded as sleep 86400000 ms; the code now returns before it',
  ],
  'another sleep where it sleeps': [
    function* (io) {
      yield* io.newId()
      yield* io.progress('begun')
      yield* io.load(Note, yield* writeNote(io, 'first', 1))
      yield* io.query(Note, { limit: 10 })
      yield* io.step('charge', () => 'charged')
      yield* io.subFlow(Inner(1), { n: 1 })
      yield* io.sleep({ days: 2 })
    },
    'operation 8 was recorded as sleep 86400000 ms; the code now asks for sleep 172800000 ms, with other arguments',
  ],
}

const tested = (code: (io: FlowIo) => FlowBody<unknown>): App => appOf([flowOf(code), Inner(1)])

const suspended = async (app: App): Promise<{ readonly virtual: VirtualNode; readonly id: FlowId }> => {
  const virtual = await startVirtual(app, { development: false })
  const { id } = await virtual.node.startByName('notes/Tested', {})
  await virtual.runUntilQuiet()
  return { virtual, id }
}

describe('A flow whose code no longer agrees with its record', () => {
  for (const [what, [code, difference]] of Object.entries(changes)) {
    it(`is parked with the first difference, and completes once the code is restored: ${what}`, async () => {
      const { virtual, id } = await suspended(tested(original))
      const expected = (await virtual.node.flow(id))?.record
      await crashAndRestart(virtual, tested(code))
      await virtual.advanceBy({ days: 1 })
      expect(await statusOf(virtual.node, id)).to.equal('parked: flow-diverged')
      const parked = await virtual.node.flow(id)
      expect(parked?.error?.message).to.include(`${difference}.`).and.to.include('Restore the code')
      expect(parked?.error?.details).to.deep.include({ difference })
      expect(parked?.record, 'the record is untouched').to.deep.equal(expected)
      await expectAlive(virtual)

      await virtual.node.retryFlow(id)
      await virtual.runUntilQuiet()
      expect(await statusOf(virtual.node, id), 'retrying the same code changes nothing').to.equal(
        'parked: flow-diverged',
      )

      const node = await crashAndRestart(virtual, tested(original))
      expect(await statusOf(node, id), 'a restart alone does not retry it').to.equal('parked: flow-diverged')
      await node.retryFlow(id)
      expect(await node.resultOf(id)).to.match(/^[0-9a-f]{32}$/)
      expect(await textsOf(node)).to.include.members(['first', 'second'])
      await virtual.stop()
    })
  }

  it('is parked when the step it waits for is another one, and that one is not run', async () => {
    let charged = 0
    const stepOf = (name: string) => (io: FlowIo) =>
      io.step(name, () => {
        charged += 1
        return charged === 1 ? new Promise<string>(() => undefined) : 'done'
      })
    const { virtual, id } = await startHanging(tested(stepOf('charge')))
    expect(charged).to.equal(1)
    await crashAndRestart(virtual, tested(stepOf('refund')))
    expect(await statusOf(virtual.node, id)).to.equal('parked: flow-diverged')
    expect((await virtual.node.flow(id))?.error?.message).to.include(
      'operation 0 was recorded as step "charge"; the code now asks for step "refund"',
    )
    expect(charged).to.equal(1)
    await crashAndRestart(virtual, tested(stepOf('charge')))
    await virtual.node.retryFlow(id)
    expect(await virtual.node.resultOf(id)).to.equal('done')
    await virtual.stop()
  })

  it('is parked when another part of it asked, and the part is named', async () => {
    const { virtual, id } = await suspended(tested(original))
    await virtual.crash()
    const { reader: db } = tickStoreOf(virtual.store)
    db.exec(`UPDATE flow_records SET operation = json_set(operation, '$.part', '1.2') WHERE position = 3`)
    await virtual.restart()
    expect((await virtual.node.flow(id))?.record[3], 'it is kept and shown').to.include({ kind: 'load', part: '1.2' })
    await virtual.advanceBy({ days: 1 })
    expect(await statusOf(virtual.node, id)).to.equal('parked: flow-diverged')
    const difference = String((await virtual.node.flow(id))?.error?.details?.['difference'])
    expect(difference).to.match(
      /^operation 3 was recorded as (load notes.Note \S+) in part 1\.2; the code now asks for \1 in the flow itself$/,
    )
    await expectAlive(virtual)

    await virtual.crash()
    db.exec(`UPDATE flow_records SET operation = json_remove(operation, '$.part')`)
    await virtual.restart()
    await virtual.node.retryFlow(id)
    expect(await virtual.node.resultOf(id)).to.match(/^[0-9a-f]{32}$/)
    await virtual.stop()
  })

  it('does not hold up a flow beside it that is sound', async () => {
    const Sound = flowOf(function* (io): FlowBody<string> {
      yield* io.sleep({ days: 1 })
      return 'sound'
    }, 'notes/Sound')
    const withSound = (code: (io: FlowIo) => FlowBody<unknown>) => appOf([flowOf(code), Inner(1), Sound])
    const { virtual, id } = await suspended(withSound(original))
    const { id: sound } = await virtual.node.start(Sound, {})
    await crashAndRestart(virtual, withSound(changes['fewer operations']![0]))
    await virtual.advanceBy({ days: 1 })
    expect(await statusOf(virtual.node, id)).to.equal('parked: flow-diverged')
    expect(await virtual.node.resultOf(sound)).to.equal('sound')
    await virtual.stop()
  })

  it('is found at its first suspension on a development node', async () => {
    let outside = 0
    const nondeterministic: Readonly<Record<string, (io: FlowIo) => FlowBody<unknown>>> = {
      'a counter outside': function* (io) {
        outside += 1
        yield* io.sleep({ days: outside })
      },
      'Math.random': function* (io) {
        yield* io.sleep({ milliseconds: Math.floor(Math.random() * 2 ** 40) })
      },
      'a branch on what was there before': function* (io) {
        outside += 1
        if (outside % 2 === 0) yield* io.now()
        yield* io.step('never run', () => expect.fail('the step ran although the flow had diverged'))
      },
    }
    for (const [what, code] of Object.entries(nondeterministic)) {
      outside = 0
      const virtual = await startVirtual(tested(code), { development: true })
      const { id } = await virtual.node.startByName('notes/Tested', {})
      await virtual.runUntilQuiet()
      expect(await statusOf(virtual.node, id), what).to.equal('parked: flow-diverged')
      await expectAlive(virtual)
      await virtual.stop()
    }
  })
})

/** Starts a flow whose step hangs, without waiting for the step. */
const startHanging = async (app: App): Promise<{ readonly virtual: VirtualNode; readonly id: FlowId }> => {
  const virtual = await startVirtual(app, { development: false })
  const { id } = await virtual.node.startByName('notes/Tested', {})
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve))
  return { virtual, id }
}

describe('A flow after an upgrade of the app', () => {
  const sleeper = flowOf(function* (io): FlowBody<string> {
    yield* io.sleep({ days: 1 })
    return 'awake'
  })

  it('is parked when its code is missing, and goes on when it is back', async () => {
    const { virtual, id } = await suspended(appOf([sleeper]))
    await crashAndRestart(virtual, appOf([]))
    await virtual.advanceBy({ days: 1 })
    expect(await statusOf(virtual.node, id)).to.equal('parked: flow-code-missing')
    const message = (await virtual.node.flow(id))?.error?.message
    expect(message).to.include('notes/Tested').and.to.include('app notes').and.to.include('then retry the flow')
    await expectAlive(virtual)
    const node = await crashAndRestart(virtual, appOf([sleeper]))
    await node.retryFlow(id)
    expect(await node.resultOf(id)).to.equal('awake')
    await virtual.stop()
  })

  it('is parked when the codec of its input has changed so that the recorded one does not fit', async () => {
    const version = (input: t.Type<{ readonly days: number }, unknown>) =>
      defineFlow({
        name: 'notes/Tested',
        input,
        *run(io, { days }): FlowBody<number> {
          yield* io.sleep({ days })
          return days
        },
      })
    const v1 = version(t.strict({ days: IntegerC }))
    const v2 = version(
      t.strict({ days: IntegerC, unit: t.string }) as unknown as t.Type<{ readonly days: number }, unknown>,
    )
    const virtual = await startVirtual(appOf([v1]))
    const { id } = await virtual.node.start(v1, { days: 2 })
    await crashAndRestart(virtual, appOf([v2]))
    await virtual.advanceBy({ days: 2 })
    expect(await statusOf(virtual.node, id)).to.equal('parked: flow-input-invalid')
    expect((await virtual.node.flow(id))?.error?.message).to.include('unit is undefined, expected string')
    await expectAlive(virtual)
    const node = await crashAndRestart(virtual, appOf([v1]))
    await node.retryFlow(id)
    expect(await node.resultOf(id)).to.equal(2)
    await virtual.stop()
  })

  it('is parked when a state it has loaded cannot be read any more, and the node goes on', async () => {
    const app = (n: t.Mixed): App => {
      const data = t.strict({ owner: PartyC, n }) as t.Type<{ owner: t.TypeOf<typeof PartyC>; n: unknown }, unknown>
      const Doc = defineState({ type: 'notes/Doc', data, participants: ({ owner }) => [owner] })
      const WriteDoc = flowOf(function* (io): FlowBody<void> {
        yield* io.finalise((tx) => tx.produce(Doc, { owner: io.me, n: 5 }).command(Write, [io.me]))
      }, 'notes/WriteDoc')
      const Reads = flowOf(function* (io): FlowBody<unknown> {
        const [doc] = yield* io.query(Doc)
        yield* io.sleep({ days: 1 })
        return doc?.data.n
      })
      return appOf([WriteDoc, Reads], [Doc])
    }
    const virtual = await startVirtual(app(IntegerC), { development: false })
    await virtual.node.startByName('notes/WriteDoc', {})
    const { id } = await virtual.node.startByName('notes/Tested', {})
    await crashAndRestart(virtual, app(t.string))
    await virtual.advanceBy({ days: 1 })
    await expectAlive(virtual)
    expect(await statusOf(virtual.node, id)).to.equal('parked: state-data-invalid')
    const message = (await virtual.node.flow(id))?.error?.message
    expect(message).to.include('operation 0 (query notes/Doc').and.to.include('n is 5, expected string')
    const node = await crashAndRestart(virtual, app(IntegerC))
    await node.retryFlow(id)
    expect(await node.resultOf(id)).to.equal(5)
    await virtual.stop()
  })

  it('cannot be started by a name that is gone, nor retried when it is not parked', async () => {
    const { virtual, id } = await suspended(appOf([sleeper]))
    const node = await crashAndRestart(virtual, appOf([]))
    const head = node.head
    const error = await refusal(node.startByName('notes/Testd', {}), 'flow-unknown')
    expect(error.message).to.include('notes/Testd').and.to.include("Add it to the app's flows")
    await refusal(node.retryFlow(id), 'flow-not-parked')
    expect(node.head).to.deep.equal(head)
    expect(await eventTypes(node)).not.to.include('FlowParked')
    await virtual.stop()
  })
})
