/**
 * What is recorded of each sample: a small history that goes through everything the sample does, crashes included. A
 * recording is made once for each release; from then on every later version must agree with it.
 */
import { instant, type App } from 'carillon'
import type { EncodedTick } from 'carillon/logs'
import { VirtualNetwork, VirtualNode } from 'carillon/testing'
import { createChoresApp } from '../../samples/chores/app.js'
import { archiveProposalsId, refreshVotingPowerId } from '../../samples/chores/chores.js'
import { CreateNeuron, SettleProposals } from '../../samples/chores/governance.js'
import { app as heartbeat, StartHeartbeat, StopHeartbeat } from '../../samples/heartbeat/app.js'
import { bankApp, notaryApp, observerApp } from '../../samples/interest-rate-swap/app.js'
import { PaymentsInMemory } from '../../samples/interest-rate-swap/flows/PaymentSystem.js'
import { names as swapNames } from '../../samples/interest-rate-swap/network.js'
import { oracleApp } from '../../samples/interest-rate-swap/oracle/app.js'
import { runToMaturity } from '../../samples/interest-rate-swap/run/virtualRun.js'
import { recurringTasks } from '../../samples/recurring-tasks/app.js'
import { signed } from '../../samples/recurring-tasks/model/Origin.js'
import { taskIdOf } from '../../samples/recurring-tasks/model/Task.js'
import { budgetFor, S, Scene, T } from '../../samples/recurring-tasks/test/Scene.js'
import { scheduledTransactions } from '../../samples/scheduled-transactions/app.js'
import { key as keyOf, Scene as SignatureScene } from '../../samples/scheduled-transactions/test/Scene.js'
import { app as iou, Lend } from '../session/iou.js'

/** The logs that a history leaves, by the name of the file each goes to. */
export type Logs = ReadonlyMap<string, AsyncIterable<EncodedTick>>

export type Recording = {
  /** The app as it is today. */
  readonly app: () => App
  /** Lives through the history. */
  readonly live: () => Promise<Logs>
}

const beat = async (): Promise<Logs> => {
  const virtual = await VirtualNode.start({ app: heartbeat })
  await virtual.node.run(StartHeartbeat, { name: 'bell', intervalMs: 1_000, missedBeats: 'catch-up' })
  await virtual.node.run(StartHeartbeat, { name: 'mouse', intervalMs: 300, missedBeats: 'skip' })
  await virtual.advanceBy({ seconds: 10 })
  await virtual.crash()
  virtual.clock.setTo(virtual.clock.now() + 5_500)
  await virtual.restart()
  await virtual.advanceBy({ seconds: 5 })
  await virtual.node.run(StopHeartbeat, { name: 'mouse' })
  await virtual.node.run(StopHeartbeat, { name: 'nobody' }).catch(() => undefined)
  const [next] = (await virtual.node.agenda()).items
  if (next !== undefined) await virtual.node.trigger(next.ref)
  await virtual.runUntilQuiet()
  return new Map([['heartbeat', virtual.node.readLog()]])
}

const sweep = async (): Promise<Logs> => {
  const scene = await Scene.open({ settings: budgetFor(1, 2) })
  for (const [index, name] of ['a', 'b', 'c', 'd', 'e', 'f'].entries())
    await scene.scheduled(name, [T + (index >> 1) * S, T + 5 * S + (index >> 1) * S])
  await scene.to(T)
  await scene.tasks.cancel(signed('alice'), taskIdOf('alice', 'f'))
  await scene.downUntil(T + 4 * S)
  await scene.to(T + 9 * S)
  return new Map([['recurring-tasks', scene.virtual.node.readLog()]])
}

const tidy = async (): Promise<Logs> => {
  const first = createChoresApp()
  const virtual = await VirtualNode.start({ app: first.app })
  await first.connect(virtual.node)
  for (const neuronId of ['n-0', 'n-1', 'n-2'])
    await virtual.node.run(CreateNeuron, { neuronId, isDissolved: neuronId === 'n-1' })
  await virtual.node.run(SettleProposals, { count: 25 })
  await first.engine.control(refreshVotingPowerId, { verb: 'trigger' })
  await virtual.advanceBy({ seconds: 30 })
  await virtual.crash()
  const second = createChoresApp()
  await virtual.restart({ app: second.app })
  await second.connect(virtual.node)
  await second.engine.control(archiveProposalsId, { verb: 'trigger' })
  await virtual.advanceBy({ minutes: 5 })
  return new Map([['chores', virtual.node.readLog()]])
}

const lend = async (): Promise<Logs> => {
  const network = await VirtualNetwork.start({
    parties: { Ann: { app: iou }, Ben: { app: iou }, Notary: { app: iou, notary: 'validating' } },
    weather: { minLatencyMs: 5, maxLatencyMs: 200, loss: 0.1, duplication: 0.1 },
  })
  const terms = { borrower: network.party('Ben'), dueAt: instant('2026-01-01T01:00:00Z') }
  for (const amount of [5, 50, 5_000]) await network.node('Ann').start(Lend, { ...terms, amount })
  await network.advanceBy({ minutes: 30 })
  await network.crash('Ann')
  await network.advanceBy({ minutes: 40 })
  await network.restart('Ann')
  await network.advanceBy({ minutes: 10 })
  return new Map(network.names.map((name) => [`iou-${name.toLowerCase()}`, network.inspect(name).ticks()]))
}

/** The first year of the swap, as some of its parties have it. */
const swap =
  (...parties: readonly string[]) =>
  async (): Promise<Logs> => {
    const { network } = await runToMaturity({
      until: '2017-03-11',
      weather: { minLatencyMs: 5, maxLatencyMs: 200, loss: 0.05, duplication: 0.05 },
    })
    return new Map(
      parties.map((name) => [`swap-${name.toLowerCase().replace(' ', '-')}`, network.inspect(name).ticks()]),
    )
  }

const gather = async (): Promise<Logs> => {
  const scene = await SignatureScene.open()
  await scene.people('alice', 'bob', 'carol')
  const waiting = await scene.created(scene.transfers({ alice: -100, bob: -50, carol: 150 }), { signs: ['alice'] })
  const forgotten = await scene.created(scene.transfer('carol', 'alice', 5))
  const withdrawn = await scene.created(scene.transfer('bob', 'alice', 7), {
    adminKey: keyOf('bob'),
    alsoSigning: scene.wallet('bob').keys,
  })
  await scene.pass(60)
  await scene.sign(waiting, ['bob'])
  await scene.sign(forgotten, ['alice'])
  await scene.delete(withdrawn, ['bob'])
  await scene.downFor(3_600)
  return new Map([['scheduled-transactions', scene.virtual.node.readLog()]])
}

export const recordings: Readonly<Record<string, Recording>> = {
  heartbeat: { app: () => heartbeat, live: beat },
  'recurring-tasks': { app: () => recurringTasks(), live: sweep },
  chores: { app: () => createChoresApp().app, live: tidy },
  iou: { app: () => iou, live: lend },
  'interest-rate-swap-banks': {
    app: () => bankApp({ payments: new PaymentsInMemory() }),
    live: swap(swapNames.fixedPayer, swapNames.floatingPayer),
  },
  'interest-rate-swap-oracle': { app: () => oracleApp, live: swap(swapNames.oracle) },
  'interest-rate-swap-notary': { app: () => notaryApp, live: swap(swapNames.notary) },
  'interest-rate-swap-regulator': { app: () => observerApp, live: swap(swapNames.regulator) },
  'scheduled-transactions': { app: () => scheduledTransactions().app, live: gather },
}
