/**
 * Decides on the signed head that another party has sent of its own log. The newest is kept, and recorded; whatever is
 * sent, the answer is the newest one that is kept, so that a party whose log has lost something hears of it.
 */
import type { Decision } from '../decision/Decision.js'
import type { PublicKey } from '../identity/PublicKey.js'
import { isNewerHead, isOfLaterStretch, verifySignedHead, type SignedHead } from './SignedHead.js'

/** What became of a head that was sent. */
export type HeadVerdict =
  | { readonly kind: 'refused' }
  | {
      readonly kind: 'answered'
      readonly head: SignedHead
      /** What an operator here should hear about that party's log. */
      readonly notice?: string
    }

const noticeOf = (name: string, head: SignedHead, kept: SignedHead): string | undefined => {
  if (isOfLaterStretch(head, kept))
    return `The log of ${name} has gone on from a copy that ends before revision ${kept.revision}, or was told so: what it signed before may be void.`
  if (head.revision === kept.revision && head.head !== kept.head && !isOfLaterStretch(kept, head))
    return `${name} has signed two histories: at revision ${head.revision} its log is ${kept.head} and ${head.head}. The first is kept.`
  return undefined
}

export const decideHead = (decision: Decision, from: PublicKey, head: SignedHead): HeadVerdict => {
  const party = decision.network.member(from)?.party
  if (party === undefined || head.by !== from || !verifySignedHead(head)) return { kind: 'refused' }
  const { heads } = decision.views
  const kept = heads.kept(from)
  const isNewer = kept === undefined || isNewerHead(head, kept)
  if (isNewer) decision.emit({ type: 'HeadKept', party, head })
  const notice = kept === undefined ? undefined : noticeOf(party.name, head, kept)
  return { kind: 'answered', head: isNewer ? head : kept, ...(notice === undefined ? {} : { notice }) }
}
