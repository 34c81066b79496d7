import { expect } from 'chai'
import { plus } from 'carillon'
import { ChoreStand } from '../test/ChoreStand.js'
import { Held } from '../test/Held.js'
import { continueIn, defineChore, done, type ChoreEngine, type Conduct, type ConductorAction } from './index.js'

const day = 86_400
const week = 7 * day

const weekly = (conduct: Conduct = () => done) =>
  defineChore({
    id: 'weekly',
    name: 'Weekly',
    description: 'Something weekly',
    defaultIntervalSeconds: week,
    conduct,
  })

const standWith = (conduct?: Conduct): Promise<ChoreStand> =>
  ChoreStand.open({
    chores: (engine: ChoreEngine) => {
      engine.registerChore(weekly(conduct))
    },
  })

describe('the scheduler of a chore', () => {
  it('[SNE-11] starts the conductor when its time arrives and books the next run from that moment', async () => {
    const ticks: string[] = []
    const stand = await standWith(() => {
      ticks.push(stand.now)
      return done
    })
    await stand.engine.control('weekly', { verb: 'enable' })
    const first = plus(stand.now, { weeks: 1 })
    expect(await stand.engine.getStatus('weekly')).to.include({
      schedulerStatus: 'Scheduled',
      nextScheduledRunAt: first,
    })
    await stand.advanceTo(plus(first, { milliseconds: -1 }))
    expect(ticks).to.deep.equal([])
    await stand.advanceTo(first)
    expect(ticks).to.deep.equal([first])
    expect(await stand.engine.getStatus('weekly')).to.include({
      totalRunCount: 1,
      nextScheduledRunAt: plus(first, { weeks: 1 }),
    })
  })

  it('[SNE-12] starts no second conductor while the run before is active, and books the next run all the same', async () => {
    let runs = 0
    const stand = await standWith(({ invocationCount }) => {
      if (invocationCount === 0) runs += 1
      return continueIn(day)
    })
    await stand.engine.control('weekly', { verb: 'start' })
    await stand.advance({ weeks: 1, hours: 1 })
    expect(runs).to.equal(1)
    expect(await stand.engine.getStatus('weekly')).to.include({
      schedulerStatus: 'Scheduled',
      conductorStatus: 'Polling',
    })
    expect((await stand.engine.getStatus('weekly'))?.nextScheduledRunAt).to.equal(
      plus(stand.now, { weeks: 1, hours: -1 }),
    )
    const kinds = (await stand.engine.getRunLog('weekly')).map(({ kind }) => kind)
    expect(kinds.filter((kind) => kind === 'run-started')).to.have.length(1)
    expect(kinds).to.include('run-skipped')
  })

  it('[SNE-13] keeps the booked fire when the interval changes, and uses the new one after it', async () => {
    const stand = await standWith()
    await stand.engine.control('weekly', { verb: 'enable' })
    const booked = (await stand.engine.getStatus('weekly'))!.nextScheduledRunAt!
    await stand.engine.control('weekly', { verb: 'interval', seconds: day })
    expect((await stand.engine.getStatus('weekly'))?.nextScheduledRunAt).to.equal(booked)
    await stand.advanceTo(booked)
    expect((await stand.engine.getStatus('weekly'))?.nextScheduledRunAt).to.equal(plus(booked, { days: 1 }))
  })

  it('[SNE-14] starts no run when it was disabled while a fire was pending, and has no next run', async () => {
    const stand = await standWith()
    await stand.engine.control('weekly', { verb: 'enable' })
    await stand.advance({ days: 6 })
    await stand.engine.control('weekly', { verb: 'disable' })
    await stand.advance({ weeks: 2 })
    expect(await stand.engine.getStatus('weekly')).to.include({
      totalRunCount: 0,
      schedulerStatus: 'Idle',
      nextScheduledRunAt: null,
    })
  })

  it('lets a run go on that is under way when the chore is disabled', async () => {
    const held = new Held<ConductorAction>()
    const stand = await standWith(() => held.promise)
    await stand.engine.control('weekly', { verb: 'start' })
    await stand.quiet()
    await stand.engine.control('weekly', { verb: 'disable' })
    expect(await stand.engine.getStatus('weekly')).to.include({ schedulerStatus: 'Idle', conductorStatus: 'Running' })
    held.release(done)
    await stand.quiet()
    expect(await stand.engine.getStatus('weekly')).to.include({ conductorStatus: 'Idle', totalSuccessCount: 1 })
  })
})
