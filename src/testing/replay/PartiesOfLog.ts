/**
 * The network as a log shows it: the parties and notaries its transactions and messages name.
 */
import { zeroHash } from '../../encoding/hash.js'
import type { NetworkId } from '../../identity/NetworkId.js'
import { NetworkMap, type Member } from '../../identity/NetworkMap.js'
import type { Party } from '../../identity/Party.js'
import type { PublicKey } from '../../identity/PublicKey.js'

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

  get map(): NetworkMap {
    this.#map ??= new NetworkMap([...this.#members.values()], this.#network)
    return this.#map
  }
}
