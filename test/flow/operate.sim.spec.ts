import { expect } from 'chai'
import * as t from 'io-ts'
import { defineFlow, IntegerC, parkFlow, type FlowBody, type FlowId, type FlowIo } from '../../src/index.js'
import type { FlowDetails } from '../../src/entries/types.js'
import { engineLimits } from '../../src/engine/limits.js'
import {
  appOf,
  crashAndRestart,
  eventsOf,
  eventTypes,
  expectAlive,
  flowOf,
  refusal,
  startVirtual,
  statusOf,
  textsOf,
  writeNote,
} from './ledgerOfNotes.js'

const sleeper = flowOf(function* (io): FlowBody<string> {
  yield* writeNote(io, 'before')
  yield* io.sleep({ days: 1 })
  yield* writeNote(io, 'after')
  return 'awake'
})

/** A step that ends when it is told to. */
const held = () => {
  let finish: (value: string) => void = () => undefined
  let calls = 0
  const run = (): Promise<string> => {
    calls += 1
    return new Promise((resolve) => {
      finish = resolve
    })
  }
  return { run, finish: (value: string) => finish(value), calls: () => calls }
}
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}

describe('Starting a flow by client id', () => {
  const counted = defineFlow({
    name: 'notes/Counted',
    input: t.strict({ n: IntegerC, note: t.union([t.string, t.undefined]) }),
    *run(io, { n }): FlowBody<number> {
      yield* writeNote(io, `counted ${n}`)
      yield* io.sleep({ days: 1 })
      return n
    },
  })
  const other = flowOf((io) => writeNote(io, 'other'))

  it('finds the flow that was started before: while it runs, after a restart and after its end', async () => {
    const virtual = await startVirtual(appOf([counted, other]))
    const input = { n: 1, note: undefined }
    const first = await virtual.node.start(counted, input, { clientId: 'request 1' })
    const [again, another] = await Promise.all([
      virtual.node.start(counted, input, { clientId: 'request 1' }),
      virtual.node.start(counted, { n: 2, note: undefined }, { clientId: 'request 2' }),
    ])
    expect(again.id).to.equal(first.id)
    expect(another.id).not.to.equal(first.id)
    await crashAndRestart(virtual)
    const restarted = await virtual.node.startByName('notes/Counted', { n: 1 }, { clientId: 'request 1' })
    expect(restarted.id).to.equal(first.id)
    await virtual.advanceBy({ days: 1 })
    const revision = virtual.node.head.revision
    expect(await virtual.node.run(counted, input, { clientId: 'request 1' })).to.equal(1)
    await crashAndRestart(virtual)
    expect(await virtual.node.run(counted, input, { clientId: 'request 1' })).to.equal(1)
    expect((await eventTypes(virtual.node, revision + 1)).filter((type) => type !== 'NodeStarted')).to.deep.equal([])
    expect(await textsOf(virtual.node)).to.deep.equal(['counted 1', 'counted 2'])
    await virtual.stop()
  })

  it('refuses another input or another flow under the same id, while it runs and after its end', async () => {
    const virtual = await startVirtual(appOf([counted, other]))
    const { id } = await virtual.node.start(counted, { n: 1, note: undefined }, { clientId: 'mine' })
    for (const when of ['running', 'ended']) {
      const head = virtual.node.head
      const input = await refusal(
        virtual.node.start(counted, { n: 2, note: undefined }, { clientId: 'mine' }),
        'client-id-conflict',
      )
      expect(input.message).to.include('"mine"').and.to.include('another input').and.to.include('new client id')
      expect(input.details['flow']).to.equal(id)
      const flow = await refusal(virtual.node.start(other, {}, { clientId: 'mine' }), 'client-id-conflict')
      expect(flow.message).to.include('notes/Counted')
      expect(virtual.node.head, when).to.deep.equal(head)
      await virtual.advanceBy({ days: 1 })
    }
    await expectAlive(virtual)
    await virtual.stop()
  })

  it('finds a flow that failed, with the same error', async () => {
    const failing = flowOf(function* () {
      throw new Error('no luck')
    })
    const virtual = await startVirtual(appOf([failing]))
    for (let time = 0; time < 2; time++) {
      const error = await refusal(virtual.node.run(failing, {}, { clientId: 'same' }), 'flow-threw')
      expect(error.message).to.equal('no luck')
      await crashAndRestart(virtual)
    }
    expect((await eventTypes(virtual.node)).filter((type) => type === 'FlowStarted')).to.have.length(1)
    await virtual.stop()
  })
})

