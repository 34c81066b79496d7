/**
 * Decides on the checkpoint that another party has sent of its own log. The newest is kept, and recorded; whatever is sent,
 * the answer is the newest one that is kept, so that a party whose log has lost something hears of it.
 */
import type { NetworkMap } from '../identity/NetworkMap.js'
import type { PublicKey } from '../identity/PublicKey.js'
import { isNewerCheckpoint, isOfLaterContinuation, verifyCheckpoint, type Checkpoint } from '../log/Checkpoint.js'
import type { DomainEvent } from '../log/events.js'
import type { NodeRead } from '../log/NodeTables.js'

/** What a decision about a checkpoint depends on. */
export type CheckpointReads = { readonly network: NetworkMap; readonly views: Pick<NodeRead, 'heads'> }

/** What became of a checkpoint that was sent. */
export type CheckpointVerdict =
  | { readonly kind: 'refused' }
  | {
      readonly kind: 'answered'
      readonly events: readonly DomainEvent[]
      readonly checkpoint: Checkpoint
      /** What an operator here should hear about that party's log. */
      readonly notice?: string
    }

const noticeOf = (name: string, sent: Checkpoint, kept: Checkpoint): string | undefined => {
  if (isOfLaterContinuation(sent, kept))
    return `The log of ${name} was continued from a copy that ends before revision ${kept.revision}, or was told so: what it signed before may be void.`
  if (sent.revision === kept.revision && sent.hash !== kept.hash && !isOfLaterContinuation(kept, sent))
    return `${name} has signed two histories: at revision ${sent.revision} its log is ${kept.hash} and ${sent.hash}. The first is kept.`
  return undefined
}

export const decideCheckpoint = (
  reads: CheckpointReads,
  from: PublicKey,
  checkpoint: Checkpoint,
): CheckpointVerdict => {
  const { network, views } = reads
  const party = network.member(from)?.party
  const isTheirs = network.identityOf(checkpoint.by) === from && checkpoint.network === network.id
  if (party === undefined || !isTheirs || !verifyCheckpoint(checkpoint)) return { kind: 'refused' }
  const kept = views.heads.kept(from)
  const isNewer = kept === undefined || isNewerCheckpoint(checkpoint, kept)
  const notice = kept === undefined ? undefined : noticeOf(party.name, checkpoint, kept)
  return {
    kind: 'answered',
    events: isNewer ? [{ type: 'CheckpointReceived', party, checkpoint }] : [],
    checkpoint: isNewer ? checkpoint : kept,
    ...(notice === undefined ? {} : { notice }),
  }
}
