/** The verbs of a virtual network: what a test can do to time, to nodes and between them, and what it can see. */
import { expect, use } from 'chai'
import { instant, toMillis } from 'carillon'
import { carillonChai, VirtualNetwork } from 'carillon/testing'
import { app, Iou, Lend } from '../session/iou.js'

use(carillonChai)

const dueAt = instant('2026-01-02T00:00:00Z')

const lent = async () => {
  const network = await VirtualNetwork.start({
    parties: { Ann: { app }, Ben: { app }, Notary: { app, notary: 'validating' } },
  })
  const lend = await network.node('Ann').start(Lend, { borrower: network.party('Ben'), amount: 5, dueAt })
  await network.runUntilQuiet()
  return { network, iou: await lend.result() }
}

describe('A virtual network', () => {
  it('says what comes next, and gets there without any real time passing', async () => {
    const { network, iou } = await lent()
    const next = await network.nextDue()
    expect(next).to.deep.include({ party: 'Ann', at: dueAt })
    expect(next?.activity.ref).to.deep.equal(iou)
    await network.advanceTo(dueAt)
    await expect(network.node('Ann')).to.have.occurrences(iou, [{ outcome: 'completed', latenessMs: 0 }])
    await expect(network.node('Ben')).to.have.vault(Iou, [{ called: true }])
    expect(await network.nextDue()).to.equal(undefined)
  })

  it('shows what a party holds, also while its node is down', async () => {
    const { network, iou } = await lent()
    await network.stop('Ann')
    expect(network.isRunning('Ann')).to.equal(false)
    expect(() => network.node('Ann')).to.throw("call restart('Ann') first")
    const ann = network.inspect('Ann')
    expect(ann.states(Iou).map(({ data }) => data.amount)).to.deep.equal([5])
    expect(ann.agenda().items.map(({ due }) => due)).to.deep.equal([dueAt])
    expect(ann.flows().items.map(({ name, status }) => `${name} ${status}`)).to.deep.equal(['iou/Lend completed'])
    expect(ann.occurrences(iou)).to.deep.equal([])
    expect((await ann.log()).map(({ event }) => event.type))
      .to.include('TransactionRecorded')
      .and.to.include('NodeStopped')
    await network.restart('Ann')
    expect(network.isRunning('Ann')).to.equal(true)
    const again: unknown = await network.restart('Ann').catch((error: unknown) => error)
    expect(String(again)).to.include('The node of Ann is running')
  })

  it('goes back with a party to any moment, and steps from there either way', async () => {
    const { network } = await lent()
    await network.advanceTo(dueAt)
    await network.advanceBy({ minutes: 1 })
    const past = await network.past('Ben', instant('2026-01-01T12:00:00Z'))
    expect(past.states(Iou).map(({ data }) => data.called)).to.deep.equal([false])
    while (await past.forward());
    expect(past.states(Iou).map(({ data }) => data.called)).to.deep.equal([true])
    const { states } = await past.diff({ from: instant('2026-01-01T12:00:00Z'), to: network.now })
    expect([states.produced.total, states.consumed.total]).to.deep.equal([1, 1])
    await past.goTo(0)
    expect(past.states(Iou)).to.deep.equal([])
    past.close()
  })

  it('keeps groups of parties apart until it is healed', async () => {
    const { network } = await lent()
    network.partition(['Ann'], ['Ben', 'Notary'])
    await network.advanceTo(dueAt)
    await expect(network.node('Ann')).to.have.flows([{ name: 'iou/Lend' }, { status: 'running' }])
    await expect(network.node('Ben')).to.have.vault(Iou, [{ called: false }])
    network.heal()
    await network.advanceBy({ minutes: 4 })
    await expect(network.node('Ann')).to.have.vault(Iou, [{ called: true }])
    await expect(network.node('Ben')).to.have.vault(Iou, [{ called: true }])
    expect(() => network.partition(['Ann'], ['Bob'])).to.throw('no party Bob')
  })

  it('lets the clock of one party go wrong, and sets it right', async () => {
    const { network, iou } = await lent()
    network.setClockOffset('Ann', { hours: 2 })
    await network.advanceTo(instant('2026-01-01T22:00:00Z'))
    await expect(network.node('Ann')).to.have.occurrences(iou, [{ outcome: 'completed', at: dueAt }])
    const called = (await network.inspect('Ben').log()).find(
      ({ event }) =>
        event.type === 'TransactionRecorded' && event.assessments.some(({ activity }) => activity === undefined),
    )
    expect(called === undefined ? undefined : toMillis(called.at)).to.equal(toMillis(instant('2026-01-01T22:00:00Z')))
    network.setClockOffset('Ann', { hours: 0 })
    await network.advanceBy({ minutes: 1 })
    const last = (await network.inspect('Ann').log()).at(-1)
    expect(toMillis(last?.at ?? dueAt)).to.be.at.most(toMillis(dueAt))
  })
})