describe('Looking at flows', () => {
  it('lists them newest first, page by page, by status and by name', async () => {
    const virtual = await startVirtual(appOf([sleeper]))
    for (let n = 0; n < 3; n++) await virtual.node.start(sleeper, {})
    for (let n = 0; n < 4; n++) await expectAlive(virtual)
    const all: FlowId[] = []
    let after: number | undefined
    do {
      const page = await virtual.node.flows({ limit: 2, ...(after === undefined ? {} : { after }) })
      all.push(...page.items.map(({ id }) => id))
      after = page.next
    } while (after !== undefined)
    expect(new Set(all).size).to.equal(7)
    expect(all).to.deep.equal((await virtual.node.flows()).items.map(({ id }) => id))
    const count = async (query: Parameters<typeof virtual.node.flows>[0]) =>
      (await virtual.node.flows(query)).items.length
    expect(await count({ status: 'open' })).to.equal(3)
    expect(await count({ status: 'completed' })).to.equal(4)
    expect(await count({ status: 'failed' })).to.equal(0)
    expect(await count({ name: 'notes/Tested' })).to.equal(3)
    expect(await count({ name: 'notes/Tested', status: 'completed' })).to.equal(0)
    await virtual.stop()
  })

  it('finds one by the first digits of its id', async () => {
    const virtual = await startVirtual(appOf([sleeper]))
    const { id } = await virtual.node.start(sleeper, {})
    expect(await virtual.node.flowId(id.slice(0, 6))).to.equal(id)
    expect(await virtual.node.flowId(id)).to.equal(id)
    for (const text of ['', 'xyz', 'ABCDEF', `${id}0`, id.startsWith('0000') ? '1111' : '0000']) {
      const error = await refusal(virtual.node.flowId(text), 'flow-not-found')
      expect(error.message).to.include(`"${text}"`).and.to.include('32 hex digits')
    }
    await virtual.stop()
  })

  it('watches one until it ends; a watcher that throws disturbs nobody', async () => {
    const virtual = await startVirtual(appOf([sleeper]))
    const { id } = await virtual.node.start(sleeper, {})
    const seen: FlowDetails[] = []
    // Outside of the test runner, a rejection that nobody handles ends the process.
    const unhandled: unknown[] = []
    const notice = (reason: unknown): unknown => unhandled.push(reason)
    process.on('unhandledRejection', notice)
    virtual.node.watchFlow(id, () => {
      throw new Error('a watcher broke')
    })
    virtual.node.watchFlow(id, (flow) => seen.push(flow))
    const unwatched: FlowDetails[] = []
    virtual.node.watchFlow(id, (flow) => unwatched.push(flow))()
    await virtual.node.pauseFlow(id)
    await virtual.node.resumeFlow(id)
    await virtual.advanceBy({ days: 1 })
    await expectAlive(virtual)
    expect(seen.map(({ status }) => status)).to.deep.equal(['paused', 'running', 'completed'])
    expect(seen.at(-1)?.result).to.equal('awake')
    expect(unwatched).to.deep.equal([])
    process.off('unhandledRejection', notice)
    expect(unhandled).to.deep.equal([])
    await virtual.stop()
  })
})

