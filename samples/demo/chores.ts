/**
 * The caretaker: two chores, every half minute or so, and people who go on settling proposals for him to archive.
 */
import { join } from 'node:path'
import { startNode } from 'carillon'
import { createChoresApp } from '../chores/app.js'
import { archiveProposalsId, refreshVotingPowerId } from '../chores/chores.js'
import { CreateNeuron, Neuron, SettleProposals } from '../chores/governance.js'
import { choresPanel } from '../chores/panel.js'
import type { Household } from './Neighbour.js'
import { repeat } from './repeat.js'

const settlesEveryMs = 20_000

export const openChores = async (folder: string, onTrouble: (error: unknown) => void): Promise<Household> => {
  const store = join(folder, 'chores')
  const chores = createChoresApp()
  const node = await startNode({ app: chores.app, store, party: 'Caretaker' })
  await chores.connect(node)
  if ((await node.states(Neuron)).length === 0) {
    for (const neuronId of ['neuron-1', 'neuron-2', 'neuron-3'])
      await node.run(CreateNeuron, { neuronId, isDissolved: neuronId === 'neuron-2' })
    for (const [choreId, seconds] of [
      [refreshVotingPowerId, 30],
      [archiveProposalsId, 45],
    ] as const) {
      await chores.engine.control(choreId, { verb: 'interval', seconds }, { by: 'demo' })
      await chores.engine.control(choreId, { verb: 'start' }, { by: 'demo' })
    }
  }
  const citizens = repeat(settlesEveryMs, () => node.run(SettleProposals, { count: 60 }), onTrouble)
  return {
    neighbours: [
      {
        served: { node, panels: [choresPanel(chores.engine)] },
        store,
        about: 'two chores, one every 30 s and one every 45 s',
      },
    ],
    stop: async () => {
      citizens.stop()
      await node.stop()
    },
  }
}
