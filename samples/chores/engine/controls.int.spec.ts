import { expect } from 'chai'
import { instant, millisBetween, plus, type FlowSummary } from 'carillon'
import { ChoreStand } from '../testing/ChoreStand.js'
import { Held } from '../testing/Held.js'
import { conductOne, simpleChore, standWith } from '../testing/simpleChore.js'
import {
  ChoreDesk,
  continueIn,
  done,
  pickInterval,
  Scheduler,
  type ConductorAction,
  type Grants,
  type TaskAction,
} from './index.js'

const refusalOf = async (call: () => unknown): Promise<string> => {
  try {
    await call()
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  }
  return 'not refused'
}

describe('the controls of a chore', () => {
  for (const enabled of [true, false])
    it(`[SNE-53] trigger it at once when it is idle and ${enabled ? 'enabled' : 'disabled'}, and leave its schedule`, async () => {
      const stand = await standWith(() => () => continueIn(60))
      if (enabled) await stand.engine.setEnabled('chore', true)
      const next = stand.engine.getStatus('chore')?.nextScheduledRunAt
      await stand.engine.trigger('chore')
      await stand.quiet()
      expect(stand.engine.getStatus('chore')).to.include({
        conductorStatus: 'Polling',
        conductorStartedAt: stand.now,
        nextScheduledRunAt: next,
        enabled,
      })
    })

  it('[SNE-54] change nothing by a trigger while a run is active', async () => {
    const stand = await standWith(() => () => continueIn(60))
    await stand.engine.trigger('chore')
    await stand.quiet()
    const [status, runtime] = [stand.engine.getStatus('chore'), stand.engine.getRuntimeState('chore')]
    await stand.engine.trigger('chore')
    await stand.quiet()
    expect([stand.engine.getStatus('chore'), stand.engine.getRuntimeState('chore')]).to.deep.equal([status, runtime])
  })

  it('start it: enabled, running now, and the next run booked', async () => {
    const stand = await standWith(() => () => continueIn(60))
    await stand.engine.start('chore')
    await stand.quiet()
    expect(stand.engine.getStatus('chore')).to.include({
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
    await stand.engine.scheduleStart('chore', first)
    await stand.quiet()
    expect(stand.engine.getStatus('chore')).to.include({ lifecycle: 'Running', nextScheduledRunAt: first })
    await stand.advance({ hours: 12 })
    expect(runs).to.deep.equal([first, plus(first, { hours: 1 }), plus(first, { hours: 2 })])
  })

  it('[SNE-101] run it at once when its start is scheduled for the past', async () => {
    const runs: string[] = []
    const stand = await standWith(() => () => {
      runs.push(stand.now)
      return done
    })
    await stand.engine.scheduleStart('chore', stand.ago(3_600))
    await stand.quiet()
    expect(runs).to.deep.equal([stand.now])
    expect(stand.engine.getStatus('chore')?.nextScheduledRunAt).to.equal(plus(stand.now, { hours: 1 }))
  })

  it('[SNE-102] pause it: the run is stopped, the next run kept, nothing armed; twice is as once', async () => {
    const stand = await standWith((engine) => conductOne(engine, 'work', () => new Held<TaskAction>().promise))
    await stand.engine.pause('chore')
    expect(stand.engine.getStatus('chore')?.lifecycle).to.equal('Stopped')
    await stand.engine.start('chore')
    await stand.advance({ seconds: 5 })
    const next = stand.engine.getStatus('chore')?.nextScheduledRunAt
    await stand.engine.pause('chore')
    const paused = stand.engine.getStatus('chore')
    expect(paused).to.include({
      lifecycle: 'Paused',
      conductorStatus: 'Idle',
      taskStatus: 'Idle',
      schedulerStatus: 'Idle',
      nextScheduledRunAt: next,
      totalRunCount: 0,
    })
    await stand.engine.pause('chore')
    expect(stand.engine.getStatus('chore')).to.deep.equal(paused)
  })

  it('[SNE-103] resume it at the same time when that is still to come', async () => {
    const stand = await standWith(() => () => done)
    await stand.engine.setEnabled('chore', true)
    const next = stand.engine.getStatus('chore')?.nextScheduledRunAt
    await stand.engine.pause('chore')
    await stand.advance({ minutes: 30 })
    await stand.engine.resume('chore')
    expect(stand.engine.getStatus('chore')).to.include({ schedulerStatus: 'Scheduled', nextScheduledRunAt: next })
  })

  it('[SNE-103] resume it with a run now when it is overdue, and count the next from now', async () => {
    const stand = await standWith(() => () => done)
    await stand.engine.setEnabled('chore', true)
    await stand.engine.pause('chore')
    await stand.advance({ hours: 5 })
    await stand.engine.resume('chore')
    await stand.quiet()
    expect(stand.engine.getStatus('chore')).to.include({
      totalRunCount: 1,
      lastCompletedRunAt: stand.now,
      nextScheduledRunAt: plus(stand.now, { hours: 1 }),
    })
  })

  it('[SNE-104] stop it: disabled, nothing booked, nothing under way', async () => {
    const stand = await standWith(() => () => continueIn(10))
    await stand.engine.start('chore')
    await stand.quiet()
    await stand.engine.stop('chore')
    expect(stand.engine.getStatus('chore')).to.include({
      lifecycle: 'Stopped',
      nextScheduledRunAt: null,
      conductorStatus: 'Idle',
      schedulerStatus: 'Idle',
    })
    await stand.advance({ days: 1 })
    expect(stand.engine.getStatus('chore')?.totalRunCount).to.equal(0)
  })

  it('run a stopped chore once and leave it stopped', async () => {
    const stand = await standWith(() => () => done)
    await stand.engine.trigger('chore')
    await stand.advance({ days: 1 })
    expect(stand.engine.getStatus('chore')).to.include({ totalRunCount: 1, lifecycle: 'Stopped' })
  })

  it('move the next run of an enabled chore, only store it for a paused one, and refuse it for a stopped one', async () => {
    const stand = await standWith(() => () => done)
    const at = plus(stand.now, { minutes: 7 })
    expect(await refusalOf(() => stand.engine.setNextScheduledRun('chore', at))).to.contain('is stopped')
    await stand.engine.setEnabled('chore', true)
    await stand.engine.setNextScheduledRun('chore', at)
    await stand.engine.pause('chore')
    const later = plus(at, { minutes: 1 })
    await stand.engine.setNextScheduledRun('chore', later)
    expect(stand.engine.getStatus('chore')).to.include({ schedulerStatus: 'Idle', nextScheduledRunAt: later })
    await stand.advance({ minutes: 7 })
    expect(stand.engine.getStatus('chore')?.totalRunCount).to.equal(0)
    await stand.engine.resume('chore')
    await stand.advanceTo(later)
    expect(stand.engine.getStatus('chore')?.totalRunCount).to.equal(1)
  })

  it('refuse intervals and timeouts that are not whole seconds from one on', async () => {
    const stand = await standWith(() => () => done)
    const config = stand.engine.getConfig('chore')
    expect(await refusalOf(() => stand.engine.setInterval('chore', 0))).to.contain('ChoreRefused: An interval is')
    expect(await refusalOf(() => stand.engine.setTaskTimeout('chore', -1))).to.contain(
      'ChoreRefused: A task timeout is',
    )
    expect(stand.engine.getConfig('chore')).to.deep.equal(config)
  })

  it('[SNE-106] draw each interval between minimum and maximum, as the recorded seed says', async () => {
    const intervals: number[] = []
    const stand = await standWith(() => () => done, { defaultIntervalSeconds: 5, defaultMaxIntervalSeconds: 10 })
    await stand.engine.setEnabled('chore', true)
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
    await stand.engine.setEnabled('chore', true)
    for (const maxSeconds of [undefined, 4, 5]) {
      await stand.engine.setInterval('chore', 5, maxSeconds === undefined ? {} : { maxSeconds })
      await stand.engine.start('chore')
      expect(stand.engine.getStatus('chore')?.nextScheduledRunAt).to.equal(plus(stand.now, { seconds: 5 }))
      expect((await stand.node.states(Scheduler))[0]?.data.bookingSeed).to.equal(null)
    }
  })

  it('are recorded with who asked, also when they change nothing', async () => {
    const stand = await standWith(() => () => done)
    await stand.engine.setEnabled('chore', true, { by: 'ada' })
    await stand.engine.setEnabled('chore', true, { by: 'bob' })
    await stand.engine.stopChore('chore', { by: 'cleo' })
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

describe('the instances of a chore type', () => {
  it('[SNE-107] have settings, states and schedules of their own', async () => {
    const stand = await standWith(() => () => done)
    await stand.engine.createInstance('chore', { choreId: 'second', name: 'The second' })
    await stand.engine.setInterval('second', 60)
    await stand.engine.start('second')
    await stand.advance({ minutes: 3 })
    expect(stand.engine.getStatus('second')).to.include({
      totalRunCount: 4,
      choreName: 'The second',
      choreType: 'chore',
    })
    expect(stand.engine.getStatus('chore')).to.include({
      totalRunCount: 0,
      lifecycle: 'Stopped',
      intervalSeconds: 3_600,
    })
    await stand.restart()
    expect(stand.engine.getStatus('second')).to.include({ totalRunCount: 4, intervalSeconds: 60 })
  })

  it('[SNE-107] can be deleted only when stopped, and renamed without a new id; an id is taken once', async () => {
    const stand = await standWith(() => () => done)
    await stand.engine.createInstance('chore', { choreId: 'second', name: 'The second' })
    const taken = [
      stand.engine.createInstance('chore', { choreId: 'third', name: 'The third' }),
      stand.engine.createInstance('chore', { choreId: 'third', name: 'Another third' }),
    ]
    expect((await Promise.allSettled(taken)).map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected'])
    expect(await refusalOf(() => stand.engine.createInstance('chore', { choreId: 'chore', name: 'x' }))).to.contain(
      'There is a chore chore already',
    )
    expect(await refusalOf(() => stand.engine.createInstance('none', { choreId: 'fourth', name: 'x' }))).to.contain(
      'There is no chore type none',
    )
    await stand.engine.renameInstance('second', 'The new second')
    expect(stand.engine.getStatus('second')?.choreName).to.equal('The new second')
    await stand.engine.setEnabled('second', true)
    expect(await refusalOf(() => stand.engine.deleteInstance('second'))).to.contain('must be stopped')
    await stand.engine.stop('second')
    await stand.engine.deleteInstance('second')
    expect(stand.engine.getStatus('second')).to.equal(undefined)
    expect(await refusalOf(() => stand.engine.deleteInstance('chore'))).to.contain('default instance')
    expect(stand.engine.listInstances('chore').map(({ data }) => data.choreId)).to.deep.equal(['chore', 'third'])
    await stand.restart()
    expect(stand.engine.getAllStatuses().map(({ choreId }) => choreId)).to.deep.equal(['chore', 'third'])
  })
})

describe('the permissions on chores', () => {
  const grants: Grants = {
    controllers: ['root'],
    permissions: { viewer: ['ViewChores'], manager: ['ManageChores'] },
  }
  const deskStand = async () => {
    const stand = await standWith(() => () => continueIn(10))
    return { stand, deskOf: (caller: string) => new ChoreDesk(stand.engine, grants, caller) }
  }

  it('[SNE-91] let those look who may view or manage, and controllers; nobody else', async () => {
    const { deskOf } = await deskStand()
    for (const caller of ['viewer', 'manager', 'root']) {
      expect(deskOf(caller).getChoreStatuses()).to.have.length(1)
      expect(deskOf(caller).getChoreStatus('chore')?.choreId).to.equal('chore')
      expect(deskOf(caller).getChoreConfigs()).to.have.length(1)
      expect(await deskOf(caller).getChoreLog('chore')).to.have.length(1)
    }
    for (const caller of ['stranger', 'constructor', '']) {
      const desk = deskOf(caller)
      for (const look of [
        () => desk.getChoreStatuses(),
        () => desk.getChoreStatus('chore'),
        () => desk.getChoreConfigs(),
        () => desk.getChoreLog('chore'),
        () => desk.getChoreLamp('chore', instant('2026-01-05T00:00:00.000Z')),
      ])
        expect(await refusalOf(look)).to.equal(`ChoreRefused: ${caller} lacks the permission ViewChores (19).`)
    }
  })

  it('[SNE-92] let those act who may manage, and controllers; a refused call changes nothing', async () => {
    const { stand, deskOf } = await deskStand()
    const controls = (desk: ChoreDesk): readonly (() => Promise<void>)[] => [
      () => desk.setChoreEnabled('chore', true),
      () => desk.setChoreInterval('chore', 60),
      () => desk.setChoreTaskTimeout('chore', 60),
      () => desk.triggerChore('chore'),
      () => desk.stopChore('chore'),
      () => desk.stopAllChores(),
      () => desk.control('chore', { verb: 'start' }),
      () => desk.createInstance('chore', 'other', 'Other'),
    ]
    const head = stand.node.head
    for (const caller of ['viewer', 'stranger'])
      for (const control of controls(deskOf(caller)))
        expect(await refusalOf(control)).to.equal(`ChoreRefused: ${caller} lacks the permission ManageChores (18).`)
    await stand.quiet()
    expect(stand.node.head).to.deep.equal(head)
    for (const control of controls(deskOf('manager'))) expect(await refusalOf(control)).to.equal('not refused')
    await deskOf('root').control('other', { verb: 'trigger' })
    const log = await stand.engine.getRunLog('other')
    expect(log.map(({ kind, by }) => `${kind} ${by ?? ''}`)).to.deep.equal([
      'registered manager',
      'control root',
      'run-started root',
    ])
  })

  it('[SNE-93] show every chore in the order of registration', async () => {
    const ids = ['zeta', 'alpha', 'mid']
    const stand = await ChoreStand.open({
      chores: (engine) => {
        for (const id of ids) engine.registerChore(simpleChore(id))
      },
    })
    await stand.engine.createInstance('zeta', { choreId: 'beta', name: 'Another zeta' })
    await stand.engine.createInstance('zeta', { choreId: 'aleph', name: 'A third zeta' })
    await stand.engine.start('mid')
    await stand.quiet()
    const shown = () => stand.engine.getAllStatuses().map(({ choreId }) => choreId)
    expect(shown()).to.deep.equal(['zeta', 'beta', 'aleph', 'alpha', 'mid'])
    await stand.restart()
    expect(shown()).to.deep.equal(['zeta', 'beta', 'aleph', 'alpha', 'mid'])
  })
})

describe('the log of a run', () => {
  it('tells what happened, in order, and only of the run that was asked for', async () => {
    const tick = new Held<ConductorAction>()
    const stand = await standWith((engine) => ({ choreId, lastCompletedTask, isTaskRunning }) => {
      if (lastCompletedTask !== null) return tick.promise
      if (!isTaskRunning) engine.setPendingTask(choreId, 'work', () => done)
      return continueIn(10)
    })
    await stand.engine.trigger('chore', { by: 'ada' })
    await stand.advance({ seconds: 10 })
    tick.release(done)
    await stand.quiet()
    await stand.engine.trigger('chore')
    await stand.quiet()
    const first = await stand.engine.getRunLog('chore', { run: 1 })
    expect(first.map(({ kind, text, by }) => [kind, text ?? by])).to.deep.equal([
      ['control', 'trigger'],
      ['run-started', 'ada'],
      ['task-started', 'work'],
      ['task-completed', 'work'],
      ['run-completed', null],
    ])
    expect(millisBetween(first[0]!.at, first.at(-1)!.at)).to.equal(10_000)
  })
})
