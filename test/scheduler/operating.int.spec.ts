/**
 * What an operator may do to an activity, and to the node as a whole: trigger, pause, dismiss, drain.
 */
import { expect } from 'chai'
import { instant, plus, toMillis } from '../../src/index.js'
import { bell } from './fixtures/bells.js'
import { castInput, codeOf, Tower } from './fixtures/Tower.js'

const mark = instant('2026-01-01T00:00:00.000Z')
const due = plus(mark, { days: 1 })
const dayMs = 86_400_000

describe('an operator', () => {
  let tower: Tower

  beforeEach(async () => {
    tower = await Tower.build()
  })

  afterEach(() => tower.check())

  it('triggers an activity before it is due: it runs at once, early, and not again', async () => {
    const ref = await tower.castOne(bell('early', { at: due }))
    await tower.node.trigger(ref, { by: 'Ada' })
    await tower.virtual.advanceBy({ days: 2 })
    expect((await tower.starts()).map(({ cause, latenessMs, due: at }) => ({ cause, latenessMs, at }))).to.deep.equal([
      { cause: 'trigger', latenessMs: -dayMs, at: due },
    ])
    expect(await tower.eventsOf('ActivityTriggered')).to.deep.equal([{ type: 'ActivityTriggered', ref, by: 'Ada' }])
  })

  it('triggers one again whose flow has ended, or that was dismissed', async () => {
    const ref = await tower.castOne(bell('kept', { at: due, manner: 'keep' }))
    await tower.virtual.advanceTo(due)
    await tower.node.trigger(ref)
    await tower.virtual.runUntilQuiet()
    await tower.node.dismiss(ref)
    await tower.node.trigger(ref)
    await tower.virtual.runUntilQuiet()
    expect(await tower.outcomes(ref)).to.deep.equal(['completed', 'completed', 'dismissed', 'completed'])
    expect((await tower.node.occurrences(ref)).map(({ attempt }) => attempt)).to.deep.equal([1, 2, 3, 4])
  })

  it('cannot trigger what is under way, consumed, unknown or silent', async () => {
    const [swinging, silent, gone] = await tower.cast(
      bell('swinging', { at: mark, manner: 'swing' }),
      'silent',
      bell('gone', { at: due }),
    )
    await tower.melt(gone!)
    expect(await codeOf(tower.node.trigger(swinging!))).to.equal('activity-not-ready')
    expect(await codeOf(tower.node.trigger(silent!))).to.equal('activity-unknown')
    expect(await codeOf(tower.node.trigger(gone!))).to.equal('state-consumed')
    expect(await codeOf(tower.node.trigger({ ...gone!, index: 99 }))).to.equal('state-unknown')
  })

  it('pauses an activity with a note: it does not run, over restarts, until it is resumed', async () => {
    const ref = await tower.castOne(bell('paused', { at: due }))
    await tower.node.pause(ref, { by: 'Ada', note: 'the rope is worn' })
    expect((await tower.node.agenda({ show: 'paused' })).items.map(({ note }) => note)).to.deep.equal([
      'the rope is worn',
    ])
    expect((await tower.node.agenda()).items).to.deep.equal([])
    await tower.restart()
    await tower.virtual.advanceTo(plus(due, { days: 1 }))
    expect(await tower.rung()).to.deep.equal([])
    await tower.node.resume(ref, { by: 'Bob' })
    await tower.virtual.runUntilQuiet()
    expect((await tower.starts()).map(({ cause, latenessMs }) => ({ cause, latenessMs }))).to.deep.equal([
      { cause: 'due', latenessMs: dayMs },
    ])
    const [paused] = await tower.eventsOf('ActivityPaused')
    const [resumed] = await tower.eventsOf('ActivityResumed')
    expect([paused?.by, resumed?.by]).to.deep.equal(['Ada', 'Bob'])
  })

  it('resumes one before it is due: it runs on time', async () => {
    const ref = await tower.castOne(bell('paused', { at: due }))
    await tower.node.pause(ref)
    await tower.node.resume(ref)
    await tower.virtual.advanceTo(due)
    expect((await tower.starts()).map(({ latenessMs }) => latenessMs)).to.deep.equal([0])
  })

  it('triggers one that is paused: it runs once and is not paused any more', async () => {
    const ref = await tower.castOne(bell('paused', { at: due }))
    await tower.node.pause(ref)
    await tower.node.trigger(ref)
    await tower.virtual.advanceBy({ days: 2 })
    expect(await tower.rung()).to.deep.equal(['paused'])
    expect(await codeOf(tower.node.resume(ref))).to.equal('state-consumed')
  })

  it('dismisses one with a note: it never runs, and the log says who', async () => {
    const ref = await tower.castOne(bell('dismissed', { at: due }))
    await tower.node.dismiss(ref, { by: 'Ada', note: 'not this year' })
    await tower.virtual.advanceBy({ days: 2 })
    expect(await tower.rung()).to.deep.equal([])
    expect(await tower.node.occurrences(ref)).to.have.length(1)
    expect((await tower.node.occurrences(ref))[0]).to.deep.include({ outcome: 'dismissed', by: 'Ada', due })
    expect(await tower.eventsOf('ActivityDismissed')).to.deep.equal([
      { type: 'ActivityDismissed', ref, by: 'Ada', note: 'not this year' },
    ])
  })

  it('pauses one that was triggered while draining: resumed, it runs when it is due, as if never triggered', async () => {
    const ref = await tower.castOne(bell('hesitant', { at: due }))
    await tower.node.drain()
    await tower.node.trigger(ref)
    await tower.node.pause(ref)
    await tower.node.endDraining()
    await tower.node.resume(ref)
    await tower.virtual.advanceBy({ days: 2 })
    expect((await tower.starts()).map(({ cause, latenessMs }) => ({ cause, latenessMs }))).to.deep.equal([
      { cause: 'due', latenessMs: 0 },
    ])
  })
})

