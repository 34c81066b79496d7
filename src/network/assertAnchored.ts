/**
 * Whether a node may go by a map: of the root it has always gone by, not older than the newest it has seen, the same where
 * it has the same number, and not expired. Everything else needs a decision of an operator, which is recorded.
 */
import { CarillonError } from '../errors/CarillonError.js'
import { hashOfMap, type NetworkTerms } from '../identity/SignedNetworkMap.js'
import type { MapsRead } from '../log/NodeTables.js'
import type { Instant } from '../time/Instant.js'

const accept = 'If that is how it should be, let an operator accept this map: carillon network accept'

/** Throws for a map that contradicts what the node has gone by, unless an operator has accepted it. */
export const assertAnchored = (
  maps: Pick<MapsRead, 'anchor' | 'newest' | 'isAccepted'>,
  terms: NetworkTerms,
  now: Instant,
): void => {
  const { root, serial, expiresAt } = terms
  const hash = hashOfMap(terms)
  if (maps.isAccepted(hash)) return
  const anchor = maps.anchor()
  if (anchor !== undefined && anchor.root !== root)
    throw new CarillonError(
      'network-anchor-changed',
      `The network map is signed by the root ${root}, and this node has always gone by the root ${anchor.root}: whoever changed the files of the network could be its new root. ${accept}.`,
      { root, expected: anchor.root, hash },
    )
  const newest = maps.newest(root)
  if (newest !== undefined && newest > serial)
    throw new CarillonError(
      'network-map-outdated',
      `The network map is number ${serial}, and this node has gone by number ${newest} before. Ask the operator of the network for its current map.`,
      { serial, newest },
    )
  if (anchor?.serial === serial && anchor.hash !== undefined && anchor.hash !== hash)
    throw new CarillonError(
      'network-anchor-changed',
      `The network map has the number ${serial} of the one this node goes by, and says something else. Ask the operator of the network for a map with a higher number. ${accept}.`,
      { serial, hash, expected: anchor.hash },
    )
  if (expiresAt !== undefined && expiresAt <= now)
    throw new CarillonError(
      'network-map-expired',
      `The network map ${serial} has expired on ${expiresAt}. Ask the operator of the network for a newer one: carillon network renew. ${accept}.`,
      { serial, expiresAt },
    )
}
