/**
 * Attempts at an occurrence: what a start of the node opens again, what it leaves alone, and what happens to a
 * start that fails.
 */
import { expect } from 'chai'
import { instant, plus, showRef, type FlowId, type StateRef } from '../../src/index.js'
import { agendaLimits } from '../../src/agenda/limits.js'
import { engineLimits } from '../../src/engine/limits.js'
import { bell, usualActivity } from './fixtures/bells.js'
import { codeOf, Tower } from './fixtures/Tower.js'

const mark = instant('2026-01-01T00:00:00.000Z')
const due = plus(mark, { days: 1 })

describe('a start of the node', () => {
  let tower: Tower

  beforeEach(async () => {
    tower = await Tower.build()
  })

  afterEach(() => tower.check())

  const flowOf = async (ref: StateRef): Promise<FlowId> => (await tower.node.occurrences(ref)).at(-1)!.flow!

  it('[SCH-N11] opens one new attempt at a failed occurrence, each time it starts', async () => {
    const ref = await tower.castOne(bell('cracked', { at: due, manner: 'fail' }))
    await tower.virtual.advanceTo(plus(due, { hours: 5 }))
    expect(await tower.outcomes(ref)).to.deep.equal(['failed'])
    await tower.restart()
    await tower.virtual.advanceBy({ days: 1 })
    expect(await tower.outcomes(ref)).to.deep.equal(['failed', 'failed'])
    await tower.crashAndRestart()
    expect((await tower.starts()).map(({ attempt, cause, due: at }) => ({ attempt, cause, at }))).to.deep.equal([
      { attempt: 1, cause: 'due', at: due },
      { attempt: 2, cause: 'restart', at: due },
      { attempt: 3, cause: 'restart', at: due },
    ])
  })

  it('opens one that completed without consuming its state, too', async () => {
    const ref = await tower.castOne(bell('kept', { at: due, manner: 'keep' }))
    await tower.virtual.advanceTo(due)
    await tower.restart()
    expect(await tower.outcomes(ref)).to.deep.equal(['completed', 'completed'])
  })

  it('does not open one whose state is consumed', async () => {
    const ref = await tower.castOne(bell('rung', { at: due }))
    await tower.virtual.advanceTo(due)
    await tower.restart()
    expect(await tower.outcomes(ref)).to.deep.equal(['completed'])
  })

  it('does not open one that is declared once', async () => {
    const ref = await tower.castOne(bell('once', { at: due, manner: 'fail', once: true }))
    await tower.virtual.advanceTo(due)
    await tower.restart()
    expect(await tower.outcomes(ref)).to.deep.equal(['failed'])
    expect((await tower.node.why(ref)).now).to.contain('closed')
  })

  it('runs one that is declared once, if it never ran before the outage', async () => {
    const ref = await tower.castOne(bell('once', { at: due, once: true }))
    await tower.virtual.crash()
    await tower.virtual.advanceTo(plus(due, { days: 1 }))
    await tower.startAgain()
    expect(await tower.outcomes(ref)).to.deep.equal(['completed'])
  })

  it('does not open one whose flow was killed', async () => {
    const ref = await tower.castOne(bell('killed', { at: due, manner: 'swing' }))
    await tower.virtual.advanceTo(due)
    await tower.node.killFlow(await flowOf(ref), { by: 'Ada' })
    await tower.restart()
    expect(await tower.outcomes(ref)).to.deep.equal(['killed'])
  })

  it('does not open one whose flow is parked, and lets that flow go on where it was', async () => {
    const ref = await tower.castOne(bell('asleep', { at: due, manner: 'park' }))
    await tower.virtual.advanceTo(due)
    await tower.restart()
    expect(await tower.outcomes(ref)).to.deep.equal(['parked-flow'])
    expect(await tower.rung()).to.deep.equal(['asleep'])
  })

  it('does not open one that could not be started and is parked', async () => {
    const ref = await tower.castOne(bell('thrower', { at: due }))
    const broken = {
      next: (): never => {
        throw new Error('out of order')
      },
    }
    await tower.restart(broken)
    await tower.virtual.advanceTo(due)
    await tower.restart({})
    expect(await tower.outcomes(ref)).to.deep.equal(['parked'])
  })

  it('does not open one that was dismissed, whether it had run before or not', async () => {
    const ended = await tower.castOne(bell('ended', { at: due, manner: 'fail' }))
    const early = await tower.castOne(bell('early', { at: plus(due, { hours: 1 }) }))
    await tower.virtual.advanceTo(due)
    await tower.node.dismiss(ended, { by: 'Ada', note: 'melted down' })
    await tower.node.dismiss(early, { by: 'Ada' })
    await tower.virtual.advanceTo(plus(due, { days: 1 }))
    await tower.restart()
    expect(await tower.outcomes(ended)).to.deep.equal(['failed', 'dismissed'])
    expect(await tower.outcomes(early)).to.deep.equal(['dismissed'])
    expect(await tower.rung()).to.deep.equal(['ended'])
  })

  it('does not open one whose flow is still under way, nor one that ends after the start, until the next', async () => {
    const ref = await tower.castOne(bell('lingering', { at: due, manner: 'linger' }))
    await tower.virtual.advanceTo(plus(due, { minutes: 30 }))
    await tower.crashAndRestart()
    expect(await tower.outcomes(ref)).to.deep.equal(['running'])
    await tower.virtual.advanceTo(plus(due, { hours: 2 }))
    expect(await tower.outcomes(ref)).to.deep.equal(['completed'])
    await tower.virtual.advanceTo(plus(due, { days: 2 }))
    expect(await tower.outcomes(ref)).to.deep.equal(['completed'])
    await tower.restart()
    expect(await tower.outcomes(ref)).to.deep.equal(['completed', 'running'])
  })

  it('does not open one that was run early and is not due yet', async () => {
    const ref = await tower.castOne(bell('early', { at: due, manner: 'keep' }))
    await tower.node.trigger(ref)
    await tower.virtual.runUntilQuiet()
    await tower.restart()
    expect(await tower.outcomes(ref)).to.deep.equal(['completed'])
  })

  it('opens more of them than fit in one tick, each once', async () => {
    const count = engineLimits.activitiesPerTick + 50
    const drafts = Array.from({ length: count / 5 }, () => bell('kept', { at: due, manner: 'keep' }))
    for (let batch = 0; batch < 5; batch++) await tower.cast(...drafts)
    await tower.virtual.advanceTo(due)
    await tower.restart()
    const again = (await tower.starts()).filter(({ cause }) => cause === 'restart')
    expect(again).to.have.length(count)
    expect(new Set(again.map(({ flow }) => flow)).size).to.equal(count)
    const perTick = new Map<number, number>()
    for (const { tick } of again) perTick.set(tick, (perTick.get(tick) ?? 0) + 1)
    expect(Math.max(...perTick.values())).to.be.at.most(engineLimits.activitiesPerTick)
  })

  it('is recorded before anything that it makes the node do, whatever the number of the tick', async () => {
    for (const before of [0, 1, 2, 3]) {
      const other = await Tower.build()
      for (let count = 0; count < before; count++) await other.cast('padding')
      await other.castOne(bell('overdue', { at: due, manner: 'swing' }))
      await other.virtual.crash()
      await other.virtual.advanceTo(plus(due, { hours: 3 }))
      await other.startAgain()
      const types = (await other.events()).map(({ type }) => type)
      const started = types.lastIndexOf('NodeStarted')
      const rung = (await other.events()).findIndex(
        (event) => event.type === 'FlowStarted' && event.origin.kind === 'activity',
      )
      expect(rung, `after ${before} ticks more`).to.be.greaterThan(started)
      await other.check()
    }
  })
})

