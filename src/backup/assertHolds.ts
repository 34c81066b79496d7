/**
 * Compares a log with a checkpoint of it that another party keeps. It bears this node's own signature, so nobody can make
 * one up: if the log does not hold it, the log has lost something or is another one.
 */
import { NodeFault } from '../errors/CarillonError.js'
import { isOfLaterContinuation, type Checkpoint } from '../log/Checkpoint.js'
import type { EncodedTick, Head } from '../log/Tick.js'
import type { Instant } from '../time/Instant.js'

export type OwnLog = {
  readonly head: () => Head
  readonly tick: (number: number) => EncodedTick | undefined
  readonly continuedAt: Instant | undefined
}

const whatToDo =
  'Events were lost, in a restore or a failover. The node stops, so as not to contradict what it has signed. Restore a newer copy; or, when what is missing is lost for good, tell it to go on ("carillon backup go-on").'

const fault = (checkpoint: Checkpoint, keeper: string, why: string): NodeFault =>
  new NodeFault(
    'head-contradicted',
    `${keeper} keeps a checkpoint that this node has signed at revision ${checkpoint.revision}, and ${why}. ${whatToDo}`,
    { keeper, revision: checkpoint.revision, hash: checkpoint.hash },
  )

/** Throws `head-contradicted`, which stops the node, unless the log holds the checkpoint. */
export const assertHolds = (log: OwnLog, checkpoint: Checkpoint, keeper: string): void => {
  // An operator has said that what was signed before then may be missing.
  if (isOfLaterContinuation(log, checkpoint)) return
  if (isOfLaterContinuation(checkpoint, log))
    throw fault(checkpoint, keeper, 'its log had been told to go on from another copy by then')
  const { tick, revision } = log.head()
  if (checkpoint.tick > tick || checkpoint.revision > revision)
    throw fault(checkpoint, keeper, `the log ends at revision ${revision}`)
  const there = log.tick(checkpoint.tick)
  // A log that is kept elsewhere need not have a copy here of everything.
  if (there === undefined || there.hash === checkpoint.hash) return
  throw fault(checkpoint, keeper, `the log holds something else there`)
}
