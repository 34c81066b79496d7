/** What a lock promises: nobody else at this node consumes the state, and nobody waits for ever. */
import { expect } from 'chai'
import { some } from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import {
  CarillonError,
  defineApp,
  defineCommand,
  defineFlow,
  defineState,
  instant,
  InstantC,
  IntegerC,
  PartyC,
  plus,
  StateRefC,
  type FlowBody,
  type StateRef,
} from '../../src/index.js'
import { VirtualNode } from '../../src/testing/index.js'

const Do = defineCommand({ type: 'club/Do' })
const firstDue = instant('2026-01-01T00:01:00.000Z')

/** What happens outside, and what is to happen there next. */
type Outside = { readonly done: string[]; failures: number; pauseSeconds: number; repairs: boolean }

const clubOf = (outside: Outside, holdsState: boolean) => {
  const Member = defineState({
    type: 'club/Member',
    data: t.strict({ owner: PartyC, year: IntegerC, renewAt: InstantC }),
    participants: ({ owner }) => [owner],
    nextScheduledActivity: ({ renewAt }, ref) => some(Renew.at(renewAt, { member: ref })),
  })
  const charge = (what: string) => () => {
    if (outside.failures > 0) {
      outside.failures -= 1
      throw new Error('the bank does not answer')
    }
    outside.done.push(what)
  }
  const retry = { attempts: 3, firstWaitMs: 60_000, jitter: 0 }
  const Renew = defineFlow({
    name: 'club/Renew',
    schedulable: true,
    holdsState,
    input: t.strict({ member: StateRefC }),
    *run(io, { member }): FlowBody<void> {
      yield* io.step('charge', charge('charged'), { retry })
      if (outside.pauseSeconds > 0) {
        yield* io.sleep({ seconds: outside.pauseSeconds })
        const again = yield* io.attempt(io.step('charge the rest', charge('charged the rest'), { retry }))
        if (again._tag === 'Left' && outside.repairs) {
          yield* io.step('refund', charge(`refunded after ${again.left.code}`), { retry })
          return
        }
        if (again._tag === 'Left') throw again.left
      }
      const current = yield* io.load(Member, member)
      const { data } = current
      yield* io.finalise((tx) =>
        tx
          .consume(current)
          .produce(Member, { ...data, year: data.year + 1, renewAt: plus(data.renewAt, { years: 1 }) })
          .command(Do, [io.me]),
      )
      yield* io.step('write', charge('wrote a letter'), { retry })
    },
  })
  const Join = defineFlow({
    name: 'club/Join',
    input: t.strict({ count: IntegerC }),
    *run(io, { count }): FlowBody<readonly StateRef[]> {
      const done = yield* io.finalise((tx) => {
        for (let year = 0; year < count; year++) tx.produce(Member, { owner: io.me, year, renewAt: firstDue })
        return tx.command(Do, [io.me])
      })
      return done.outputs
    },
  })
  const Leave = defineFlow({
    name: 'club/Leave',
    input: t.strict({ member: StateRefC }),
    *run(io, { member }): FlowBody<void> {
      const current = yield* io.load(Member, member)
      yield* io.finalise((tx) => tx.consume(current).command(Do, [io.me]))
    },
  })
  const LockBoth = defineFlow({
    name: 'club/LockBoth',
    input: t.strict({ first: StateRefC, second: StateRefC }),
    *run(io, { first, second }): FlowBody<void> {
      yield* io.lock(first)
      yield* io.sleep({ seconds: 5 })
      yield* io.lock(second)
      yield* io.sleep({ seconds: 5 })
    },
  })
  const LockAndLeave = defineFlow({
    name: 'club/LockAndLeave',
    input: t.strict({ member: StateRefC }),
    *run(io, { member }): FlowBody<void> {
      yield* io.lock(member)
      yield* io.sleep({ seconds: 10 })
      yield* io.subFlow(Leave, { member })
    },
  })
  return {
    ...{ Member, Renew, Join, Leave, LockBoth, LockAndLeave },
    app: defineApp({ name: 'club', states: [Member], flows: [Renew, Join, Leave, LockBoth, LockAndLeave] }),
  }
}

const codeOf = (running: Promise<unknown>): Promise<string> =>
  running.then(
    () => 'completed',
    (error: unknown) => (error instanceof CarillonError ? error.code : String(error)),
  )

