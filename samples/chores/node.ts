/**
 * The chores for `carillon run samples/chores/node.ts`: a panel on the dashboard and verbs on the command line. In a
 * network, the node follows every other party of it.
 */
import type { Node } from 'carillon'
import { createChoresApp } from './app.js'
import { Follow, populate } from './governance.js'
import { choresPanel } from './panel.js'
import { choresVerbs } from './verbs.js'

const chores = createChoresApp()

export const { app } = chores
export const panels = [choresPanel(chores.engine)]
export const verbs = [choresVerbs(chores.engine)]

export const onStart = async (node: Node): Promise<void> => {
  await chores.connect(node)
  for (const { party, notary } of node.network.members)
    if (party.key !== node.party.key && notary === undefined) await node.run(Follow, { followee: party })
  await populate(node)
}
