import { expect } from 'chai'
import { plus, startNode } from 'carillon'
import {
  archiveProposals,
  archiveProposalsId,
  confirmFollowingId,
  refreshVotingPower,
  refreshVotingPowerId,
} from './chores.js'
import { ChoreStand } from './test/ChoreStand.js'
import { Held } from './test/Held.js'
import { createChoresApp } from './app.js'
import {
  Archive,
  CreateNeuron,
  Follow,
  governanceFlows,
  governanceOn,
  governanceStates,
  Neuron,
  SettleProposals,
} from './governance.js'

const open = async (neurons: readonly (readonly [id: string, isDissolved: boolean])[]) => {
  const refreshed: string[] = []
  let hold: Held<undefined> | undefined
  const stand = await ChoreStand.open({
    app: { states: governanceStates, flows: governanceFlows },
    chores: (engine) => {
      const governance = governanceOn(() => engine.node)
      const watched = {
        ...governance,
        refreshVotingPower: async (neuronId: string) => {
          refreshed.push(neuronId)
          await hold?.promise
          await governance.refreshVotingPower(neuronId)
        },
      }
      engine.registerChore(refreshVotingPower(engine, watched))
      engine.registerChore(archiveProposals(engine, governance))
    },
  })
  for (const [neuronId, isDissolved] of neurons) await stand.node.run(CreateNeuron, { neuronId, isDissolved })
  return {
    stand,
    refreshed,
    holdCalls: () => (hold = new Held<undefined>()),
    letCallsThrough: () => {
      hold = undefined
    },
  }
}

const id = refreshVotingPowerId

describe('the weekly refresh of voting power', () => {
  it('[SNE-41] is done at its first tick when there are no neurons, without a task', async () => {
    const { stand } = await open([])
    await stand.engine.control(id, { verb: 'trigger' })
    await stand.quiet()
    expect(await stand.engine.getStatus(id)).to.include({ totalSuccessCount: 1, lastCompletedTaskId: null })
    const kinds = (await stand.engine.getRunLog(id, { run: 1 })).map(({ kind }) => kind)
    expect(kinds).to.deep.equal(['control', 'run-started', 'run-completed'])
  })

  it('[SNE-42] records a neuron that fails, and goes on with the next', async () => {
    const { stand, refreshed } = await open([
      ['n-0', false],
      ['n-1', true],
      ['n-2', false],
    ])
    await stand.engine.control(id, { verb: 'trigger' })
    await stand.advance({ seconds: 10 })
    expect(await stand.engine.getStatus(id)).to.include({
      lastCompletedTaskId: 'refresh-1',
      lastTaskSucceeded: false,
      lastTaskError: 'Neuron n-1 is dissolved.',
      conductorStatus: 'Polling',
    })
    await stand.advance({ seconds: 20 })
    expect(refreshed).to.deep.equal(['n-0', 'n-1', 'n-2'])
    expect(await stand.engine.getStatus(id)).to.include({ totalSuccessCount: 1, lastCompletedTaskId: 'refresh-2' })
    const neurons = await stand.node.states(Neuron)
    expect(neurons.map(({ data }) => data.refreshedAt !== null)).to.have.members([false, true, true])
  })

  it('[SNE-43] polls again while a task runs, without going on to the next neuron', async () => {
    const { stand, refreshed, holdCalls, letCallsThrough } = await open([
      ['n-0', false],
      ['n-1', false],
    ])
    const held = holdCalls()
    await stand.engine.control(id, { verb: 'trigger' })
    await stand.advance({ seconds: 30 })
    expect(refreshed).to.deep.equal(['n-0'])
    expect(await stand.engine.getStatus(id)).to.include({ conductorInvocationCount: 4, currentTaskId: 'refresh-0' })
    letCallsThrough()
    held.release(undefined)
    await stand.advance({ seconds: 10 })
    expect(refreshed).to.deep.equal(['n-0', 'n-1'])
  })

  it('[SNE-44] repeats from its first tick every week', async () => {
    const { stand, refreshed } = await open([
      ['n-0', false],
      ['n-1', false],
    ])
    await stand.engine.control(id, { verb: 'start' })
    const monday = stand.now
    await stand.advance({ weeks: 2, minutes: 5 })
    expect(refreshed).to.deep.equal(['n-0', 'n-1', 'n-0', 'n-1', 'n-0', 'n-1'])
    expect(await stand.engine.getStatus(id)).to.include({
      totalSuccessCount: 3,
      lastCompletedRunAt: plus(monday, { weeks: 2, seconds: 20 }),
      nextScheduledRunAt: plus(monday, { weeks: 3 }),
    })
  })

  it('refreshes every neuron once on the ledger although a crash in the middle makes it begin again', async () => {
    const { stand, refreshed } = await open([
      ['n-0', false],
      ['n-1', false],
    ])
    await stand.engine.control(id, { verb: 'trigger' })
    await stand.advance({ seconds: 5 })
    await stand.crash()
    await stand.boot()
    await stand.advance({ seconds: 40 })
    expect(refreshed.filter((neuron) => neuron === 'n-0')).to.have.length(2)
    const all = await stand.node.queryVault({ type: Neuron.type, status: 'all' })
    expect(all.items).to.have.length(4)
    expect(await stand.engine.getStatus(id)).to.include({ totalSuccessCount: 1, totalRunCount: 1 })
  })
})

describe('archiving proposals', () => {
  it('works in many small chunks, and takes them up where the ledger says after a crash', async () => {
    const { stand } = await open([])
    await stand.node.run(SettleProposals, { count: 95 })
    await stand.engine.control(archiveProposalsId, { verb: 'trigger' })
    const archived = async () => (await stand.node.states(Archive))[0]?.data.archived ?? 0
    while ((await archived()) < 30) await new Promise((resolve) => setImmediate(resolve))
    await stand.crash()
    await stand.boot()
    await stand.advance({ minutes: 1 })
    expect(await archived()).to.equal(95)
    const portions = await stand.node.queryVault({ type: Archive.type, status: 'all' })
    // The proposals as they were settled, and one state for each portion of ten: none was archived twice.
    expect(portions.items).to.have.length(11)
    expect(await stand.engine.getStatus(archiveProposalsId)).to.include({ totalSuccessCount: 1, totalRunCount: 1 })
  })
})

describe('the governance', () => {
  it('knows all its neurons and all whom it follows, although one page does not hold them', async () => {
    const { stand } = await open([])
    const governance = governanceOn(() => stand.node)
    const many = Array.from({ length: 1_005 }, (_, place) => `n-${place}`)
    const { key } = stand.node.party
    await Promise.all(many.map((neuronId) => stand.node.run(CreateNeuron, { neuronId, isDissolved: false })))
    await Promise.all(many.map((name) => stand.node.run(Follow, { followee: { name, key } })))
    const sorted = many.toSorted((a, b) => a.localeCompare(b))
    expect(await governance.listNeurons()).to.deep.equal(sorted)
    expect(await governance.listFollowees()).to.deep.equal(sorted)
    await governance.refreshVotingPower('n-1004')
    expect((await stand.node.find(Neuron, 'n-1004'))?.data.refreshedAt).to.equal(stand.now)
  }).timeout(60_000)
})

describe('the app of the sample', () => {
  it('connects its chores to a node of its own', async () => {
    const { app, connect, engine } = createChoresApp()
    const node = await startNode({ app })
    await connect(node)
    expect((await engine.getAllStatuses()).map(({ choreId }) => choreId)).to.deep.equal([
      refreshVotingPowerId,
      archiveProposalsId,
      confirmFollowingId,
    ])
    await node.stop()
  })
})
