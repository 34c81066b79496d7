/**
 * Follows a log and says with which key, and in which network, each of its ticks must be signed. The first start of the
 * node names both; a change of key or joining a network holds from the tick after it on.
 */
import { KeyHistory, verifyKeyChange, type KeyChange } from '../identity/KeyChange.js'
import type { NetworkId } from '../identity/NetworkId.js'
import type { PublicKey } from '../identity/PublicKey.js'
import type { SigningContext } from '../ledger/SignedTransaction.js'
import { decodeEvent } from './decodeEvent.js'
import type { DomainEvent, EventOf } from './events.js'
import type { EncodedTick } from './Tick.js'
import type { TickSigner } from './TickSigner.js'

/** The events that say something about who signs. */
export type SignerEvent = EventOf<'NodeStarted'> | EventOf<'NetworkJoined'> | EventOf<'KeyChanged'>

export const isSignerEvent = (event: DomainEvent | undefined): event is SignerEvent =>
  event?.type === 'NodeStarted' || event?.type === 'NetworkJoined' || event?.type === 'KeyChanged'

const signerTypes = ['"type":"NodeStarted"', '"type":"NetworkJoined"', '"type":"KeyChanged"']

/** The events of a tick that say something about who signs. Found by their text, since almost none does. */
export const signerEventsOf = (tick: EncodedTick): readonly SignerEvent[] =>
  tick.events.flatMap((line, index) => {
    if (!signerTypes.some((type) => line.includes(type))) return []
    const event = decodeEvent(line, tick.firstRevision + index)
    return isSignerEvent(event) ? [event] : []
  })

/** Reports what is wrong with an event about who signs. */
export type SignerFault = (event: SignerEvent, what: string) => void

export class SignerTracker {
  readonly #history = new KeyHistory()
  readonly #keys: PublicKey[] = []
  readonly #networks = new Set<NetworkId>()
  #party: PublicKey | undefined
  #next: TickSigner | undefined

  /** All keys that have signed the log so far, oldest first. */
  get keys(): readonly PublicKey[] {
    return this.#keys
  }

  /** All networks in which the log was signed so far: the party's own, and the one it joined. */
  get networks(): ReadonlySet<NetworkId> {
    return this.#networks
  }

  /** The identity of the party whose log it is: its first key. */
  get party(): PublicKey | undefined {
    return this.#party
  }

  /** What signatures of transactions are checked against. */
  contextOf({ network }: TickSigner): SigningContext {
    const { identityOf, currentKeyOf } = this.#history
    return { id: network, identityOf, currentKeyOf }
  }

  /** What the tick that holds these events must be signed with; undefined when the log does not begin with a start. */
  next(events: readonly SignerEvent[], fault: SignerFault = () => undefined): TickSigner | undefined {
    const [first] = events
    if (this.#next === undefined && first?.type === 'NodeStarted') {
      this.#party = first.party.key
      this.#keys.push(first.party.key)
      this.#next = { network: first.network, key: first.party.key }
      this.#networks.add(first.network)
    }
    const signer = this.#next
    if (signer !== undefined) for (const event of events) this.#take(event, signer, fault)
    return signer
  }

  #take(event: SignerEvent, signer: TickSigner, fault: SignerFault): void {
    const now = this.#next ?? signer
    switch (event.type) {
      case 'NodeStarted':
        if (event.party.key !== this.#party)
          fault(event, `it is the start of ${event.party.key}, and the log is that of ${this.#party ?? ''}`)
        return
      case 'NetworkJoined':
        this.#next = { ...now, network: event.network }
        this.#networks.add(event.network)
        return
      case 'KeyChanged': {
        const { change } = event
        const why = this.#faultOf(change, signer)
        if (why !== undefined) fault(event, why)
        // Whose key a key is does not change once it is known.
        if (!this.#isUsed(change)) this.#history.add(change)
        if (change.party !== this.#party) return
        this.#keys.push(change.to)
        this.#next = { ...now, key: change.to }
      }
    }
  }

  #faultOf(change: KeyChange, signer: TickSigner): string | undefined {
    if (!verifyKeyChange(signer.network, change)) return 'the change of key is not signed by both keys'
    const why = this.#isUsed(change) ? `${change.to} was used before` : this.#history.faultOf(change)
    return why === undefined ? undefined : `the change of key does not follow from the ones before: ${why}`
  }

  /** Whether a change leads to a key that is somebody's already, also one that is part of the log a second time. */
  #isUsed({ party, to }: KeyChange): boolean {
    return to === party || to === this.#party || this.#history.isUsed(to)
  }
}
