/** What happens to a flow that meets trouble: tried again with back-off and jitter, then parked with its cause. */
import { expect } from 'chai'
import * as t from 'io-ts'
import { CarillonError, defineApp, defineFlow, retryLater, type FlowBody } from '../../src/index.js'
import type { FlowOptions } from '../../src/entries/types.js'
import { VirtualNode } from '../../src/testing/index.js'

const clinic = (isWell: () => boolean, tries: number[], clock: () => number) => {
  const Call = defineFlow({
    name: 'clinic/Call',
    input: t.strict({ label: t.string }),
    *run(io, { label }): FlowBody<string> {
      yield* io.progress(`calls ${label}`)
      const answer = yield* io.step(
        'call',
        () => {
          tries.push(clock())
          if (!isWell()) throw new Error('the line is busy')
          return 'hello'
        },
        { retry: { attempts: 3, firstWaitMs: 1_000, longestWaitMs: 10_000, jitter: 0.5 }, whenExhausted: 'park' },
      )
      yield* io.progress('has an answer')
      yield* io.sleep({ seconds: 1 })
      return answer
    },
  })
  return { Call, app: defineApp({ name: 'clinic', states: [], flows: [Call] }) }
}

describe('A flow whose step keeps failing', () => {
  it('is parked with the cause when its tries are used up, and begins them anew when it is retried', async () => {
    let isWell = false
    let now = (): number => 0
    const tries: number[] = []
    const { Call, app } = clinic(
      () => isWell,
      tries,
      () => now(),
    )
    const virtual = await VirtualNode.start({ app })
    now = () => virtual.clock.now()
    const { id } = await virtual.node.start(Call, { label: 'home' })
    await virtual.advanceBy({ minutes: 1 })
    const parked = await virtual.node.flow(id)
    expect(parked?.status).to.equal('parked')
    expect(parked?.error?.code).to.equal('step-failed')
    expect(parked?.error?.message).to.contain('the line is busy')
    expect(tries).to.have.lengthOf(3)
    const waits = tries.slice(1).map((at, index) => at - (tries[index] ?? 0))
    expect(waits[0]).to.be.within(1_001, 1_500)
    expect(waits[1]).to.be.within(2_001, 3_000)

    await virtual.crash()
    await virtual.restart()
    await virtual.advanceBy({ hours: 1 })
    expect(tries, 'a restart does not wake it').to.have.lengthOf(3)
    await virtual.node.retryFlow(id, { by: 'api' })
    await virtual.advanceBy({ minutes: 1 })
    expect(tries).to.have.lengthOf(6)
    expect((await virtual.node.flow(id))?.status).to.equal('parked')
    isWell = true
    await virtual.node.retryFlow(id)
    await virtual.advanceBy({ minutes: 1 })
    expect(await virtual.node.resultOf(id)).to.equal('hello')
    const types: string[] = []
    for await (const tick of virtual.node.readLog())
      for (const line of tick.events) types.push((JSON.parse(line) as { readonly type: string }).type)
    expect(types.filter((type) => type === 'FlowParked' || type === 'FlowRetried')).to.deep.equal([
      'FlowParked',
      'FlowRetried',
      'FlowParked',
      'FlowRetried',
    ])
  })

  it('refuses a jitter that is no share', async () => {
    const Odd = defineFlow({
      name: 'clinic/Odd',
      input: t.strict({}),
      *run(io): FlowBody<void> {
        yield* io.step('odd', () => undefined, { retry: { jitter: 2 } })
      },
    })
    const virtual = await VirtualNode.start({ app: defineApp({ name: 'clinic', states: [], flows: [Odd] }) })
    const failure: unknown = await virtual.node.run(Odd, {}).catch((error: unknown) => error)
    expect(failure).to.be.instanceOf(CarillonError).with.property('code', 'definition-invalid')
  })
})

describe('The progress of a flow', () => {
  it('can be followed by whoever started it, until it ends', async () => {
    let now = (): number => 0
    const { Call, app } = clinic(
      () => true,
      [],
      () => now(),
    )
    const virtual = await VirtualNode.start({ app })
    now = () => virtual.clock.now()
    const handle = await virtual.node.start(Call, { label: 'home' })
    const seen: string[] = []
    const following = (async () => {
      for await (const { progress = '', status } of handle.progress()) seen.push(`${status} ${progress}`)
    })()
    await virtual.advanceBy({ seconds: 2 })
    await following
    expect(seen[0]).to.equal('running calls home')
    expect(seen).to.include('running has an answer')
    expect(seen.at(-1)).to.equal('completed has an answer')
    const again: string[] = []
    for await (const { status } of handle.progress()) again.push(status)
    expect(again).to.deep.equal(['completed'])
  })

  it('ends with the node', async () => {
    const { Call, app } = clinic(
      () => false,
      [],
      () => 0,
    )
    const virtual = await VirtualNode.start({ app })
    const handle = await virtual.node.start(Call, { label: 'home' })
    const following = (async () => {
      for await (const { status } of handle.progress()) expect(status).to.equal('running')
    })()
    await virtual.runUntilQuiet()
    await virtual.stop()
    const failure: unknown = await following.catch((error: unknown) => error)
    expect(failure).to.be.instanceOf(CarillonError).with.property('code', 'node-stopped')
  })
})

