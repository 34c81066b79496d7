/**
 * The port to other parties' nodes. It may lose, repeat, delay and reorder what it carries; sessions are built
 * so that none of that matters. It vouches for one thing: who sent an envelope.
 */
import type { PublicKey } from '../identity/PublicKey.js'
import type { Envelope } from '../log/Message.js'

/** The way to other parties' nodes. */
export type Transport = {
  /** Sends as well as it can; never throws for a party that cannot be reached. */
  readonly send: (to: PublicKey, envelopes: readonly Envelope[]) => void
  /**
   * Hands over what arrives. `from` is authenticated by the transport. A promise resolves once the envelopes have been
   * decided on, so that a transport need not take more from a party than the node can keep up with. `bytes`: how much
   * they were on their way. A sign of life comes without envelopes.
   */
  readonly listen: (
    deliver: (from: PublicKey, envelopes: readonly Envelope[], bytes: number) => void | Promise<void>,
  ) => void
  readonly close: () => Promise<void>
}
