import { expect } from 'chai'
import { millisBetween } from 'carillon'
import { ChoreStand } from '../test/ChoreStand.js'
import { Held } from '../test/Held.js'
import { refusalOf } from '../test/refusalOf.js'
import { simpleChore, standWith } from '../test/simpleChore.js'
import { continueIn, done, type ConductorAction } from './index.js'

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
    const ids = async () => (await stand.engine.getAllStatuses()).map(({ choreId }) => choreId)
    expect(await ids()).to.deep.equal(['chore', 'third'])
    await stand.restart()
    expect(await ids()).to.deep.equal(['chore', 'third'])
  })
})

describe('the statuses of all chores', () => {
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