describe('draining', () => {
  let tower: Tower

  beforeEach(async () => {
    tower = await Tower.build()
  })

  afterEach(() => tower.check())

  it('[SCH-43] starts nothing while it lasts, and everything that has become due, in order, when it ends', async () => {
    await tower.cast(bell('third', { at: plus(due, { hours: 3 }) }), bell('first', { at: due }))
    await tower.cast(bell('second', { at: due }), bell('future', { at: plus(due, { days: 9 }) }))
    await tower.node.drain({ by: 'Ada' })
    await tower.virtual.advanceTo(plus(due, { days: 1 }))
    expect(await tower.rung()).to.deep.equal([])
    await tower.node.endDraining({ by: 'Bob' })
    await tower.virtual.runUntilQuiet()
    expect(await tower.rung()).to.deep.equal(['first', 'second', 'third'])
    expect((await tower.starts()).map(({ latenessMs }) => latenessMs)).to.deep.equal([dayMs, dayMs, dayMs - 10_800_000])
  })

  it('[SCH-46] is an event, survives a restart and a crash, and is over only when someone ends it', async () => {
    await tower.castOne(bell('waiting', { at: due }))
    await tower.node.drain({ by: 'Ada' })
    await tower.node.drain({ by: 'Ada' })
    await tower.restart()
    expect(tower.node.isDraining).to.equal(true)
    await tower.virtual.advanceTo(due)
    await tower.crashAndRestart()
    expect(tower.node.isDraining).to.equal(true)
    expect(await tower.rung()).to.deep.equal([])
    await tower.node.endDraining({ by: 'Bob' })
    await tower.virtual.runUntilQuiet()
    expect(await tower.rung()).to.deep.equal(['waiting'])
    expect(await tower.eventsOf('DrainingStarted')).to.deep.equal([{ type: 'DrainingStarted', by: 'Ada' }])
    expect(await tower.eventsOf('DrainingEnded')).to.deep.equal([{ type: 'DrainingEnded', by: 'Bob' }])
    await tower.restart()
    expect(tower.node.isDraining).to.equal(false)
  })

  it('[SCH-46] refuses flows that clients start, and takes them again afterwards', async () => {
    await tower.node.drain()
    expect(await codeOf(tower.cast('refused'))).to.equal('node-draining')
    await tower.node.endDraining()
    expect(await codeOf(tower.cast('taken'))).to.equal('none')
    expect((await tower.node.states(tower.Bell)).map(({ data }) => data.name)).to.deep.equal(['taken'])
  })

  it('[SCH-46] lets what is under way go on to its end', async () => {
    const ref = await tower.castOne(bell('swinging', { at: due, manner: 'swing' }))
    await tower.virtual.advanceTo(due)
    await tower.node.drain()
    await tower.virtual.advanceTo(plus(due, { hours: 1 }))
    expect(await tower.outcomes(ref)).to.deep.equal(['completed'])
  })

  it('opens what a restart would open again only after it has ended', async () => {
    const ref = await tower.castOne(bell('cracked', { at: due, manner: 'fail' }))
    await tower.virtual.advanceTo(due)
    await tower.node.drain()
    await tower.restart()
    expect(await tower.outcomes(ref)).to.deep.equal(['failed'])
    await tower.node.endDraining()
    await tower.virtual.runUntilQuiet()
    expect(await tower.outcomes(ref)).to.deep.equal(['failed', 'failed'])
  })

  it('keeps a trigger until it ends', async () => {
    const ref = await tower.castOne(bell('triggered', { at: due }))
    await tower.node.drain()
    await tower.node.trigger(ref)
    await tower.virtual.advanceBy({ hours: 1 })
    expect(await tower.rung()).to.deep.equal([])
    await tower.node.endDraining()
    await tower.virtual.runUntilQuiet()
    expect((await tower.starts()).map(({ cause }) => cause)).to.deep.equal(['trigger'])
  })

  it('does not try a failed start again while it lasts', async () => {
    await tower.castOne(bell('unrung', { at: due }))
    await tower.restart({ without: ['bells/Ring'] })
    await tower.virtual.advanceTo(due)
    expect(await tower.eventsOf('ActivityStartFailed')).to.have.length(1)
    await tower.node.drain()
    await tower.virtual.advanceBy({ hours: 1 })
    expect(await tower.eventsOf('ActivityStartFailed')).to.have.length(1)
  })
})

