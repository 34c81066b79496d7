/**
 * Compares a log with a head of it that another party keeps. The head bears this node's own signature, so nobody can make
 * one up: if the log does not hold it, the log has lost something or is another one.
 */
import { NodeFault } from '../../errors/CarillonError.js'
import { isOfLaterStretch, type SignedHead } from '../../heads/SignedHead.js'
import type { EncodedTick, Head } from '../../log/Tick.js'
import type { Instant } from '../../time/Instant.js'

export type OwnLog = {
  readonly head: () => Head
  readonly tick: (number: number) => EncodedTick | undefined
  readonly goneOnAt: Instant | undefined
}

const whatToDo =
  'Events were lost, in a restore or a failover. The node stops, so as not to contradict what it has signed. Restore a newer copy; or, when what is missing is lost for good, tell it to go on ("carillon backup go-on").'

const fault = (head: SignedHead, keeper: string, why: string): NodeFault =>
  new NodeFault(
    'head-contradicted',
    `${keeper} keeps a head that this node has signed at revision ${head.revision}, and ${why}. ${whatToDo}`,
    { keeper, revision: head.revision, head: head.head },
  )

/** Throws `head-contradicted`, which stops the node, unless the log holds the head. */
export const assertHolds = (log: OwnLog, head: SignedHead, keeper: string): void => {
  // An operator has said that what was signed before then may be missing.
  if (isOfLaterStretch(log, head)) return
  if (isOfLaterStretch(head, log)) throw fault(head, keeper, 'its log had been told to go on from another copy by then')
  const { tick, revision } = log.head()
  if (head.tick > tick || head.revision > revision) throw fault(head, keeper, `the log ends at revision ${revision}`)
  const there = log.tick(head.tick)
  // A log that is kept elsewhere need not have a copy here of everything.
  if (there === undefined || there.hash === head.head) return
  throw fault(head, keeper, `the log holds something else there`)
}
