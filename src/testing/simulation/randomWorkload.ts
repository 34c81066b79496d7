/**
 * A workload for any app: it starts the app's flows with inputs that are made up from their codecs. Most of them fail,
 * as they should; none of them may do harm.
 */
import type { App } from '../../app/App.js'
import type { AnyFlowDefinition } from '../../app/FlowDefinition.js'
import { valueFor } from './valueFor.js'
import type { Turn, Workload } from './Workload.js'

/** The flows a client may start. */
export const startableFlows = (app: App): readonly AnyFlowDefinition[] =>
  app.flows.filter(({ respondsTo }) => respondsTo === undefined)

const chooseFlow = (app: App, { chance }: Turn): AnyFlowDefinition | undefined => {
  const flows = startableFlows(app)
  // What a state schedules is mostly left to its schedule.
  const byHand = flows.filter(({ schedulable }) => !schedulable)
  const among = byHand.length > 0 && !chance.oneIn(5) ? byHand : flows
  return among.length === 0 ? undefined : chance.pick(among)
}

/** Starts the app's flows with inputs that are made up. */
export const randomWorkload =
  (app: App): Workload =>
  async (turn) => {
    const { node, parties, now, chance, name } = turn
    for (let flows = chance.between(1, 2); flows > 0; flows--) {
      const flow = chooseFlow(app, turn)
      if (flow === undefined) return
      const refs = (await node.queryVault({ limit: 50 })).items.map(({ ref }) => ref)
      const others = parties.filter((party) => party.name !== name)
      const made = valueFor(flow.input, { chance, now, refs, parties: others.length === 0 ? parties : others })
      if (made !== undefined) await turn.start(flow, made.value as never)
    }
  }
