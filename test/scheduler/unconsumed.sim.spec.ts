/** Flows that complete and leave the state of their activity unconsumed: shown under attention, unless that is intended. */
import { expect } from 'chai'
import { some } from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import {
  defineApp,
  defineCommand,
  defineFlow,
  defineState,
  instant,
  InstantC,
  PartyC,
  refuseWith,
  StateRefC,
  type FlowBody,
  type Refusal,
  type StateRef,
} from 'carillon'
import type { FlowOptions } from 'carillon/types'
import { VirtualNetwork, VirtualNode } from 'carillon/testing'
import { agreeTo, settle } from '../session/agreement.js'

const Do = defineCommand({ type: 'watch/Do' })
const due = instant('2026-01-01T01:00:00.000Z')

type LookOptions = Partial<FlowOptions<{ readonly item: StateRef }, undefined, string>>

const watchOf = (options: LookOptions = {}) => {
  const Item = defineState({
    type: 'watch/Item',
    data: t.strict({ parties: t.readonlyArray(PartyC), lookAt: InstantC }),
    participants: ({ parties }) => parties,
    nextScheduledActivity: ({ lookAt }, ref) => some(Look.at(lookAt, { item: ref })),
  })
  const Look = defineFlow({
    name: 'watch/Look',
    schedulable: true,
    ...options,
    input: t.strict({ item: StateRefC }),
    *run(io, { item }): FlowBody<undefined | Refusal<string>> {
      yield* io.load(Item, item)
      return options.refusals === undefined ? undefined : refuseWith('not today')
    },
  })
  const Make = defineFlow({
    name: 'watch/Make',
    input: t.strict({ with: t.readonlyArray(PartyC) }),
    *run(io, { with: others }): FlowBody<StateRef> {
      const parties = [io.me, ...others]
      return yield* settle(io, parties, (tx) => tx.produce(Item, { parties, lookAt: due }).command(Do, parties))
    },
  })
  const End = defineFlow({
    name: 'watch/End',
    input: t.strict({ item: StateRefC }),
    *run(io, { item }): FlowBody<StateRef> {
      const current = yield* io.load(Item, item)
      const { parties } = current.data
      const lookAt = instant('2030-01-01T00:00:00.000Z')
      return yield* settle(io, parties, (tx) =>
        tx.consume(current).produce(Item, { parties, lookAt }).command(Do, parties),
      )
    },
  })
  const flows = [Look, Make, End, agreeTo('watch/Make'), agreeTo('watch/End')]
  return { Make, End, app: defineApp({ name: 'watch', states: [Item], flows }) }
}

describe('A flow that completes without consuming its state', () => {
  it('is shown under attention, with the reason and how often it ran, until it is dealt with', async () => {
    const { app, Make } = watchOf()
    const virtual = await VirtualNode.start({ app })
    const item = await virtual.node.run(Make, { with: [] })
    const attention = async () => (await virtual.node.agenda({ show: 'attention' })).items
    await virtual.advanceBy({ hours: 2 })
    const [once] = await attention()
    expect(once?.ref).to.deep.equal(item)
    expect(once?.attempts).to.equal(1)
    expect(once?.error?.code).to.equal('state-not-consumed')
    expect(once?.error?.message).to.contain('Flow watch/Look ran once and ended')
    await virtual.stop()
    await virtual.restart()
    const [twice] = await attention()
    expect(twice?.error?.message, 'after a restart').to.contain('ran 2 times')
    await virtual.node.retry(item)
    await virtual.runUntilQuiet()
    expect((await attention())[0]?.error?.message, 'after a retry').to.contain('ran 3 times')
    await virtual.node.dismiss(item)
    expect(await attention()).to.deep.equal([])
    await virtual.stop()
  })

  it('is shown alike when it refuses, and its attempt is told as refused', async () => {
    const { app, Make } = watchOf({ refusals: t.string })
    const virtual = await VirtualNode.start({ app })
    const item = await virtual.node.run(Make, { with: [] })
    await virtual.advanceBy({ hours: 2 })
    const [entry] = (await virtual.node.agenda({ show: 'attention' })).items
    expect([entry?.ref, entry?.error?.code]).to.deep.equal([item, 'state-not-consumed'])
    expect((await virtual.node.occurrences(item)).map(({ outcome }) => outcome)).to.deep.equal(['refused'])
    const { story, now } = await virtual.node.why(item)
    expect(story.join(' ')).to.match(/flow [0-9a-f]{32} refused\./)
    expect(now).to.contain('without consuming the state')
    await virtual.stop()
  })

  it('is nothing to look at where its definition says that this is intended', async () => {
    const { app, Make } = watchOf({ leavesState: true })
    const virtual = await VirtualNode.start({ app })
    await virtual.node.run(Make, { with: [] })
    await virtual.advanceBy({ days: 2 })
    expect((await virtual.node.flows({ name: 'watch/Look' })).items.map(({ status }) => status)).to.deep.equal([
      'completed',
    ])
    expect((await virtual.node.agenda({ show: 'attention' })).items).to.deep.equal([])
    await virtual.stop()
  })

  it('is nothing to look at any more when something else consumes the state', async () => {
    const { app, Make, End } = watchOf()
    const virtual = await VirtualNode.start({ app })
    const item = await virtual.node.run(Make, { with: [] })
    await virtual.advanceBy({ hours: 2 })
    await virtual.node.run(End, { item })
    expect((await virtual.node.agenda({ show: 'attention' })).items).to.deep.equal([])
    await virtual.stop()
  })

  const shared = async (options: Parameters<typeof watchOf>[0]) => {
    const { app, Make, End } = watchOf(options)
    const network = await VirtualNetwork.start({
      parties: { Ada: { app }, Ben: { app }, Notary: { app, notary: 'validating' } },
    })
    const making = await network.node('Ada').start(Make, { with: [network.party('Ben')] })
    await network.advanceBy({ minutes: 1 })
    const item = await making.result()
    const attention = async () => {
      const lists = ['Ada', 'Ben'].map((name) => network.node(name).agenda({ show: 'attention' }))
      return (await Promise.all(lists)).map(({ items }) => items.length)
    }
    return { network, item, attention, End }
  }

  it('has an hour where others take part, because one of them may act', async () => {
    const { network, attention } = await shared({})
    await network.advanceTo(instant('2026-01-01T01:59:59.000Z'))
    expect(await attention()).to.deep.equal([0, 0])
    // Nothing happens at that instant: the list goes by the clock.
    await network.advanceTo(instant('2026-01-01T02:00:00.000Z'))
    expect(await attention()).to.deep.equal([1, 1])
  })

  it('has as long as its definition says, and is never shown when one of them has acted by then', async () => {
    const { network, item, attention, End } = await shared({ attentionAfter: { hours: 3 } })
    await network.advanceTo(instant('2026-01-01T03:30:00.000Z'))
    expect(await attention()).to.deep.equal([0, 0])
    await network.node('Ben').start(End, { item })
    await network.advanceTo(instant('2026-01-02T00:00:00.000Z'))
    expect(await attention()).to.deep.equal([0, 0])
  })
})
