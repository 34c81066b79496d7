/**
 * The samples side by side on one dashboard: a heart that beats every second and the chores, each a node of its own on
 * the embedded store. Run it with `npm run demo`, stop it with Ctrl-C.
 */
import { serveHttp, startNode } from 'carillon'
import { createChoresApp } from '../chores/app.js'
import { archiveProposalsId } from '../chores/archiveProposals.js'
import { SettleProposals } from '../chores/governance/Archive.js'
import { CreateNeuron, Neuron } from '../chores/governance/Neuron.js'
import { choresPanel } from '../chores/panel.js'
import { refreshVotingPowerId } from '../chores/refreshVotingPower.js'
import { app as heartbeat } from '../heartbeat/app.js'
import { StartHeartbeat } from '../heartbeat/flows/StartHeartbeat.js'
import { Heartbeat } from '../heartbeat/Heartbeat.js'

const folder = 'data/demo'

const startHeart = async () => {
  const node = await startNode({ app: heartbeat, store: `${folder}/heartbeat`, party: 'Quasimodo' })
  if ((await node.states(Heartbeat)).length === 0)
    await node.run(StartHeartbeat, { name: 'Emmanuel', intervalMs: 1_000, missedBeats: 'skip' })
  return node
}

const startChores = async () => {
  const chores = createChoresApp()
  const node = await startNode({ app: chores.app, store: `${folder}/chores`, party: 'Caretaker' })
  await chores.connect(node)
  if ((await node.states(Neuron)).length === 0) {
    for (const neuronId of ['neuron-1', 'neuron-2', 'neuron-3'])
      await node.run(CreateNeuron, { neuronId, isDissolved: neuronId === 'neuron-2' })
    await node.run(SettleProposals, { count: 250 })
    for (const [choreId, seconds] of [
      [refreshVotingPowerId, 30],
      [archiveProposalsId, 45],
    ] as const) {
      await chores.engine.setInterval(choreId, seconds, { by: 'demo' })
      await chores.engine.start(choreId, { by: 'demo' })
    }
  }
  return { node, panels: [choresPanel(chores.engine)] }
}

const heart = await startHeart()
const chores = await startChores()
const server = await serveHttp([{ node: heart }, chores])
console.log(`
  The dashboard:  ${server.newLink()}

  It opens once. Two nodes are served, Quasimodo's heart and the Caretaker's chores; choose at the top of the page.
  Stop with Ctrl-C.
`)
await new Promise<void>((resolve) => {
  process.once('SIGINT', resolve)
  process.once('SIGTERM', resolve)
})
await server.close()
await chores.node.stop()
await heart.stop()