describe('a start that fails', () => {
  let tower: Tower
  let ref: StateRef

  const withoutRing = { without: ['bells/Ring'] }

  beforeEach(async () => {
    tower = await Tower.build()
    ref = await tower.castOne(bell('unrung', { at: due }))
    await tower.restart(withoutRing)
  })

  afterEach(() => tower.check())

  it('[SCH-N3] is tried again with growing waits, then parked with its error and shown', async () => {
    await tower.virtual.advanceTo(plus(due, { hours: 1 }))
    const attempts = await tower.node.occurrences(ref)
    expect(attempts.map(({ outcome }) => outcome)).to.deep.equal([
      ...Array.from({ length: agendaLimits.startAttempts - 1 }, () => 'start-failed'),
      'parked',
    ])
    const waits = attempts.slice(1).map(({ at }, place) => Date.parse(at) - Date.parse(attempts[place]!.at))
    expect(waits).to.deep.equal([1_000, 2_000, 4_000, 8_000])
    const { items } = await tower.node.agenda({ show: 'attention' })
    expect(items.map(({ standing, error }) => [standing, error?.code])).to.deep.equal([['parked', 'flow-unknown']])
    expect(items[0]?.error?.message).to.contain('bells/Ring')
    const before = tower.node.head
    await tower.virtual.advanceBy({ days: 30 })
    expect(tower.node.head).to.deep.equal(before)
  })

  it('[SCH-N3] does not hold up a healthy activity that is due later', async () => {
    const Healthy = (flow: string) => ({
      next: (data: Parameters<typeof usualActivity>[0], own: StateRef) => {
        const usual = usualActivity(data, own)
        if (data.name !== 'unrung' && usual._tag === 'Some')
          return { ...usual, value: { ...usual.value, flow: { name: flow, input: { bell: { ...own } } } } }
        return usual
      },
      ...withoutRing,
    })
    await tower.restart(Healthy('bells/Late'))
    await tower.castOne(bell('healthy', { at: plus(due, { milliseconds: 500 }) }))
    await tower.virtual.advanceTo(plus(due, { seconds: 1 }))
    expect((await tower.starts()).map(({ name, latenessMs }) => ({ name, latenessMs }))).to.deep.equal([
      { name: 'healthy', latenessMs: 0 },
    ])
  })

  it('is tried as often when earlier attempts did start a flow', async () => {
    await tower.restart({})
    const kept = await tower.castOne(bell('kept', { at: due, manner: 'keep' }))
    await tower.virtual.advanceTo(due)
    for (let restarts = 0; restarts < agendaLimits.startAttempts; restarts++) await tower.restart({})
    await tower.restart(withoutRing)
    await tower.virtual.advanceBy({ seconds: 1 })
    await tower.restart({})
    await tower.virtual.advanceBy({ minutes: 1 })
    const started = Array.from({ length: agendaLimits.startAttempts + 1 }, () => 'completed')
    expect(await tower.outcomes(kept)).to.deep.equal([...started, 'start-failed', 'start-failed', 'completed'])
  })

  it('is on the agenda and nowhere else while it waits for the next try, also after a start of the node', async () => {
    await tower.restart({})
    const kept = await tower.castOne(bell('kept', { at: due, manner: 'fail' }))
    await tower.virtual.advanceTo(due)
    await tower.restart(withoutRing)
    const isKept = (entry: { readonly ref: StateRef }): boolean => showRef(entry.ref) === showRef(kept)
    const standings = (await tower.node.agenda()).items.filter(isKept).map(({ standing }) => standing)
    expect(standings).to.deep.equal(['scheduled'])
    expect((await tower.node.agenda({ show: 'attention' })).items.filter(isKept)).to.deep.equal([])
    expect(await codeOf(tower.node.pause(kept, { by: 'Ada' }))).to.equal('none')
  })

  it('succeeds by itself when the flow is installed before the attempts are used up', async () => {
    await tower.virtual.advanceTo(plus(due, { seconds: 2 }))
    await tower.restart({})
    await tower.virtual.advanceTo(plus(due, { minutes: 1 }))
    expect(await tower.outcomes(ref)).to.deep.equal(['start-failed', 'start-failed', 'completed'])
    expect((await tower.starts()).map(({ attempt }) => attempt)).to.deep.equal([3])
  })

  it('succeeds when it is retried after the flow was installed', async () => {
    await tower.virtual.advanceTo(plus(due, { hours: 1 }))
    await tower.node.retry(ref, { by: 'Ada' })
    await tower.virtual.runUntilQuiet()
    expect((await tower.node.occurrences(ref)).at(-1)!.outcome, 'still not there').to.equal('parked')
    await tower.restart({})
    await tower.node.retry(ref, { by: 'Ada' })
    await tower.virtual.runUntilQuiet()
    expect((await tower.node.occurrences(ref)).at(-1)).to.deep.include({ outcome: 'completed', cause: 'retry' })
    expect((await tower.node.agenda({ show: 'attention' })).items).to.deep.equal([])
  })

  it('is closed when an operator dismisses it', async () => {
    await tower.virtual.advanceTo(plus(due, { hours: 1 }))
    await tower.node.dismiss(ref, { by: 'Ada' })
    await tower.restart({})
    expect(await tower.rung()).to.deep.equal([])
    expect(await codeOf(tower.node.retry(ref))).to.equal('activity-not-ready')
  })

  it('is forgotten when its state is consumed while it waits for the next try', async () => {
    await tower.virtual.advanceTo(due)
    await tower.melt(ref)
    await tower.virtual.advanceBy({ days: 1 })
    expect(await tower.outcomes(ref)).to.deep.equal(['start-failed'])
    expect(await tower.awaited()).to.deep.equal([])
  })
})
