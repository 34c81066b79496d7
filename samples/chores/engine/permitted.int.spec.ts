import { expect } from 'chai'
import { millisBetween } from 'carillon'
import { ChoreStand } from '../test/ChoreStand.js'
import { Held } from '../test/Held.js'
import { refusalOf } from '../test/refusalOf.js'
import { simpleChore, standWith } from '../test/simpleChore.js'
import { auditor, callerWith, caretaker, owner, stranger } from '../test/callers.js'
import { continueIn, done, toManage, toView, type Caller, type ChoreEngine, type ConductorAction } from './index.js'

describe('the instances of a chore type', () => {
  it('[SNE-107] have settings, states and schedules of their own', async () => {
    const stand = await standWith(() => () => done)
    await stand.engine.createInstance('chore', { choreId: 'second', name: 'The second' })
    await stand.engine.control('second', { verb: 'interval', seconds: 60 })
    await stand.engine.control('second', { verb: 'start' })
    await stand.advance({ minutes: 3 })
    expect(await stand.engine.getStatus('second')).to.include({
      totalRunCount: 4,
      choreName: 'The second',
      choreType: 'chore',
    })
    expect(await stand.engine.getStatus('chore')).to.include({
      totalRunCount: 0,
      lifecycle: 'Stopped',
      intervalSeconds: 3_600,
    })
    await stand.restart()
    expect(await stand.engine.getStatus('second')).to.include({ totalRunCount: 4, intervalSeconds: 60 })
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
    await stand.engine.control('second', { verb: 'rename', name: 'The new second' })
    expect((await stand.engine.getStatus('second'))?.choreName).to.equal('The new second')
    await stand.engine.control('second', { verb: 'enable' })
    expect(await refusalOf(() => stand.engine.control('second', { verb: 'delete' }))).to.contain('must be stopped')
    await stand.engine.control('second', { verb: 'stop' })
    await stand.engine.control('second', { verb: 'delete' })
    expect(await stand.engine.getStatus('second')).to.equal(undefined)
    expect(await refusalOf(() => stand.engine.control('chore', { verb: 'delete' }))).to.contain('default instance')
    expect(await stand.engine.listInstances('chore')).to.deep.equal(['chore', 'third'])
    await stand.restart()
    expect((await stand.engine.getAllStatuses()).map(({ choreId }) => choreId)).to.deep.equal(['chore', 'third'])
  })
})

describe('the permissions on chores', () => {
  const openStand = async () => {
    const stand = await standWith(() => () => continueIn(10))
    return { stand, viewed: (caller: Caller) => toView(stand.engine, caller) }
  }

  it('[SNE-91] let those look who may view or manage, and controllers; nobody else', async () => {
    const { viewed } = await openStand()
    for (const caller of [auditor, caretaker, owner]) {
      expect(await viewed(caller).getAllStatuses()).to.have.length(1)
      expect((await viewed(caller).getStatus('chore'))?.choreId).to.equal('chore')
      expect(await viewed(caller).getAllConfigs()).to.have.length(1)
      expect(await viewed(caller).getRunLog('chore')).to.have.length(1)
    }
    for (const caller of [stranger, callerWith('constructor'), callerWith('')])
      expect(await refusalOf(() => viewed(caller))).to.equal(
        `ChoreRefused: ${caller.by} lacks the permission chores:view.`,
      )
  })

  it('[SNE-92] let those act who may manage, and controllers; a refused call changes nothing', async () => {
    const { stand } = await openStand()
    const controls = (caller: Caller): readonly (() => Promise<void>)[] => {
      const managed = (): ChoreEngine => toManage(stand.engine, caller)
      return [
        async () => managed().control('chore', { verb: 'enable' }, caller),
        async () => managed().control('chore', { verb: 'interval', seconds: 60 }, caller),
        async () => managed().control('chore', { verb: 'timeout', seconds: 60 }, caller),
        async () => managed().control('chore', { verb: 'trigger' }, caller),
        async () => managed().control('chore', { verb: 'stop-chore' }, caller),
        async () => managed().stopAllChores(caller),
        async () => managed().control('chore', { verb: 'start' }, caller),
        async () => managed().createInstance('chore', { choreId: 'other', name: 'Other' }, caller),
      ]
    }
    const head = stand.node.head
    for (const caller of [auditor, stranger])
      for (const control of controls(caller))
        expect(await refusalOf(control)).to.equal(`ChoreRefused: ${caller.by} lacks the permission chores:manage.`)
    await stand.quiet()
    expect(stand.node.head).to.deep.equal(head)
    for (const control of controls(caretaker)) expect(await refusalOf(control)).to.equal('not refused')
    await toManage(stand.engine, owner).control('other', { verb: 'trigger' }, owner)
    const log = await stand.engine.getRunLog('other')
    expect(log.map(({ kind, by }) => `${kind} ${by ?? ''}`)).to.deep.equal([
      `registered ${caretaker.by}`,
      `control ${owner.by}`,
      `run-started ${owner.by}`,
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
    await stand.engine.control('mid', { verb: 'start' })
    await stand.quiet()
    const shown = async () => (await stand.engine.getAllStatuses()).map(({ choreId }) => choreId)
    expect(await shown()).to.deep.equal(['zeta', 'beta', 'aleph', 'alpha', 'mid'])
    await stand.restart()
    expect(await shown()).to.deep.equal(['zeta', 'beta', 'aleph', 'alpha', 'mid'])
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
    await stand.engine.control('chore', { verb: 'trigger' }, { by: 'ada' })
    await stand.advance({ seconds: 10 })
    tick.release(done)
    await stand.quiet()
    await stand.engine.control('chore', { verb: 'trigger' })
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
