/**
 * What must be true of projections: what a node has kept is what its log gives.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Invariant } from '../World.js'

/** Folded anew from the first event, a projection gives the result that the node has kept. */
export const projectionsExact: Invariant = {
  name: 'every projection is what its log gives',
  violations: async ({ app, network, parties }) => {
    const violations: string[] = []
    for (const { name, replayed } of parties) {
      const node = network.node(name)
      for (const projection of app.projections) {
        if (projection.kind !== 'value' || !(projection.name in replayed.projections)) continue
        const kept: unknown = await node.projection(projection).readAt(node.head.revision)
        const encoded = projection.codec === undefined ? kept : projection.codec.encode(kept)
        const folded = replayed.projections[projection.name]
        if (!isDeepStrictEqual(encoded, folded))
          violations.push(
            `${name} has kept ${JSON.stringify(encoded)} as ${projection.name}; its log gives ${JSON.stringify(folded)}.`,
          )
      }
    }
    return violations
  },
}