const started = async (given: Partial<Outside> = {}, holdsState = true) => {
  const outside: Outside = { done: [], failures: 0, pauseSeconds: 0, repairs: false, ...given }
  const club = clubOf(outside, holdsState)
  const virtual = await VirtualNode.start({ app: club.app })
  const [member, other] = await virtual.node.run(club.Join, { count: 2 })
  if (member === undefined || other === undefined) throw new Error('nobody has joined')
  await virtual.node.pause(other)
  const leave = () => codeOf(virtual.node.run(club.Leave, { member }))
  const renewal = async () => (await virtual.node.flows({ name: 'club/Renew' })).items[0]
  const attention = async () => (await virtual.node.flows({ status: 'attention' })).items.map(({ id }) => id)
  return { ...{ outside, virtual, member, other, leave, renewal, attention }, ...club }
}

describe('A lock', () => {
  it('keeps other flows of the node from consuming the state, until its flow ends', async () => {
    const { virtual, member, other, leave, LockBoth } = await started()
    const holder = await virtual.node.start(LockBoth, { first: member, second: other })
    expect(await leave()).to.equal('state-locked')
    await virtual.crash()
    await virtual.restart()
    expect(await leave(), 'after a crash').to.equal('state-locked')
    await virtual.node.killFlow(holder.id)
    expect(await leave(), 'after the end of the holder').to.equal('completed')
  })

  it('is refused for a state that is consumed, with a typed error', async () => {
    const { virtual, member, other, leave, LockBoth } = await started()
    await leave()
    expect(await codeOf(virtual.node.run(LockBoth, { first: member, second: other }))).to.equal('state-consumed')
  })

  it('is never waited for: of two flows that lock two states in opposite order one gets an error', async () => {
    const { virtual, member, other, LockBoth } = await started()
    const one = await virtual.node.start(LockBoth, { first: member, second: other })
    const two = await virtual.node.start(LockBoth, { first: other, second: member })
    await virtual.advanceBy({ seconds: 20 })
    const outcomes = await Promise.all([one, two].map(({ id }) => codeOf(virtual.node.resultOf(id))))
    expect([...outcomes].sort()).to.deep.equal(['completed', 'state-locked'])
  })
})