describe('Killing a flow', () => {
  it('ends it while it sleeps, for good, and what it recorded on the ledger stays', async () => {
    const virtual = await startVirtual(appOf([sleeper]))
    const { id, result } = await virtual.node.start(sleeper, {})
    const waiting = refusal(result(), 'flow-killed')
    await virtual.node.killFlow(id, { by: 'Carol' })
    expect((await waiting).message).to.include('Carol')
    await crashAndRestart(virtual)
    await virtual.advanceBy({ days: 2 })
    expect(await statusOf(virtual.node, id)).to.equal('killed: flow-killed')
    expect(await textsOf(virtual.node)).to.deep.equal(['before'])
    expect((await eventsOf(virtual.node)).find(({ type }) => type === 'FlowEnded')).to.deep.include({ by: 'Carol' })
    await virtual.stop()
  })

  it('in a step drops what the step brings later', async () => {
    const step = held()
    const flow = flowOf(function* (io): FlowBody<void> {
      yield* io.step('slow', step.run)
      yield* writeNote(io, 'must not be')
    })
    const virtual = await startVirtual(appOf([flow]))
    const { id } = await virtual.node.start(flow, {})
    await settle()
    await virtual.node.killFlow(id)
    const head = virtual.node.head
    step.finish('late')
    await virtual.runUntilQuiet()
    expect(virtual.node.head).to.deep.equal(head)
    expect(await textsOf(virtual.node)).to.deep.equal([])
    await expectAlive(virtual)
    await virtual.stop()
  })

  it('is refused for a flow that is not there or has ended, as are the other actions', async () => {
    const virtual = await startVirtual(appOf([sleeper]))
    const { id } = await virtual.node.start(sleeper, {})
    await virtual.node.killFlow(id)
    const head = virtual.node.head
    const { node } = virtual
    for (const act of [node.killFlow, node.pauseFlow, node.resumeFlow, node.retryFlow]) {
      const ended = await refusal(act.call(node, id), 'flow-ended')
      expect(ended.message).to.include(id).and.to.include('killed')
      const unknown = await refusal(act.call(node, 'f'.repeat(32) as FlowId), 'flow-not-found')
      expect(unknown.message).to.include('f'.repeat(32))
      await refusal(act.call(node, 'not an id' as FlowId), 'flow-not-found')
    }
    expect(await node.flow('not an id' as FlowId)).to.equal(undefined)
    await refusal(node.resultOf('not an id' as FlowId), 'flow-not-found')
    expect(node.head).to.deep.equal(head)
    await virtual.stop()
  })
})

describe('Pausing a flow', () => {
  it('holds a sleeper beyond its time, over a restart, until it is resumed', async () => {
    const virtual = await startVirtual(appOf([sleeper]))
    const { id } = await virtual.node.start(sleeper, {})
    await virtual.node.pauseFlow(id)
    await refusal(virtual.node.pauseFlow(id), 'flow-not-parked')
    await crashAndRestart(virtual)
    await virtual.advanceBy({ days: 5 })
    expect(await statusOf(virtual.node, id)).to.equal('paused')
    await virtual.node.resumeFlow(id)
    expect(await virtual.node.resultOf(id)).to.equal('awake')
    await virtual.stop()
  })

  it('keeps the rest of the sleep when it is resumed early', async () => {
    const virtual = await startVirtual(appOf([sleeper]))
    const { id } = await virtual.node.start(sleeper, {})
    await virtual.node.pauseFlow(id)
    await virtual.advanceBy({ hours: 1 })
    await virtual.node.resumeFlow(id)
    await refusal(virtual.node.resumeFlow(id), 'flow-not-parked')
    await virtual.advanceBy({ hours: 22 })
    expect(await statusOf(virtual.node, id)).to.equal('running')
    await virtual.advanceBy({ hours: 1 })
    expect(await statusOf(virtual.node, id)).to.equal('completed')
    await virtual.stop()
  })

  it('keeps what a step brings meanwhile, also over a crash, and does not run the step again', async () => {
    const step = held()
    const flow = flowOf((io: FlowIo) => io.step('slow', step.run))
    const virtual = await startVirtual(appOf([flow]))
    const { id } = await virtual.node.start(flow, {})
    await settle()
    await virtual.node.pauseFlow(id)
    step.finish('brought while paused')
    await virtual.runUntilQuiet()
    expect(await statusOf(virtual.node, id)).to.equal('paused')
    await crashAndRestart(virtual)
    await virtual.node.resumeFlow(id)
    expect(await virtual.node.resultOf(id)).to.equal('brought while paused')
    expect(step.calls()).to.equal(1)
    await virtual.stop()
  })

  it('and resuming it while its step is under way neither loses nor doubles the step', async () => {
    const step = held()
    const flow = flowOf((io: FlowIo) => io.step('slow', step.run))
    const virtual = await startVirtual(appOf([flow]))
    const { id } = await virtual.node.start(flow, {})
    await settle()
    await virtual.node.pauseFlow(id)
    await virtual.node.resumeFlow(id)
    await settle()
    step.finish('once')
    await virtual.runUntilQuiet()
    expect(await virtual.node.resultOf(id)).to.equal('once')
    expect(step.calls()).to.equal(1)
    await virtual.stop()
  })
})

