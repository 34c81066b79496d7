/**
 * The sample's app: the chore engine, three chores, and the governance they work on, put together for one process.
 */
import { defineApp, type App, type Node } from 'carillon'
import { archiveProposals, confirmFollowing, refreshVotingPower } from './chores.js'
import { ChoreEngine } from './engine/index.js'
import { governanceFlows, governanceOn, governanceStates } from './governance.js'

/** What a party runs that is only followed: governance without chores. */
export const createGovernanceApp = (): App =>
  defineApp({ name: 'governance', version: '1.0.0', states: governanceStates, flows: governanceFlows })

export type ChoresApp = {
  readonly app: App
  readonly engine: ChoreEngine
  /** Puts the chores to work on a node that has just started: what another process had begun starts again. */
  readonly connect: (node: Node) => Promise<void>
}

/** Everything a process needs. Make it anew at each start: closures do not survive one, and need not. */
export const createChoresApp = (): ChoresApp => {
  const engine = new ChoreEngine()
  const governance = governanceOn(() => engine.node)
  engine.registerChore(refreshVotingPower(engine, governance))
  engine.registerChore(archiveProposals(engine, governance))
  engine.registerChore(confirmFollowing(engine, governance))
  return {
    engine,
    app: defineApp({
      name: 'chores',
      version: '1.0.0',
      states: [...engine.states, ...governanceStates],
      flows: [...engine.flows, ...governanceFlows],
      projections: engine.projections,
    }),
    connect: async (node) => {
      await engine.connect(node)
      await engine.resumeTimers()
    },
  }
}
