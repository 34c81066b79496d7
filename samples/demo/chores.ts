/**
 * The caretaker: two chores, every half minute or so, and people who go on settling proposals for him to archive.
 */
import { join } from 'node:path'
import { startNode } from 'carillon'
import { createChoresApp } from '../chores/app.js'
import { archiveProposalsId, refreshVotingPowerId } from '../chores/chores.js'
import { populate, SettleProposals } from '../chores/governance.js'
import { choresPanel } from '../chores/panel.js'
import { choresVerbs } from '../chores/verbs.js'
import { alone, repeat, type Household } from './Household.js'

const settlesEveryMs = 20_000

export const openChores = async (folder: string, onTrouble: (error: unknown) => void): Promise<Household> => {
  const store = join(folder, 'chores')
  const chores = createChoresApp()
  const node = await startNode({ app: chores.app, store, party: 'Caretaker' })
  await chores.connect(node)
  if (await populate(node))
    for (const [choreId, seconds] of [
      [refreshVotingPowerId, 30],
      [archiveProposalsId, 45],
    ] as const) {
      await chores.engine.control(choreId, { verb: 'interval', seconds }, { by: 'demo' })
      await chores.engine.control(choreId, { verb: 'start' }, { by: 'demo' })
    }
  const citizens = repeat(settlesEveryMs, () => node.run(SettleProposals, { count: 60 }), onTrouble)
  const served = { node, panels: [choresPanel(chores.engine)], verbs: [choresVerbs(chores.engine)] }
  return alone({ served, store, about: 'two chores, one every 30 s and one every 45 s' }, citizens)
}
