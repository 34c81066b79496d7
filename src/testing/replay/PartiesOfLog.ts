/**
 * The network as a log shows it: the parties and notaries its transactions and messages name.
 */
import { zeroHash } from '../../encoding/hash.js'
import type { NetworkId } from '../../identity/NetworkId.js'
import { NetworkMap, type Member } from '../../identity/NetworkMap.js'
import type { DomainEvent } from '../../log/events.js'
import type { Party } from '../../identity/Party.js'
import type { PublicKey } from '../../identity/PublicKey.js'

/** Whether a flow that records this found the parties it named in its map. */
const foundParties = (recorded: DomainEvent | undefined): boolean => {
  if (recorded === undefined) return false
  // What the node settled by itself concerned nobody else in the map.
  if (recorded.type === 'TransactionRecorded') return recorded.signatures !== undefined
  return recorded.type !== 'FlowEnded' || recorded.error?.code !== 'party-unknown'
}

/** A map that has the parties a flow names, if what the flow recorded says that it had. */
class MapOfThen extends NetworkMap {
  readonly #recorded: () => DomainEvent | undefined

  constructor(map: NetworkMap, recorded: () => DomainEvent | undefined) {
    super(map.members, map.id)
    this.#recorded = recorded
  }

  override member(key: PublicKey): Member | undefined {
    return super.member(key) ?? (foundParties(this.#recorded()) ? { party: { name: key, key } } : undefined)
  }
}

export class PartiesOfLog {
  readonly #members = new Map<PublicKey, Member>()
  #map: NetworkMap | undefined
  #tornOff = false
  #network: NetworkId = zeroHash

  learnNotary(notary: Party): void {
    if (this.#members.has(notary.key)) return
    this.#members.set(notary.key, { party: notary, notary: this.#tornOff ? 'nonValidating' : 'validating' })
    this.#map = undefined
  }

  /** The network in which the node signs. */
  learnNetwork(network: NetworkId): void {
    if (this.#network === network) return
    this.#network = network
    this.#map = undefined
  }

  /** A party asks a notary of the kind that sees only a part with a tear-off. */
  learnMessage(line: string): void {
    if (this.#tornOff || !line.includes('"type":"tearOff"')) return
    this.#tornOff = true
    for (const [key, { party }] of this.#members) this.#members.set(key, { party, notary: 'nonValidating' })
    this.#map = undefined
  }

  /** The map by which a flow is run again. Who was in it then the log need not say; what the flow recorded next does. */
  mapFor(recorded: () => DomainEvent | undefined): NetworkMap {
    return new MapOfThen(this.map, recorded)
  }

  get map(): NetworkMap {
    this.#map ??= new NetworkMap([...this.#members.values()], this.#network)
    return this.#map
  }
}
