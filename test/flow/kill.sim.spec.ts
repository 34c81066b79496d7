import { expect } from 'chai'
import { none, some } from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import {
  activity,
  defineApp,
  defineCommand,
  defineFlow,
  defineState,
  instant,
  InstantC,
  PartyC,
  plus,
  StateRefC,
  type FlowBody,
  type StateRef,
} from '../../src/index.js'
import { VirtualNode } from '../../src/testing/index.js'

const start = instant('2026-01-01T00:00Z')
const due = instant('2026-01-01T01:00Z')

const ref = t.strict({ of: StateRefC })
const Errand = defineState({
  type: 'errands/Errand',
  data: t.strict({ owner: PartyC, at: t.union([InstantC, t.null]) }),
  participants: ({ owner }) => [owner],
  nextScheduledActivity: ({ at }, of) =>
    at === null ? none : some(activity(at, { name: 'errands/Go', input: { of } })),
})
const Command = defineCommand({ type: 'errands/Command' })

const Make = defineFlow({
  name: 'errands/Make',
  input: t.strict({ at: t.union([InstantC, t.null]) }),
  *run(io, { at }): FlowBody<StateRef> {
    const made = yield* io.finalise((tx) => tx.produce(Errand, { owner: io.me, at }).command(Command, [io.me]))
    return { transaction: made.id, index: 0 }
  },
})
const said: unknown[] = []
const Go = defineFlow({
  name: 'errands/Go',
  schedulable: true,
  input: ref,
  *run(io, { of }): FlowBody<void> {
    said.push(yield* io.killFlowOf(of))
    yield* io.sleep({ days: 1 })
    said.push('still here')
  },
})
const Kill = defineFlow({
  name: 'errands/Kill',
  input: ref,
  *run(io, { of }): FlowBody<boolean> {
    const killed = yield* io.killFlowOf(of)
    // Suspended once, so that the answer is also read back from the record.
    yield* io.sleep({ seconds: 1 })
    return killed
  },
})

const open = () =>
  VirtualNode.start({
    app: defineApp({ name: 'errands', states: [Errand], flows: [Make, Go, Kill] }),
    start,
    // Where flows are run again to find divergence, they would say things twice.
    development: false,
  })

describe('a flow that kills the flow of an activity', () => {
  beforeEach(() => {
    said.length = 0
  })

  const kill = async (virtual: VirtualNode, of: StateRef): Promise<boolean> => {
    const handle = await virtual.node.start(Kill, { of })
    await virtual.advanceTo(plus(virtual.clock.instant, { seconds: 1 }))
    return handle.result()
  }

  it('ends it at once and for good, across restarts, and says so in the log', async () => {
    const virtual = await open()
    const errand = await virtual.node.run(Make, { at: due })
    await virtual.advanceTo(due)
    expect(await kill(virtual, errand)).to.equal(true)
    const [killed] = (await virtual.node.flows({ status: 'killed' })).items
    expect(killed).to.include({ name: 'errands/Go' })
    expect(killed?.error?.message).to.match(/^Killed by flow errands\/Kill \(/)
    await virtual.crash()
    await virtual.restart()
    await virtual.advanceTo(plus(due, { days: 3 }))
    // It could not kill itself, and it was never heard of again.
    expect(said).to.deep.equal([false])
    await virtual.stop()
  })

  it('finds nothing to end before it has begun, after it has ended, and where there is no activity', async () => {
    const virtual = await open()
    const [later, never] = [await virtual.node.run(Make, { at: due }), await virtual.node.run(Make, { at: null })]
    expect(await kill(virtual, later)).to.equal(false)
    expect(await kill(virtual, never)).to.equal(false)
    await virtual.advanceTo(instant('2026-01-03T00:00Z'))
    expect(said).to.deep.equal([false, 'still here'])
    expect(await kill(virtual, later)).to.equal(false)
    await virtual.stop()
  })
})