describe('A step that was launched twice', () => {
  it('is heard once: its second report is not taken for the answer of the step after it', async () => {
    const filling = held()
    const gates: (() => void)[] = []
    const Filler = flowOf(
      (io: FlowIo) => io.step('fills', () => new Promise<string>((resolve) => gates.push(() => resolve('filled')))),
      'notes/Filler',
    )
    let firstRuns = 0
    const flow = flowOf(function* (io): FlowBody<unknown[]> {
      const first = yield* io.step('first', () => (firstRuns += 1))
      const second = yield* io.step('second', filling.run)
      return [first, second]
    })
    const virtual = await startVirtual(appOf([flow, Filler]), { development: false })
    // With every place taken the step has to wait, and resuming the flow asks for it once more.
    await Promise.all(Array.from({ length: engineLimits.stepsInFlight }, () => virtual.node.start(Filler, {})))
    const { id } = await virtual.node.start(flow, {})
    await virtual.node.pauseFlow(id)
    await virtual.node.resumeFlow(id)
    await settle()
    gates.shift()?.()
    await settle()
    expect(firstRuns, 'it ran at least once, and here twice').to.equal(2)
    filling.finish('second')
    for (const open of gates) open()
    await virtual.runUntilQuiet()
    expect(await virtual.node.resultOf(id)).to.deep.equal([1, 'second'])
    await virtual.stop()
  })
})

describe('A flow that parks itself', () => {
  const asking = (enough: boolean) =>
    flowOf(function* (io): FlowBody<string> {
      yield* writeNote(io, 'asked')
      const id = yield* io.newId()
      if (!enough) throw parkFlow('The account is empty. Fill it, then retry.')
      yield* writeNote(io, 'paid')
      return id
    })

  it('keeps its record and its reason, and goes on from there when it is retried under better code', async () => {
    const virtual = await startVirtual(appOf([asking(false)]))
    const { id } = await virtual.node.start(asking(false), {})
    expect(await statusOf(virtual.node, id)).to.equal('parked: flow-parked')
    expect((await virtual.node.flow(id))?.error?.message).to.equal('The account is empty. Fill it, then retry.')
    await virtual.node.retryFlow(id)
    await virtual.runUntilQuiet()
    expect(await statusOf(virtual.node, id), 'nothing has changed').to.equal('parked: flow-parked')
    const node = await crashAndRestart(virtual, appOf([asking(true)]))
    await node.retryFlow(id, { by: 'Carol' })
    const result = await node.resultOf(id)
    expect(await textsOf(node)).to.deep.equal(['asked', 'paid'])
    const recorded = (await node.flow(id))?.record.find(({ kind }) => kind === 'newId')
    expect(recorded?.result).to.equal(result)
    await virtual.stop()
  })

  it('as the very first thing can be retried too', async () => {
    const flow = (ready: boolean) =>
      flowOf(function* (io): FlowBody<string> {
        if (!ready) throw parkFlow('not yet')
        return yield* io.newId()
      })
    const virtual = await startVirtual(appOf([flow(false)]))
    const { id } = await virtual.node.start(flow(false), {})
    const node = await crashAndRestart(virtual, appOf([flow(true)]))
    await node.retryFlow(id)
    expect(await node.resultOf(id)).to.match(/^[0-9a-f]{32}$/)
    await virtual.stop()
  })
})
