/**
 * What the process that measures one system by one workload writes down: figures, or why there are none.
 */
import type { Measured } from './measurePeer.js'

export type PeerResult =
  | Measured
  | {
      readonly failure: string
      /** The system cannot be started on this machine at all, so there is no use in another try. */
      readonly isAbsent: boolean
    }