describe('a flow that an activity started', () => {
  it('[SCH-44] shows what started it: the state, the due instant, the cause, the attempt and the lateness', async () => {
    const tower = await Tower.build()
    const ref = await tower.castOne(bell('swinging', { at: due, manner: 'swing' }))
    await tower.virtual.crash()
    await tower.virtual.advanceTo(plus(due, { minutes: 5 }))
    await tower.startAgain()
    const { items } = await tower.node.flows({ name: 'bells/Ring' })
    expect(items).to.have.length(1)
    const [flow] = items
    expect(flow).to.deep.include({
      name: 'bells/Ring',
      version: 1,
      status: 'running',
      startedAt: plus(due, { minutes: 5 }),
      startedBy: { kind: 'activity', ref, due, attempt: 1, latenessMs: 300_000, cause: 'due' },
    })
    expect(flow).not.to.have.property('endedAt')
    expect((await tower.node.flow(flow!.id))?.input).to.deep.equal({ bell: ref })
  })

  it('[SCH-44] is told apart from one that a client started', async () => {
    const tower = await Tower.build()
    const input = castInput([bell('ordered')])
    const handle = await tower.node.startByName('bells/Cast', input, { by: 'Ada', clientId: 'order 1' })
    await handle.result()
    expect((await tower.node.flow(handle.id))?.startedBy).to.deep.equal({
      kind: 'client',
      by: 'Ada',
      clientId: 'order 1',
    })
  })
})

describe('the clock of the node', () => {
  let tower: Tower

  beforeEach(async () => {
    tower = await Tower.build()
  })

  afterEach(() => tower.check())

  it('[SCH-N7] may be waited on for longer than a host timer holds, up to the year 9999', async () => {
    const far = instant('9999-12-31T23:59:59.999Z')
    await tower.cast(bell('in 25 days', { at: plus(mark, { days: 25 }) }), bell('far', { at: far }))
    await tower.virtual.advanceTo(plus(mark, { days: 24, hours: 23 }))
    expect(await tower.rung()).to.deep.equal([])
    await tower.virtual.advanceTo(plus(mark, { days: 25 }))
    expect(await tower.rung()).to.deep.equal(['in 25 days'])
    await tower.virtual.advanceTo(instant('9999-12-31T23:59:59.998Z'))
    expect(await tower.rung()).to.deep.equal(['in 25 days'])
    await tower.virtual.advanceTo(far)
    expect((await tower.starts()).map(({ name, latenessMs }) => [name, latenessMs])).to.deep.equal([
      ['in 25 days', 0],
      ['far', 0],
    ])
  })

  it('[SCH-N7] may stand at the end of time when a start fails there', async () => {
    const far = instant('9999-12-31T23:59:59.999Z')
    await tower.castOne(bell('far', { at: far }))
    await tower.restart({ without: ['bells/Ring'] })
    await tower.virtual.advanceTo(far)
    expect(tower.virtual.failure).to.equal(undefined)
    const { items } = await tower.node.agenda({ show: 'attention' })
    expect(items.map(({ error }) => error?.code)).to.deep.equal(['flow-unknown'])
  })

  it('[SCH-N8] may step back: nothing is started again, and what waits is started at its own instant', async () => {
    await tower.cast(bell('rung', { at: due, manner: 'keep' }), bell('waiting', { at: plus(due, { hours: 2 }) }))
    await tower.virtual.advanceTo(plus(due, { hours: 1 }))
    tower.virtual.clock.setTo(toMillis(mark))
    await tower.virtual.advanceTo(plus(due, { hours: 1 }))
    expect(await tower.rung()).to.deep.equal(['rung'])
    await tower.virtual.advanceTo(plus(due, { hours: 2 }))
    expect((await tower.starts()).map(({ name, latenessMs }) => [name, latenessMs])).to.deep.equal([
      ['rung', 0],
      ['waiting', 0],
    ])
  })

  it('[SCH-N8] may step forward: everything that it passes is started, in order, once', async () => {
    await tower.cast(bell('b', { at: plus(due, { hours: 1 }) }), bell('a', { at: due }))
    tower.virtual.clock.setTo(toMillis(plus(due, { days: 1 })))
    await tower.virtual.advanceBy({ milliseconds: 0 })
    expect((await tower.starts()).map(({ name, latenessMs }) => [name, latenessMs])).to.deep.equal([
      ['a', dayMs],
      ['b', dayMs - 3_600_000],
    ])
  })

  it('[SCH-N8] may step back between two attempts: they are still told in the order they were made', async () => {
    const ref = await tower.castOne(bell('kept', { at: due, manner: 'keep' }))
    await tower.virtual.advanceTo(due)
    tower.virtual.clock.setTo(toMillis(mark))
    await tower.node.dismiss(ref)
    await tower.node.trigger(ref)
    await tower.virtual.runUntilQuiet()
    expect((await tower.node.occurrences(ref)).map(({ attempt, outcome }) => [attempt, outcome])).to.deep.equal([
      [1, 'completed'],
      [2, 'dismissed'],
      [3, 'completed'],
    ])
  })
})
