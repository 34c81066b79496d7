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
import type { Database } from '../../storage/Database.js'
import { readFacts } from '../../storage/tables/NodeFactTable.js'

/** Why the node can record nothing at the moment, where there is a reason. */
export const troubleOf = ({
  trouble,
}: {
  readonly trouble?: CarillonError | undefined
}): { readonly trouble?: t.TypeOf<typeof TroubleC> } =>
  trouble === undefined ? {} : { trouble: { code: trouble.code, message: trouble.message } }

/** What the screen needs of the views. */
export const readViewStatus = (db: Database, nowMs: number) => {
  const { draining, term } = readFacts(db)
  return { draining, term, activities: countAgenda(db, nowMs), flows: countFlows(db) }
}

export const statusOf = (
  { node, name }: HostedNode,
  nodes: readonly string[],
  virtualTime: boolean,
  views: ReturnType<typeof readViewStatus>,
): t.TypeOf<typeof StatusC> => ({
  node: name,
  nodes,
  party: node.party,
  app: { name: node.app.name, version: node.app.version },
  version: packageVersion(),
  now: instantFromMillis(Math.min(node.nowMs, latestInstantMs)),
  stopped: node.stopped !== undefined,
  head: node.head,
  ...views,
  hangingSteps: node.hangingSteps.length,
  virtualTime,
  ...troubleOf(node),
})