describe('A flow that holds its state', () => {
  it('keeps others from consuming it while a step is tried, also after a crash', async () => {
    const { virtual, outside, leave, renewal } = await started({ failures: 1 })
    await virtual.advanceBy({ minutes: 1 })
    expect(await leave()).to.equal('state-locked')
    await virtual.crash()
    await virtual.restart()
    expect(await leave(), 'after a crash').to.equal('state-locked')
    await virtual.advanceBy({ minutes: 1 })
    expect(outside.done).to.deep.equal(['charged', 'wrote a letter'])
    expect((await renewal())?.status).to.equal('completed')
  })

  it('gives it back while it sleeps, and does not begin its next step when it was consumed meanwhile', async () => {
    const { virtual, outside, leave, renewal, attention } = await started({ pauseSeconds: 30 })
    await virtual.advanceBy({ minutes: 1 })
    expect(await leave()).to.equal('completed')
    await virtual.advanceBy({ minutes: 1 })
    expect(outside.done).to.deep.equal(['charged'])
    const flow = await renewal()
    expect(flow?.status).to.equal('superseded')
    expect(await attention(), 'a step has run').to.deep.equal([flow?.id])
  })

  it('takes it again after it has slept', async () => {
    const { virtual, outside, leave } = await started({ pauseSeconds: 30 })
    await virtual.advanceBy({ minutes: 1 })
    outside.failures = 1
    await virtual.advanceBy({ seconds: 30 })
    expect(await leave()).to.equal('state-locked')
    await virtual.advanceBy({ minutes: 1 })
    expect(outside.done).to.deep.equal(['charged', 'charged the rest', 'wrote a letter'])
  })

  it('can put things right with a step once it knows that the state is consumed', async () => {
    const { virtual, outside, leave, renewal } = await started({ pauseSeconds: 30, repairs: true })
    await virtual.advanceBy({ minutes: 1 })
    await leave()
    await virtual.advanceBy({ minutes: 1 })
    expect(outside.done).to.deep.equal(['charged', 'refunded after state-consumed'])
    expect((await renewal())?.status).to.equal('completed')
  })

  it('waits its turn where another flow has reserved the state, and has done nothing until then', async () => {
    const { virtual, outside, member, other, renewal, LockBoth } = await started()
    await virtual.advanceBy({ seconds: 55 })
    await virtual.node.start(LockBoth, { first: member, second: other })
    await virtual.advanceBy({ seconds: 6 })
    expect(outside.done).to.deep.equal([])
    expect((await renewal())?.status).to.equal('running')
    await virtual.advanceBy({ minutes: 5 })
    expect(outside.done).to.deep.equal(['charged', 'wrote a letter'])
  })

  it('keeps what its code has reserved, until its code gives it back', async () => {
    for (const stepFirst of [false, true]) {
      const Renew = defineFlow({
        name: 'club/Renew',
        schedulable: true,
        holdsState: true,
        leavesState: true,
        input: t.strict({ member: StateRefC }),
        *run(io, { member }): FlowBody<void> {
          if (stepFirst) yield* io.step('before', () => undefined)
          yield* io.lock(member)
          yield* io.sleep({ minutes: 1 })
          yield* io.step('between', () => undefined)
          yield* io.sleep({ minutes: 1 })
          yield* io.unlock(member)
          yield* io.step('after', () => undefined)
          yield* io.sleep({ minutes: 1 })
        },
      })
      const Member = defineState({
        type: 'club/Member',
        data: t.strict({ owner: PartyC }),
        participants: ({ owner }) => [owner],
        nextScheduledActivity: (_, ref) => some(Renew.at(firstDue, { member: ref })),
      })
      const Join = defineFlow({
        name: 'club/Join',
        input: t.strict({}),
        *run(io): FlowBody<StateRef> {
          return (yield* io.finalise((tx) => tx.produce(Member, { owner: io.me }).command(Do, [io.me]))).output()
        },
      })
      const Leave = defineFlow({
        name: 'club/Leave',
        input: t.strict({ member: StateRefC }),
        *run(io, { member }): FlowBody<void> {
          const current = yield* io.load(Member, member)
          yield* io.finalise((tx) => tx.consume(current).command(Do, [io.me]))
        },
      })
      const virtual = await VirtualNode.start({
        app: defineApp({ name: 'club', states: [Member], flows: [Renew, Join, Leave] }),
      })
      const member = await virtual.node.run(Join, {})
      const leave = () => codeOf(virtual.node.run(Leave, { member }))
      await virtual.advanceBy({ seconds: 90 })
      expect(await leave(), 'while it sleeps').to.equal('state-locked')
      await virtual.crash()
      await virtual.restart()
      await virtual.advanceBy({ minutes: 1 })
      expect(await leave(), 'after a step').to.equal('state-locked')
      await virtual.advanceBy({ minutes: 1 })
      expect(await leave(), 'after it was given back').to.equal('completed')
      await virtual.stop()
    }
  })

  it('must be schedulable', () => {
    const define = () =>
      defineFlow({ name: 'club/Odd', holdsState: true, input: t.strict({}), *run(): FlowBody<void> {} })
    expect(define).to.throw(CarillonError, 'schedulable: true')
  })
})

describe('A flow that is superseded', () => {
  it('after a step is shown under attention until an operator has dismissed it', async () => {
    const { virtual, leave, renewal, attention } = await started({ pauseSeconds: 30 }, false)
    await virtual.advanceBy({ minutes: 1 })
    await leave()
    await virtual.advanceBy({ minutes: 1 })
    const flow = await renewal()
    if (flow === undefined) throw new Error('no flow was started')
    expect(flow.status).to.equal('superseded')
    expect(await attention()).to.deep.equal([flow.id])
    await virtual.crash()
    await virtual.restart()
    expect(await attention(), 'after a crash').to.deep.equal([flow.id])
    await virtual.node.dismissFlow(flow.id)
    expect(await attention()).to.deep.equal([])
    expect((await virtual.node.flow(flow.id))?.troubles.map(({ what }) => what)).to.deep.equal([
      'superseded after a step',
      'dismissed',
    ])
    expect(await codeOf(virtual.node.dismissFlow(flow.id)), 'twice').to.equal('flow-not-parked')
  })

  it('before its first step is nothing to look at', async () => {
    const { virtual, outside, member, renewal, attention, LockAndLeave } = await started()
    await virtual.advanceBy({ seconds: 55 })
    await virtual.node.start(LockAndLeave, { member })
    await virtual.advanceBy({ seconds: 6 })
    expect((await renewal())?.status).to.equal('running')
    await virtual.advanceBy({ minutes: 5 })
    expect((await renewal())?.status).to.equal('superseded')
    expect(outside.done).to.deep.equal([])
    expect(await attention()).to.deep.equal([])
  })
})
