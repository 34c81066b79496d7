/** Virtual time with steps that take real time, and with flows that wait for a clock that nobody moves. */
import { expect } from 'chai'
import { CarillonError, defineApp, defineFlow, NoInputC, type FlowBody, type FlowIo } from 'carillon'
import { VirtualNetwork, VirtualNode } from 'carillon/testing'

const never = (): Promise<never> => new Promise(() => undefined)

const flowOf = <R>(name: string, run: (io: FlowIo) => FlowBody<R>) =>
  defineFlow({ name, input: NoInputC, run: (io) => run(io) })

const Timed = flowOf('time/Timed', function* (io): FlowBody<string> {
  const outcome = yield* io.attempt(
    io.step('ask', never, { timeout: { seconds: 30 }, retry: { attempts: 2, firstWaitMs: 60_000, jitter: 0 } }),
  )
  return outcome._tag === 'Left' ? outcome.left.code : 'answered'
})
const Hangs = flowOf('time/Hangs', function* (io): FlowBody<void> {
  yield* io.step('wait for ever', never)
})
const Sleeps = flowOf('time/Sleeps', function* (io): FlowBody<string> {
  yield* io.sleep({ days: 30 })
  return 'awake'
})
const Slow = flowOf('time/Slow', function* (io): FlowBody<string> {
  return yield* io.step('take real time', () => new Promise<string>((resolve) => setTimeout(resolve, 150, 'slowly')))
})
const app = defineApp({ name: 'time', states: [], flows: [Timed, Hangs, Sleeps, Slow] })

const errorOf = async (running: Promise<unknown>): Promise<CarillonError> => {
  const error: unknown = await running.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof CarillonError) return error
  throw new Error(`expected a typed error, not ${String(error)}`)
}

describe('Virtual time', () => {
  it('brings the timeout of a step', async () => {
    const virtual = await VirtualNode.start({ app })
    const handle = await virtual.node.start(Timed, {})
    await virtual.advanceBy({ seconds: 29 })
    expect((await virtual.node.flow(handle.id))?.status).to.equal('running')
    await virtual.advanceBy({ minutes: 3 })
    expect(await handle.result()).to.equal('step-failed')
    await virtual.stop()
  })

  it('names the step it waits for, and gives up by its limit', async () => {
    const virtual = await VirtualNode.start({ app, stepLimitMs: 200 })
    await virtual.node.start(Hangs, {})
    const error = await errorOf(virtual.advanceBy({ days: 1 }))
    expect(error.code).to.equal('step-not-ending')
    expect(error.message).to.contain('step "wait for ever" of flow time/Hangs').and.to.contain('200 ms')
    await virtual.crash()
  })

  it('does so in a network, too', async () => {
    const network = await VirtualNetwork.start({ parties: { Ada: { app } }, stepLimitMs: 200 })
    await network.node('Ada').start(Hangs, {})
    expect((await errorOf(network.advanceBy({ days: 1 }))).code).to.equal('step-not-ending')
    await network.crash('Ada')
  })

  it('waits for a step that takes real time', async () => {
    const virtual = await VirtualNode.start({ app })
    const handle = await virtual.node.start(Slow, {})
    await virtual.advanceBy({ seconds: 1 })
    expect((await virtual.node.flow(handle.id))?.status).to.equal('completed')
    await virtual.stop()
  })

  it('says that nothing moves the clock when someone only waits for a flow that sleeps', async () => {
    const virtual = await VirtualNode.start({ app })
    const error = await errorOf(virtual.node.run(Sleeps, {}))
    expect(error.code).to.equal('clock-stalled')
    expect(error.message).to.match(
      /^Nothing moves the clock; flow time\/Sleeps \([0-9a-f]{32}\) sleeps until 2026-01-31T00:00:00.000Z\./,
    )
    await virtual.stop()
  })

  it('says nothing of the kind when someone does', async () => {
    const virtual = await VirtualNode.start({ app })
    const running = virtual.node.run(Sleeps, {})
    await virtual.runUntilQuiet()
    await virtual.advanceBy({ days: 31 })
    expect(await running).to.equal('awake')
    await virtual.stop()
  })
})
