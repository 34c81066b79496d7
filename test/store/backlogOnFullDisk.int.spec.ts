import { expect } from 'chai'
import * as t from 'io-ts'
import { some } from 'fp-ts/lib/Option.js'
import {
  defineApp,
  defineCommand,
  defineFlow,
  defineState,
  instant,
  InstantC,
  IntegerC,
  PartyC,
  plus,
  startNode,
  type CarillonError,
  type FlowBody,
  type Node,
} from '../../src/index.js'
import type { TickStore } from '../../src/storage/TickStore.js'
import type { LogFields } from '../../src/entries/telemetry.js'
import { NodeFault } from '../../src/errors/CarillonError.js'
import { EmbeddedStore } from '../../src/storage/EmbeddedStore.js'
import { VirtualClock } from '../../src/testing/index.js'

const start = instant('2026-01-01T00:00:00.000Z')
const due = plus(start, { hours: 1 })
const filler = 'x'.repeat(2_000)

/** More than one tick can take, all due at one instant, and a flow that is to be woken at the same. */
const makeApp = () => {
  let woken = 0
  const Note = defineState({
    type: 'backlog/Note',
    data: t.strict({ owner: PartyC, at: InstantC, text: t.string }),
    participants: ({ owner }) => [owner],
    nextScheduledActivity: ({ at, text }) => some(Read.at(at, { text })),
  })
  const Read = defineFlow({
    name: 'backlog/Read',
    schedulable: true,
    input: t.strict({ text: t.string }),
    *run(io): FlowBody<null> {
      yield* io.sleep({ days: 1 })
      return null
    },
  })
  const Write = defineCommand({ type: 'backlog/Write' })
  const Fill = defineFlow({
    name: 'backlog/Fill',
    input: t.strict({ notes: IntegerC }),
    *run(io, { notes }): FlowBody<null> {
      for (let made = 0; made < notes; made += 50)
        yield* io.finalise((tx) => {
          for (let one = 0; one < 50; one++) tx.produce(Note, { owner: io.me, at: due, text: filler })
          return tx.command(Write, [io.me])
        })
      return null
    },
  })
  const Sleep = defineFlow({
    name: 'backlog/Sleep',
    input: t.strict({}),
    *run(io): FlowBody<null> {
      yield* io.sleepUntil(due)
      woken += 1
      return null
    },
  })
  const Nothing = defineFlow({
    name: 'backlog/Nothing',
    input: t.strict({}),
    *run(): FlowBody<null> {
      return null
    },
  })
  const app = defineApp({ name: 'backlog', states: [Note], flows: [Read, Fill, Sleep, Nothing] })
  return { app, Fill, Sleep, Nothing, woken: () => woken }
}

describe('a full disk with a large backlog', () => {
  let clock: VirtualClock
  let node: Node
  let isFull: boolean
  let warnings: LogFields[]
  let parts: ReturnType<typeof makeApp>

  beforeEach(async () => {
    clock = new VirtualClock(start)
    isFull = false
    warnings = []
    parts = makeApp()
    const store = EmbeddedStore.inMemory()
    const full: TickStore = {
      views: store.views,
      reader: store.reader,
      head: store.head,
      begin: store.begin,
      rollback: store.rollback,
      tick: store.tick,
      read: (from) => store.read(from),
      close: store.close,
      commit: (tick) => {
        if (!isFull) return store.commit(tick)
        store.rollback()
        return { kind: 'failed', error: new NodeFault('disk-full', 'There is no space left.') }
      },
    }
    node = await startNode({
      app: parts.app,
      clock,
      store: full,
      logger: {
        info: () => undefined,
        error: () => undefined,
        warn: (message, fields) => warnings.push({ message, ...fields }),
      },
    })
  })
  afterEach(() => node.crash())

  const refused = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'fulfilled',
      (error: unknown) => (error as CarillonError).code,
    )

  it('answers every caller without waiting for the disk, however many there are', async () => {
    await node.run(parts.Fill, { notes: 1_000 })
    isFull = true
    clock.setTo(Date.parse(due))
    const callers = Array.from({ length: 20_000 }, () => refused(node.start(parts.Nothing, {})))
    // The clock stands still, so nothing that waits for another try is answered.
    expect(new Set(await Promise.all(callers))).to.deep.equal(new Set(['disk-full']))
  })

  it('lets what is due, what is to be woken and what is asked take turns, although the log does not move', async () => {
    await node.run(parts.Fill, { notes: 1_000 })
    for (const turn of [0, 1, 2]) {
      const before = parts.woken()
      await node.start(parts.Sleep, {})
      // Which of them goes first depends on the number of the tick.
      while (node.head.tick % 3 !== turn) await node.run(parts.Nothing, {})
      isFull = true
      clock.setTo(Date.parse(due))
      for (let tries = 0; tries < 4; tries++) {
        await node.idle()
        clock.setTo(clock.now() + 3_000)
      }
      await node.idle()
      expect(parts.woken(), `when it begins with turn ${turn}`).to.be.above(before)
      // The clock is set back, so that all of it is due once more.
      clock.setTo(Date.parse(start))
      isFull = false
      await node.run(parts.Nothing, {})
    }
  })

  it('warns at a bounded rate, however often it is tried', async () => {
    isFull = true
    for (let call = 0; call < 300; call++) expect(await refused(node.start(parts.Nothing, {}))).to.equal('disk-full')
    expect(warnings).to.have.length(1)
    for (let seconds = 0; seconds < 60; seconds++) {
      clock.setTo(clock.now() + 1_000)
      expect(await refused(node.start(parts.Nothing, {}))).to.equal('disk-full')
    }
    expect(warnings.length).to.be.within(2, 8)
    expect(warnings[1]).to.include.keys('timesSince')
    isFull = false
    clock.setTo(clock.now() + 3_000)
    await node.run(parts.Nothing, {})
    expect(node.trouble).to.equal(undefined)
  })
})