/** A flow that does something once, then looks whether it may go on. */
const patient = (isOpen: () => boolean, options: Partial<FlowOptions<{ readonly label: string }, string>> = {}) => {
  let done = 0
  const Wait = defineFlow({
    name: 'clinic/Wait',
    input: t.strict({ label: t.string }),
    ...options,
    *run(io): FlowBody<string> {
      yield* io.step('once', () => {
        done += 1
      })
      const at = yield* io.now()
      if (!isOpen()) throw retryLater('the clinic is closed')
      return at
    },
  })
  return { Wait, done: () => done, app: defineApp({ name: 'clinic', states: [], flows: [Wait] }) }
}

describe('A flow that meets something that may pass', () => {
  it('is tried again with growing waits, over a crash, and reads anew what it had only read', async () => {
    let isOpen = false
    const { Wait, app, done } = patient(() => isOpen)
    const virtual = await VirtualNode.start({ app, development: false })
    const { id } = await virtual.node.start(Wait, { label: '' })
    await virtual.advanceBy({ seconds: 2 })
    expect((await virtual.node.flows({ status: 'troubled' })).items.map((flow) => flow.id)).to.deep.equal([id])
    await virtual.crash()
    await virtual.restart()
    isOpen = true
    await virtual.advanceBy({ seconds: 30 })
    const at = String(await virtual.node.resultOf(id))
    const { troubles = [], startedAt = '' } = (await virtual.node.flow(id)) ?? {}
    expect(at > startedAt).to.equal(true)
    expect(done(), 'the step is not run again').to.equal(1)
    expect(troubles.map(({ what }) => what)).to.deep.equal(['failed a try', 'failed a try'])
    const waits = troubles.map((each) => Date.parse(each.retryAt ?? '') - Date.parse(each.at))
    expect(waits[0]).to.be.within(1_000, 1_100)
    expect(waits[1]).to.be.within(2_000, 2_200)
    expect((await virtual.node.flows({ status: 'troubled' })).items).to.deep.equal([])
  })

  it('is parked with its cause and its history when the tries are used up, and begins them anew when retried', async () => {
    let isOpen = false
    const { Wait, app } = patient(() => isOpen, { retry: { attempts: 3 } })
    const virtual = await VirtualNode.start({ app, development: false })
    const { id } = await virtual.node.start(Wait, { label: '' })
    await virtual.advanceBy({ minutes: 1 })
    const parked = await virtual.node.flow(id)
    expect(parked?.status).to.equal('parked')
    expect(parked?.error?.message).to.contain('tried 3 times').and.to.contain('the clinic is closed')
    await virtual.node.retryFlow(id, { by: 'ann' })
    await virtual.advanceBy({ seconds: 2 })
    expect((await virtual.node.flow(id))?.status).to.equal('running')
    isOpen = true
    await virtual.advanceBy({ minutes: 1 })
    expect((await virtual.node.flow(id))?.status).to.equal('completed')
    const told = (await virtual.node.flow(id))?.troubles.map(({ what, by }) =>
      by === undefined ? what : `${what} by ${by}`,
    )
    expect(told?.slice(0, 4)).to.deep.equal(['failed a try', 'failed a try', 'parked', 'retried by ann'])
  })

  it('is tried again for a code its definition names, and for no other', async () => {
    let tries = 0
    const flow = (name: string, transient: readonly string[]) =>
      defineFlow({
        name,
        input: t.strict({}),
        transient,
        *run(io): FlowBody<string> {
          yield* io.now()
          tries += 1
          if (tries < 3) throw new CarillonError('clinic/full', 'no bed is free')
          return 'in bed'
        },
      })
    const Enter = flow('clinic/Enter', ['clinic/full'])
    const Insist = flow('clinic/Insist', [])
    const virtual = await VirtualNode.start({ app: defineApp({ name: 'clinic', states: [], flows: [Enter, Insist] }) })
    const entering = await virtual.node.start(Enter, {})
    await virtual.advanceBy({ minutes: 1 })
    expect(await entering.result()).to.equal('in bed')
    tries = 0
    const failure: unknown = await virtual.node.run(Insist, {}).catch((error: unknown) => error)
    expect(failure).to.have.property('code', 'clinic/full')
  })
})

describe('A flow that is to be parked when it fails', () => {
  it('keeps its record and its cause, and asks again when it is retried', async () => {
    let isSound = false
    const Operate = defineFlow({
      name: 'clinic/Operate',
      input: t.strict({}),
      whenFailing: 'park',
      *run(io): FlowBody<string> {
        yield* io.now()
        if (!isSound) throw new TypeError('scalpel is undefined')
        return 'well'
      },
    })
    const virtual = await VirtualNode.start({ app: defineApp({ name: 'clinic', states: [], flows: [Operate] }) })
    const { id } = await virtual.node.start(Operate, {})
    await virtual.runUntilQuiet()
    const parked = await virtual.node.flow(id)
    expect([parked?.status, parked?.error?.code]).to.deep.equal(['parked', 'flow-threw'])
    expect(parked?.error?.message).to.contain('scalpel is undefined')
    isSound = true
    await virtual.node.retryFlow(id)
    expect(await virtual.node.resultOf(id)).to.equal('well')
  })
})
