/**
 * The sessions that each party was refused for good, as long as the process runs: a copy of their opening gets the same answer,
 * although a session could be opened by then. Of each party the newest are kept, so none takes the room of another.
 */
import type { PublicKey } from '../identity/PublicKey.js'
import type { SessionEnvelope } from '../log/Message.js'
import type { EnvelopeRefusal } from '../session/decideMessage.js'
import { KeptPerParty } from './KeptPerParty.js'

const opens = (envelope: SessionEnvelope): boolean => envelope.kind === 'message' && envelope.message.kind === 'open'

export class RefusedOpenings {
  readonly #refused: KeptPerParty<EnvelopeRefusal>

  constructor(keptPerParty: number) {
    this.#refused = new KeptPerParty(keptPerParty)
  }

  /** What a party was told of the session that an envelope is to open. */
  find(party: PublicKey, envelope: SessionEnvelope): EnvelopeRefusal | undefined {
    return opens(envelope) ? this.#refused.find(party, envelope.session) : undefined
  }

  /** Keeps a refusal, if it is one of an opening and has no time at which it may be sent again. */
  keep(party: PublicKey, envelope: SessionEnvelope, refusal: EnvelopeRefusal): void {
    if (opens(envelope) && refusal.retryAfterMs === undefined) this.#refused.keep(party, envelope.session, refusal)
  }
}
