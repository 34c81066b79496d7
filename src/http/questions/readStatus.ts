/**
 * A node on one screen, from counts that an index answers.
 */
import { countFlows } from '../../storage/queries/readFlows.js'
import { countAgenda } from '../../storage/queries/readAgenda.js'
import { instantFromMillis, latestInstantMs } from '../../time/Instant.js'
import type { StatusC, TroubleC } from '../answers.js'
import type { CarillonError } from '../../errors/CarillonError.js'
import type { HostedNode } from '../HostedNode.js'
import type * as t from 'io-ts'
import { packageVersion } from '../packageVersion.js'
import { readFacts } from '../../storage/tables/NodeFactTable.js'

/** Why the node can record nothing at the moment, where there is a reason. */
export const troubleOf = ({
  trouble,
}: {
  readonly trouble?: CarillonError | undefined
}): { readonly trouble?: t.TypeOf<typeof TroubleC> } =>
  trouble === undefined ? {} : { trouble: { code: trouble.code, message: trouble.message } }

export const readStatus = (
  { node, name }: HostedNode,
  nodes: readonly string[],
  virtualTime: boolean,
): Promise<t.TypeOf<typeof StatusC>> =>
  node.readViews((db) => {
    const { draining, term } = readFacts(db)
    return {
      node: name,
      nodes,
      party: node.party,
      app: { name: node.app.name, version: node.app.version },
      version: packageVersion(),
      now: instantFromMillis(Math.min(node.nowMs, latestInstantMs)),
      draining,
      stopped: node.stopped !== undefined,
      term,
      head: node.head,
      activities: countAgenda(db, node.nowMs),
      flows: countFlows(db),
      hangingSteps: node.hangingSteps.length,
      virtualTime,
      ...troubleOf(node),
    }
  })
