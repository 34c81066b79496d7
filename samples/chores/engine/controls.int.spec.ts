import { expect } from 'chai'
import { millisBetween, plus, type FlowSummary } from 'carillon'
import { Held } from '../test/Held.js'
import { refusalOf } from '../test/refusalOf.js'
import { conductOne, standWith } from '../test/simpleChore.js'
import { continueIn, done, pickInterval, Scheduler, type TaskAction } from './index.js'

describe('the controls of a chore', () => {
  for (const enabled of [true, false])
    it(`[SNE-53] trigger it at once when it is idle and ${enabled ? 'enabled' : 'disabled'}, and leave its schedule`, async () => {
      const stand = await standWith(() => () => continueIn(60))
      if (enabled) await stand.engine.control('chore', { verb: 'enable' })
      const next = (await stand.engine.getStatus('chore'))?.nextScheduledRunAt
      await stand.engine.control('chore', { verb: 'trigger' })
      await stand.quiet()
      expect(await stand.engine.getStatus('chore')).to.include({
        conductorStatus: 'Polling',
        conductorStartedAt: stand.now,
        nextScheduledRunAt: next,
        enabled,
      })
    })

  it('[SNE-54] change nothing by a trigger while a run is active', async () => {
    const stand = await standWith(() => () => continueIn(60))
    await stand.engine.control('chore', { verb: 'trigger' })
    await stand.quiet()
    const status = await stand.engine.getStatus('chore')
    await stand.engine.control('chore', { verb: 'trigger' })
    await stand.quiet()
    expect(await stand.engine.getStatus('chore')).to.deep.equal(status)
  })

  it('start it: enabled, running now, and the next run booked', async () => {
    const stand = await standWith(() => () => continueIn(60))
    await stand.engine.control('chore', { verb: 'start' })
    await stand.quiet()
    expect(await stand.engine.getStatus('chore')).to.include({
      lifecycle: 'Running',
      conductorStatus: 'Polling',
      nextScheduledRunAt: plus(stand.now, { hours: 1 }),
    })
  })

  it('[SNE-101] schedule its start: no run before that time, then every interval', async () => {
    const runs: string[] = []
    const stand = await standWith(() => () => {
      runs.push(stand.now)
      return done
    })
    const first = plus(stand.now, { hours: 10 })
    await stand.engine.control('chore', { verb: 'schedule', at: first })
    await stand.quiet()
    expect(await stand.engine.getStatus('chore')).to.include({ lifecycle: 'Running', nextScheduledRunAt: first })
    await stand.advance({ hours: 12 })
    expect(runs).to.deep.equal([first, plus(first, { hours: 1 }), plus(first, { hours: 2 })])
  })

  it('[SNE-101] run it at once when its start is scheduled for the past', async () => {
    const runs: string[] = []
    const stand = await standWith(() => () => {
      runs.push(stand.now)
      return done
    })
    await stand.engine.control('chore', { verb: 'schedule', at: stand.ago(3_600) })
    await stand.quiet()
    expect(runs).to.deep.equal([stand.now])
    expect((await stand.engine.getStatus('chore'))?.nextScheduledRunAt).to.equal(plus(stand.now, { hours: 1 }))
  })

  it('[SNE-102] pause it: the run is stopped, the next run kept, nothing armed; twice is as once', async () => {
    const stand = await standWith((engine) => conductOne(engine, 'work', () => new Held<TaskAction>().promise))
    await stand.engine.control('chore', { verb: 'pause' })
    expect((await stand.engine.getStatus('chore'))?.lifecycle).to.equal('Stopped')
    await stand.engine.control('chore', { verb: 'start' })
    await stand.advance({ seconds: 5 })
    const next = (await stand.engine.getStatus('chore'))?.nextScheduledRunAt
    await stand.engine.control('chore', { verb: 'pause' })
    const paused = await stand.engine.getStatus('chore')
    expect(paused).to.include({
      lifecycle: 'Paused',
      conductorStatus: 'Idle',
      taskStatus: 'Idle',
      schedulerStatus: 'Idle',
      nextScheduledRunAt: next,
      totalRunCount: 0,
    })
    await stand.engine.control('chore', { verb: 'pause' })
    expect(await stand.engine.getStatus('chore')).to.deep.equal(paused)
  })

  it('[SNE-103] resume it at the same time when that is still to come', async () => {
    const stand = await standWith(() => () => done)
    await stand.engine.control('chore', { verb: 'enable' })
    const next = (await stand.engine.getStatus('chore'))?.nextScheduledRunAt
    await stand.engine.control('chore', { verb: 'pause' })
    await stand.advance({ minutes: 30 })
    await stand.engine.control('chore', { verb: 'resume' })
    expect(await stand.engine.getStatus('chore')).to.include({ schedulerStatus: 'Scheduled', nextScheduledRunAt: next })
  })

  it('[SNE-103] resume it with a run now when it is overdue, and count the next from now', async () => {
    const stand = await standWith(() => () => done)
    await stand.engine.control('chore', { verb: 'enable' })
    await stand.engine.control('chore', { verb: 'pause' })
    await stand.advance({ hours: 5 })
    await stand.engine.control('chore', { verb: 'resume' })
    await stand.quiet()
    expect(await stand.engine.getStatus('chore')).to.include({
      totalRunCount: 1,
      lastCompletedRunAt: stand.now,
      nextScheduledRunAt: plus(stand.now, { hours: 1 }),
    })
  })

  it('[SNE-104] stop it: disabled, nothing booked, nothing under way', async () => {
    const stand = await standWith(() => () => continueIn(10))
    await stand.engine.control('chore', { verb: 'start' })
    await stand.quiet()
    await stand.engine.control('chore', { verb: 'stop' })
    expect(await stand.engine.getStatus('chore')).to.include({
      lifecycle: 'Stopped',
      nextScheduledRunAt: null,
      conductorStatus: 'Idle',
      schedulerStatus: 'Idle',
    })
    await stand.advance({ days: 1 })
    expect((await stand.engine.getStatus('chore'))?.totalRunCount).to.equal(0)
  })

  it('run a stopped chore once and leave it stopped', async () => {
    const stand = await standWith(() => () => done)
    await stand.engine.control('chore', { verb: 'trigger' })
    await stand.advance({ days: 1 })
    expect(await stand.engine.getStatus('chore')).to.include({ totalRunCount: 1, lifecycle: 'Stopped' })
  })

  it('move the next run of an enabled chore, only store it for a paused one, and refuse it for a stopped one', async () => {
    const stand = await standWith(() => () => done)
    const at = plus(stand.now, { minutes: 7 })
    expect(await refusalOf(() => stand.engine.control('chore', { verb: 'next-run', at }))).to.contain('is stopped')
    await stand.engine.control('chore', { verb: 'enable' })
    await stand.engine.control('chore', { verb: 'next-run', at })
    await stand.engine.control('chore', { verb: 'pause' })
    const later = plus(at, { minutes: 1 })
    await stand.engine.control('chore', { verb: 'next-run', at: later })
    expect(await stand.engine.getStatus('chore')).to.include({ schedulerStatus: 'Idle', nextScheduledRunAt: later })
    await stand.advance({ minutes: 7 })
    expect((await stand.engine.getStatus('chore'))?.totalRunCount).to.equal(0)
    await stand.engine.control('chore', { verb: 'resume' })
    await stand.advanceTo(later)
    expect((await stand.engine.getStatus('chore'))?.totalRunCount).to.equal(1)
  })

  it('refuse intervals and timeouts that are not whole seconds from one on', async () => {
    const stand = await standWith(() => () => done)
    const config = await stand.engine.getConfig('chore')
    expect(await refusalOf(() => stand.engine.control('chore', { verb: 'interval', seconds: 0 }))).to.contain(
      'ChoreRefused: An interval is',
    )
    expect(await refusalOf(() => stand.engine.control('chore', { verb: 'timeout', seconds: -1 }))).to.contain(
      'ChoreRefused: A task timeout is',
    )
    expect(await stand.engine.getConfig('chore')).to.deep.equal(config)
  })

  it('[SNE-106] draw each interval between minimum and maximum, as the recorded seed says', async () => {
    const intervals: number[] = []
    const stand = await standWith(() => () => done, { defaultIntervalSeconds: 5, defaultMaxIntervalSeconds: 10 })
    await stand.engine.control('chore', { verb: 'enable' })
    for (let booking = 0; booking < 12; booking++) {
      const [scheduler] = await stand.node.states(Scheduler)
      const { nextScheduledRunAt, bookingSeed, config } = scheduler!.data
      const seconds = millisBetween(stand.now, nextScheduledRunAt!) / 1000
      expect(pickInterval(config, bookingSeed)).to.equal(seconds)
      expect(seconds).to.be.within(5, 10)
      intervals.push(seconds)
      await stand.advanceTo(nextScheduledRunAt!)
    }
    expect(new Set(intervals).size).to.be.greaterThan(1)
  })

  it('[SNE-106] use exactly the minimum when the maximum is not above it, or there is none', async () => {
    const stand = await standWith(() => () => done)
    await stand.engine.control('chore', { verb: 'enable' })
    for (const maxSeconds of [undefined, 4, 5]) {
      await stand.engine.control('chore', {
        verb: 'interval',
        seconds: 5,
        ...(maxSeconds === undefined ? {} : { maxSeconds }),
      })
      await stand.engine.control('chore', { verb: 'start' })
      expect((await stand.engine.getStatus('chore'))?.nextScheduledRunAt).to.equal(plus(stand.now, { seconds: 5 }))
      expect((await stand.node.states(Scheduler))[0]?.data.bookingSeed).to.equal(null)
    }
  })

  it('are recorded with who asked, also when they change nothing', async () => {
    const stand = await standWith(() => () => done)
    await stand.engine.control('chore', { verb: 'enable' }, { by: 'ada' })
    await stand.engine.control('chore', { verb: 'enable' }, { by: 'bob' })
    await stand.engine.control('chore', { verb: 'stop-chore' }, { by: 'cleo' })
    const log = await stand.engine.getRunLog('chore')
    expect(log.filter(({ kind }) => kind === 'control').map(({ by, text }) => [by, text])).to.deep.equal([
      ['ada', 'enable'],
      ['cleo', 'stop-chore'],
    ])
    const asked = (await stand.node.flows({ name: 'chores/Control' })).items.map(({ startedBy }: FlowSummary) =>
      startedBy.kind === 'client' ? startedBy.by : 'activity',
    )
    expect(asked.toReversed()).to.deep.equal(['ada', 'bob', 'cleo'])
  })
})
