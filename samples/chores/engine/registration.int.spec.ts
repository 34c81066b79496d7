import { expect } from 'chai'
import { ChoreStand } from '../test/ChoreStand.js'
import { freshStatus } from '../test/freshStatus.js'
import { simpleChore, standWith } from '../test/simpleChore.js'
import { ChoreEngine, done, type ChoreDefinition } from './index.js'

describe('registering a chore', () => {
  it('[SNE-01] leaves it disabled, with the defaults of its definition and nothing done', async () => {
    const stand = await standWith(() => () => done, { defaultTaskTimeoutSeconds: 60 })
    expect(await stand.engine.getConfig('chore')).to.deep.equal({
      enabled: false,
      paused: false,
      intervalSeconds: 3_600,
      maxIntervalSeconds: null,
      taskTimeoutSeconds: 60,
      countFrom: 'fire',
    })
    expect(await stand.engine.getStatus('chore')).to.deep.equal({ ...freshStatus, taskTimeoutSeconds: 60 })
  })

  it('[SNE-02] again after a restart keeps the stored settings and counts', async () => {
    const stand = await standWith(() => () => done)
    await stand.engine.control('chore', { verb: 'interval', seconds: 120 })
    await stand.engine.control('chore', { verb: 'timeout', seconds: 7 })
    await stand.engine.control('chore', { verb: 'start' })
    await stand.advance({ minutes: 5 })
    const config = await stand.engine.getConfig('chore')
    const status = await stand.engine.getStatus('chore')
    expect(status?.totalRunCount).to.equal(3)
    await stand.restart()
    expect(await stand.engine.getConfig('chore')).to.deep.equal(config)
    expect(await stand.engine.getStatus('chore')).to.deep.equal(status)
    expect(await stand.engine.getAllStatuses()).to.have.length(1)
  })

  it('[SNE-03] without a timeout gives its tasks 300 seconds', async () => {
    const stand = await standWith(() => () => done)
    expect((await stand.engine.getConfig('chore'))?.taskTimeoutSeconds).to.equal(300)
  })

  it('[SNE-04] leaves every other chore alone when one runs', async () => {
    const stand = await ChoreStand.open({
      chores: (engine) => {
        engine.registerChore(simpleChore('one'))
        engine.registerChore(simpleChore('two'))
      },
    })
    await stand.engine.control('two', { verb: 'enable' })
    const untouched = await stand.engine.getStatus('two')
    await stand.engine.control('one', { verb: 'start' })
    await stand.engine.control('one', { verb: 'stop-chore' })
    await stand.engine.control('one', { verb: 'trigger' })
    await stand.quiet()
    expect((await stand.engine.getStatus('one'))?.totalRunCount).to.be.greaterThan(0)
    expect(await stand.engine.getStatus('two')).to.deep.equal(untouched)
  })

  it('refuses two definitions of one id', () => {
    const engine = new ChoreEngine()
    const chore: ChoreDefinition = simpleChore('chore')
    engine.registerChore(chore)
    expect(() => engine.registerChore(chore)).to.throw('There is a chore chore already')
  })

  it('gives no config and no status for an id nobody knows, and refuses to control it', async () => {
    const stand = await standWith(() => () => done)
    expect(await stand.engine.getConfig('other')).to.equal(undefined)
    expect(await stand.engine.getStatus('other')).to.equal(undefined)
    expect((await stand.engine.getAllConfigs()).map(([id]) => id)).to.deep.equal(['chore'])
    const refusal = await stand.engine.control('other', { verb: 'trigger' }).catch((error: unknown) => error)
    expect(refusal).to.be.an('error').with.property('message', 'There is no chore other.')
  })
})
