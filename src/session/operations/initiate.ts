/**
 * Opens a session with another party, whose node starts the flow that responds.
 */
import type { Hash } from '../../encoding/hash.js'
import { CarillonError } from '../../errors/CarillonError.js'
import type { Party } from '../../identity/Party.js'
import type { SessionId } from '../../log/SessionId.js'
import { factsAnswer } from '../../flow/Answer.js'
import { defineOperation } from '../../flow/defineOperation.js'
import { messageSent } from '../sessionMessages.js'
import type { SessionReads } from '../SessionReads.js'

export type Initiate = {
  readonly kind: 'initiate'
  readonly session: SessionId
  readonly nonce: Hash
  readonly party: Party
  readonly flow: string
  readonly version: number
}

export const initiate = defineOperation<Initiate, SessionReads>({
  kind: 'initiate',
  statesFacts: true,
  identity: ({ session, party, flow, version }) => ({ session, party: party.key, flow, version }),
  label: ({ flow, party }) => `initiate ${flow} with ${party.name}`,
  decide: (reads, { session, nonce, party, flow: name, version }, flow) => {
    if (reads.network.member(party.key) === undefined) {
      throw new CarillonError(
        'party-unknown',
        `${party.name} is not in this node's network map. Add it, or check the name and key.`,
        { party: party.name },
      )
    }
    return factsAnswer([
      { type: 'SessionOpened', session, role: 'initiator', party: party.key, flow },
      messageSent({ id: session, role: 'initiator', sent: 0 }, { kind: 'open', flow: name, version, nonce }),
    ])
  },
})
