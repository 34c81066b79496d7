/**
 * An operator's decision to go by a network map that contradicts what the node has gone by, recorded with who made it.
 * What is accepted already is not recorded again.
 */
import type { DomainEvent, EventOf } from '../log/events.js'
import type { OperatorReads } from './OperatorReads.js'

export const acceptMap = (
  reads: OperatorReads,
  map: EventOf<'NetworkMapAccepted'>['map'],
  { by, note }: { readonly by: string; readonly note?: string | undefined },
): readonly DomainEvent[] => {
  if (reads.views.maps.isAccepted(map.hash)) return []
  return [{ type: 'NetworkMapAccepted', by, map, ...(note === undefined ? {} : { note }) }]
}
