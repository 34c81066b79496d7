import { expect } from 'chai'
import { instant, plus } from 'carillon'
import { VirtualNetwork } from 'carillon/testing'
import { createChoresApp, createGovernanceApp } from './app.js'
import { confirmFollowingId as id } from './chores.js'
import { AskFollowee, CreateNeuron, Follow, Following } from './governance.js'

const start = instant('2026-01-05T00:00:00.000Z')

const open = async ({ dissolved }: { readonly dissolved?: string } = {}) => {
  let chores = createChoresApp()
  const network = await VirtualNetwork.start({
    start,
    parties: {
      Ada: { app: chores.app },
      Bela: { app: createGovernanceApp() },
      Carol: { app: createGovernanceApp() },
    },
  })
  const node = () => network.node('Ada')
  await chores.connect(node())
  for (const name of ['Bela', 'Carol']) {
    await network.node(name).run(CreateNeuron, { neuronId: `${name}-1`, isDissolved: name === dissolved })
    await node().run(Follow, { followee: network.party(name) })
  }
  return {
    network,
    node,
    status: () => chores.engine.getStatus(id),
    engine: () => chores.engine,
    answers: async () =>
      (await node().states(Following))
        .filter(({ data }) => data.answeredAt !== null)
        .map(({ data }) => data.followee.name)
        .sort(),
    restart: async () => {
      await network.crash('Ada')
      chores = createChoresApp()
      await network.restart('Ada', { app: chores.app })
      await chores.connect(node())
    },
  }
}

describe('confirming whom one follows, over several nodes', () => {
  it('asks every party at its node and is done when all have answered', async () => {
    const { network, engine, status, answers } = await open()
    await engine().control(id, { verb: 'start' })
    await network.advanceBy({ minutes: 5 })
    expect(await answers()).to.deep.equal(['Bela', 'Carol'])
    expect(await status()).to.include({ totalSuccessCount: 1, lastCompletedTaskId: 'ask-Carol' })
    expect((await status())?.nextScheduledRunAt).to.equal(plus(start, { days: 30 }))
  })

  it('waits for a node that is down, and goes on when it is back', async () => {
    const { network, engine, status, answers } = await open()
    await network.crash('Carol')
    await engine().control(id, { verb: 'trigger' })
    await network.advanceBy({ minutes: 20 })
    expect(await answers()).to.deep.equal(['Bela'])
    expect(await status()).to.include({ conductorStatus: 'Polling', taskStatus: 'Idle', totalRunCount: 0 })
    await network.restart('Carol')
    await network.advanceBy({ minutes: 5 })
    expect(await answers()).to.deep.equal(['Bela', 'Carol'])
    expect(await status()).to.include({ totalSuccessCount: 1 })
  })

  it('fails when one stays silent for an hour, and records what it says later all the same', async () => {
    const { network, engine, status, answers } = await open()
    network.cut('Ada', 'Carol')
    await engine().control(id, { verb: 'trigger' })
    await network.advanceBy({ hours: 2 })
    expect(await status()).to.include({ totalFailureCount: 1, lastError: 'No answer from Carol.' })
    network.heal()
    await network.advanceBy({ minutes: 5 })
    expect(await answers()).to.deep.equal(['Bela', 'Carol'])
  })

  it('fails when a party has no vote left to follow', async () => {
    const { network, engine, status } = await open({ dissolved: 'Carol' })
    await engine().control(id, { verb: 'trigger' })
    await network.advanceBy({ minutes: 5 })
    expect(await status()).to.include({ totalFailureCount: 1, lastError: 'No vote is left to follow at Carol.' })
  })

  it('begins again after a crash, and asks nobody twice', async () => {
    const { network, node, engine, status, restart } = await open()
    await network.crash('Carol')
    await engine().control(id, { verb: 'start' })
    await network.advanceBy({ minutes: 10 })
    await restart()
    await network.advanceBy({ minutes: 10 })
    await network.restart('Carol')
    await network.advanceBy({ minutes: 5 })
    expect(await status()).to.include({ totalSuccessCount: 1, totalRunCount: 1 })
    const asked = (await node().flows({ name: AskFollowee.name })).items
    expect(asked.map(({ status: how }) => how)).to.deep.equal(['completed', 'completed'])
  })
})
